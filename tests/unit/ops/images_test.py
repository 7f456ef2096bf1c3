"""ops/images/build on a machine made of stubs, the lists that the image jupyter is made of, and that image itself where it is built."""

import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]

import unittest_report

JUPYTER = os.path.join(ROOT, "ops", "images", "jupyter")


def lines_of(name):
    with open(os.path.join(JUPYTER, name), encoding="utf-8") as file:
        return file.read().splitlines()


class Images(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp(prefix="berth-images-")
        self.addCleanup(shutil.rmtree, self.root)
        for path in ("images", "lib"):
            shutil.copytree(os.path.join(ROOT, "ops", path), os.path.join(self.root, "ops", path))
        self.stub("id", "echo 0")
        self.stub("uname", "echo x86_64")
        self.stub("apt-get", '. /etc/os-release; echo "$VERSION_CODENAME $VERSION_CODENAME main http://debian.test/debian Debian"')
        self.stub("apt-config", "true")
        self.stub("pip3", "true")
        self.stub("mmdebstrap", "true")
        self.stub("umoci", "true")
        self.stub("skopeo", "true")

    def stub(self, name, body):
        path = os.path.join(self.root, "bin", name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/bash\nprintf "%s\\n" "{name} $*" >>{self.root}/calls\n{body}\n')
        os.chmod(path, 0o755)

    def build(self, *images, **options):
        """The result, and what the build called meanwhile."""
        calls = os.path.join(self.root, "calls")
        open(calls, "w", encoding="utf-8").close()
        path = os.path.join(self.root, "bin") + os.pathsep + os.environ["PATH"]
        done = subprocess.run([os.path.join(self.root, "ops", "images", "build"), *images], capture_output=True, text=True, timeout=60,
                              env={**os.environ, "PATH": path}, check=False, **options)
        with open(calls, encoding="utf-8") as file:
            return done, file.read().splitlines()

    def test_an_image_without_a_recipe_is_refused(self):
        for image in ("jupyter:4.5", "python:2.7", "ubuntu"):
            self.assertEqual(self.build(image)[0].returncode, 2, image)

    def test_jupyter_is_made_of_wheels_that_the_lock_names_and_has_every_label(self):
        done, calls = self.build("jupyter")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout, f"jupyter:4.6 oci:{self.root}/build/images/jupyter:4.6\n")
        fetched = next(call for call in calls if call.startswith("pip3 "))
        for option in ("--only-binary=:all:", "--require-hashes", "--requirement ops/images/jupyter/requirements.lock"):
            self.assertIn(option, fetched)
        config = next(call for call in calls if call.startswith("umoci config "))
        for label in lines_of("labels"):
            self.assertIn(f"--config.label {label} ", config + " ")
        self.assertIn("--config.user work --config.workingdir /home/work", config)
        self.assertEqual(re.findall(r"(\d+) %", done.stderr), ["0", "18", "91"])

    def test_every_image_has_the_user_work_and_begins_in_its_home(self):
        _, calls = self.build("python:3.11", "jupyter")
        configs = [call for call in calls if call.startswith("umoci config ")]
        self.assertEqual(len(configs), 2)
        for config in configs:
            self.assertIn("--config.user work --config.workingdir /home/work", config)
        for made in (call for call in calls if call.startswith("mmdebstrap ")):
            self.assertIn("ops/images/add_user", made)

    def test_an_image_is_made_again_when_its_lock_has_changed_and_only_then(self):
        self.build("jupyter", "python:3.11")
        self.assertNotIn("mmdebstrap", " ".join(self.build("jupyter", "python:3.11")[1]))
        with open(os.path.join(self.root, "ops", "images", "jupyter", "requirements.lock"), "a", encoding="utf-8") as lock:
            lock.write("another==1 --hash=sha256:00\n")
        made = [call for call in self.build("jupyter", "python:3.11")[1] if call.startswith("mmdebstrap ")]
        self.assertEqual(len(made), 1, made)
        self.assertIn("jupyter/install", made[0])

    def test_a_build_that_fails_shows_the_words_of_the_tool_and_leaves_nothing(self):
        for tool, words in (("mmdebstrap", "mmdebstrap could not make the root file system"), ("pip3", "pip could not fetch")):
            self.stub(tool, "echo the reason >&2; exit 1")
            done, _ = self.build("jupyter")
            self.assertEqual(done.returncode, 1)
            self.assertIn("the reason", done.stderr)
            self.assertIn(words, done.stderr)
            self.assertEqual(os.listdir(os.path.join(self.root, "build", "images")), [".lock"])
            self.stub(tool, "true")

    def test_mmdebstrap_has_the_descriptors_that_it_is_given_and_neither_the_lock_nor_its_callers(self):
        """apt has dash write to the next free one, and dash reads one digit."""
        self.stub("mmdebstrap", f"exec python3 -c 'import os; print(*sorted(map(int, os.listdir(\"/proc/self/fd\")))[:-1])' >{self.root}/open")
        read, write = os.pipe()
        try:
            done, _ = self.build("python:3.11", pass_fds=(read, write))
        finally:
            os.close(read)
            os.close(write)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(self.root, "open"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "0 1 2 3\n")

    def test_mmdebstrap_ends_with_a_build_that_is_killed(self):
        self.stub("mmdebstrap", f"echo $$ >{self.root}/pid; exec sleep 60")
        path = os.path.join(self.root, "bin") + os.pathsep + os.environ["PATH"]
        with subprocess.Popen([os.path.join(self.root, "ops", "images", "build")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              env={**os.environ, "PATH": path}) as build:
            while not os.path.exists(os.path.join(self.root, "pid")) or not os.path.getsize(os.path.join(self.root, "pid")):
                self.assertIsNone(build.poll())
            with open(os.path.join(self.root, "pid"), encoding="utf-8") as file:
                tool = os.pidfd_open(int(file.read()))
            self.addCleanup(os.close, tool)
            build.kill()
        self.assertTrue(select.select([tool], [], [], 20)[0], "it runs on, on a folder that the next build removes")

    def test_jupyter_is_not_tried_where_its_wheels_do_not_run(self):
        self.stub("uname", "echo aarch64")
        done, calls = self.build("jupyter")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no recipe for jupyter on aarch64", done.stderr)
        self.assertNotIn("pip3", " ".join(calls))

    def test_the_lock_has_one_version_and_one_hash_of_all_that_is_asked_for(self):
        locked = {}
        for line in lines_of("requirements.lock")[1:]:
            match = re.fullmatch(r"([a-z0-9-]+)==(\S+) --hash=sha256:[0-9a-f]{64}", line)
            self.assertIsNotNone(match, line)
            self.assertNotIn(match.group(1), locked)
            locked[match.group(1)] = match.group(2)
        for line in lines_of("requirements.in"):
            name = re.match(r"[a-z]*", line).group()
            self.assertIn(name, {"", *locked}, line)
        self.assertTrue(locked["jupyterlab"].startswith("4.6."), "the image's tag says 4.6")
        self.assertTrue(locked["notebook"].startswith("7.6."))

    def test_the_built_image_has_the_labels_user_and_folder_of_its_recipe(self):
        layout = os.path.join(ROOT, "build", "images", "jupyter")
        if not os.path.exists(os.path.join(ROOT, "build", "images", ".made", "jupyter-4.6")) or not shutil.which("skopeo"):
            self.skipTest("ops/images/build jupyter has not made the image, or skopeo is not installed")
        inspected = subprocess.run(["skopeo", "inspect", "--config", f"oci:{layout}:4.6"], capture_output=True, text=True, check=True)
        config = json.loads(inspected.stdout)["config"]
        wanted = dict(line.split("=", 1) for line in lines_of("labels"))
        self.assertEqual({name: text for name, text in config["Labels"].items() if name in wanted}, wanted)
        self.assertEqual((config["User"], config["WorkingDir"], config["Cmd"]), ("work", "/home/work", ["/bin/bash"]))


if __name__ == "__main__":
    unittest_report.run(Images)
