"""Kernels that reach package registries, and nothing else: pip as people use it, in a container, against the index that this machine's pip has."""

import os
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

# Small, pure Python, and of no image.
PACKAGE, IMPORTED = "iniconfig", "import iniconfig; print(iniconfig.__name__)"
INSTALL = ["python3", "-m", "pip", "install", "--user", "--no-cache-dir", "--disable-pip-version-check"]
# What the kernel's proxy answers to CONNECT, in one line.
CONNECT = """
import socket, sys
with socket.create_connection(("127.0.0.1", 2001), 10) as proxy:
    proxy.sendall(f"CONNECT {sys.argv[1]} HTTP/1.1\\r\\nHost: {sys.argv[1]}\\r\\n\\r\\n".encode())
    print(b" ".join(iter(lambda: proxy.recv(4096), b"")).decode(errors="replace").replace("\\r\\n", " "))
"""


def index_answers():
    """Whether pip of this machine reaches its index: else there is nothing to install from."""
    words = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "-q", "-d", os.devnull + "/none", PACKAGE]
    told = subprocess.run(words, capture_output=True, text=True, timeout=120, check=False).stderr
    return "No matching distribution" not in told and "No module named pip" not in told


class Egress(unittest.TestCase):
    def start(self, *more, **options):
        self.up = rig.Berth(backend="oci", more=["--verbose", *more], **options)
        self.addCleanup(self.up.remove)
        self.up.start()

    def add_jupyter(self):
        with open(os.path.join(rig.ROOT, "ops", "images", "jupyter", "labels"), encoding="utf-8") as file:
            labels = [word for label in file.read().splitlines() for word in ("--label", label)]
        self.up.cli.ok("image", "add", "jupyter:4.6", f"oci:{rig.images()}/jupyter:4.6", *labels)

    def run_one(self, name, *more, image="python:3.11"):
        self.up.cli.ok("session", "run", "--image", image, "--cpu", "1", "--mem", "1g", "--name", name, "-q", "--detach", *more)
        self.up.cli.wait(name)
        return name

    def list_is_known(self):
        rig.eventually("the agent says what kernels reach", lambda: "kernels with egress may reach" in self.up.process.words())

    def inside(self, name, *words, timeout=180):
        done = self.up.cli("exec", name, "--", *words, timeout=timeout)
        return done.returncode, done.stdout + done.stderr

    def installs(self, name, package=PACKAGE, imported=IMPORTED):
        code, told = self.inside(name, *INSTALL, package)
        self.assertEqual(code, 0, told + self.up.process.words()[-3000:])
        code, told = self.inside(name, "python3", "-c", imported)
        self.assertEqual((code, told.strip()), (0, package), told)

    def test_pip_installs_through_the_agent_also_after_its_kill_and_not_without_egress(self):
        if not index_answers():
            self.skipTest("pip of this machine reaches no index")
        self.start(keep=True)
        self.add_jupyter()
        self.list_is_known()
        self.run_one("one", image="jupyter:4.6")
        self.installs("one")
        self.up.process.kill()
        self.up.start()
        self.list_is_known()
        self.assertEqual(self.up.cli.session("one")["status"], "RUNNING")
        self.installs("one", "toml", "import toml; print(toml.__name__)")
        self.up.cli.ok("group", "set", "default", "--egress", "none")
        self.run_one("two", "--no-automatic-folder", image="jupyter:4.6")  # in which the package lies by now
        self.assertNotIn("2001", self.inside("two", "env")[1])
        code, told = self.inside("two", *INSTALL, "--retries", "0", PACKAGE, timeout=60)
        self.assertNotEqual(code, 0)
        self.assertIn("No matching distribution found", told)
        self.assertEqual(self.inside("one", "python3", "-c", IMPORTED)[0], 0)
        self.up.cli.ok("session", "end", "one", "two")

    def test_what_is_not_listed_is_refused_in_words(self):
        self.start("--egress-allow", "index.test:443")
        self.run_one("one")
        for where in ("example.test:443", "127.0.0.1:22", "169.254.169.254:80", "index.test:80"):
            code, told = self.inside("one", "python3", "-c", CONNECT, where)
            self.assertEqual(code, 0, told)
            self.assertRegex(told, r"^HTTP/1\.1 403 ", where)
            self.assertIn(where.rpartition(":")[0], told)
        self.assertIn("kernels with egress may reach index.test:443", self.up.process.words())

    def test_a_users_own_variable_wins(self):
        self.start("--egress-allow", "none")
        self.run_one("one", "--env", "HTTPS_PROXY=http://own.test:1")
        told = self.inside("one", "env")[1]
        self.assertIn("HTTPS_PROXY=http://own.test:1\n", told)
        self.assertIn("HTTP_PROXY=http://127.0.0.1:2001\n", told)
        code, told = self.inside("one", "sh", "-c", 'test -z "$SSL_CERT_FILE" || head -c 1 "$SSL_CERT_FILE"')
        self.assertEqual(code, 0, told)


if __name__ == "__main__":
    if not rig.has_containers() or not os.path.exists(os.path.join(rig.images(), "jupyter", "index.json")):
        sys.exit("containers need root and build/images: ops/images/build jupyter")
    unittest_report.run(Egress)
