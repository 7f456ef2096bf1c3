"""ops/lib/apt.sh with this machine's apt and made-up sources: a configuration, lists and archives in a scratch folder, fetched from there."""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]

import unittest_report

PACKAGE = b"Package: a\nVersion: 1\nArchitecture: all\nFilename: a.deb\nSize: 1\nSHA256: " + b"0" * 64 + b"\n"


class Apt(unittest.TestCase):
    def setUp(self):
        if not shutil.which("apt-get"):
            self.skipTest("no apt-get")
        self.root = tempfile.mkdtemp(prefix="berth-apt-", dir="/var/tmp")
        self.addCleanup(shutil.rmtree, self.root)
        self.own = subprocess.run(["bash", "-c", ". /etc/os-release; echo $VERSION_CODENAME"], capture_output=True, text=True,
                                  check=True).stdout.strip()
        for folder in ("lists/partial", "cache/archives/partial", "etc/apt.conf.d", "etc/preferences.d"):
            os.makedirs(os.path.join(self.root, folder))
        self.put("etc/apt.conf.d/one", f'Dir::State::lists "{self.root}/lists";\nDir::Cache "{self.root}/cache";\nAPT::Sandbox::User "root";\n')
        self.put("apt.conf", f'Dir::Etc "{self.root}/etc";\n')

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def archive(self, name, release, codename, origin="Debian", component="main"):
        """Its address. It has one release, which sources may call by either name."""
        folder = os.path.join(self.root, name, "dists", release)
        packages = f"{component}/binary-amd64/Packages"
        self.put(os.path.join(folder, packages), PACKAGE.decode())
        self.put(os.path.join(folder, "Release"), f"Origin: {origin}\nSuite: {release}\nCodename: {codename}\nArchitectures: amd64\n"
                 f"Components: {component}\nSHA256:\n {hashlib.sha256(PACKAGE).hexdigest()} {len(PACKAGE)} {packages}\n")
        return f"file://{self.root}/{name}"

    def ask(self, question, sources, update=True):
        self.put("etc/sources.list", "".join(f"deb [trusted=yes arch=amd64] {row}\n" for row in sources))
        env = {**os.environ, "APT_CONFIG": os.path.join(self.root, "apt.conf")}
        if update:
            fetched = subprocess.run(["apt-get", "-q", "update"], capture_output=True, text=True, env=env, check=False)
            self.assertEqual(fetched.returncode, 0, fetched.stdout + fetched.stderr)
        done = subprocess.run(["bash", "-c", f"set -euo pipefail; source ops/lib/apt.sh; {question}"], cwd=ROOT, capture_output=True,
                              text=True, env=env, check=False)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def shown(self, address):
        return address.replace("file://", "file:") + "/"

    def test_a_source_that_calls_the_release_stable_is_this_machines_archive(self):
        debian, security = self.archive("debian", "stable", self.own), self.archive("safe", "stable-security", self.own + "-security")
        rows = [f"{security} stable-security main", f"{debian} stable main"]
        self.assertEqual(self.ask("debian_archive", rows), [self.shown(debian)])
        self.assertEqual(self.ask("debian_sources sid", rows), sorted([f"deb {self.shown(debian)} sid main",
                                                                       f"deb {self.shown(security)} sid-security main"]))

    def test_of_a_list_of_mirrors_on_this_machine_its_first_one_is_the_archive(self):
        debian = self.archive("debian", self.own, self.own)
        self.put("etc/mirrors/debian.list", f"# nearest first\n\n{debian}\tpriority:1\nfile:///elsewhere\n")
        for form in ("mirror+file://", "mirror+file:"):
            rows = [f"{form}{self.root}/etc/mirrors/debian.list {self.own} main"]
            self.assertEqual(self.ask("debian_archive", rows), [debian + "/"])
            self.assertEqual(self.ask("debian_sources sid", rows), [f"deb {debian}/ sid main"])

    def test_somebody_elses_archive_for_the_release_does_not_take_the_place_of_debians(self):
        other, debian = self.archive("other", self.own, self.own, origin="Somebody"), self.archive("debian", self.own, self.own)
        self.assertEqual(self.ask("debian_archive", [f"{other} {self.own} main", f"{debian} {self.own} main"]), [self.shown(debian)])
        self.assertEqual(self.ask("debian_archive", [f"{other} {self.own} main"]), [self.shown(other)], "a mirror of one's own")

    def test_a_machine_that_has_no_lists_yet_fetches_them(self):
        debian = self.archive("debian", self.own, self.own)
        said = self.ask("source ops/lib/common.sh; need_archive 2>/dev/null; debian_archive", [f"{debian} {self.own} main"], update=False)
        self.assertEqual(said, [self.shown(debian)])
        shutil.rmtree(os.path.join(self.root, "lists"))
        os.makedirs(os.path.join(self.root, "lists", "partial"))
        shutil.rmtree(os.path.join(self.root, "debian"))
        said = self.ask("source ops/lib/common.sh; (need_archive 2>&1) || echo ended", [f"{debian} {self.own} main"], update=False)
        self.assertIn("apt-get update failed", "\n".join(said))
        self.assertEqual(said[-1], "ended")

    def test_another_release_or_another_component_is_not_this_machines_archive(self):
        older, contrib = self.archive("older", "oldstable", "buzz"), self.archive("contrib", self.own, self.own, component="contrib")
        self.assertEqual(self.ask("debian_archive", [f"{older} oldstable main", f"{contrib} {self.own} contrib"]), [""])


if __name__ == "__main__":
    unittest_report.run(Apt)
