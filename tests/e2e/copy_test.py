"""`berth session cp`: files into sessions and out of them, through a real server, agent and helper.

copy_test.py [containers]   kernels are containers (as root, with images built), else processes"""

import hashlib
import io
import os
import random
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

BACKEND = "oci" if "containers" in sys.argv[1:] else "process"
IMAGE = ["--image", "python:3.11"] if BACKEND == "oci" else []


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def readme_block(word):
    """The lines of README's block in which `word` stands: (command, what it prints)."""
    with open(os.path.join(rig.ROOT, "README.md"), encoding="utf-8") as file:
        block = next(block for block in file.read().split("\n```\n") if word in block and block.startswith("$ "))
    return [(command, told) for command, _, told in (part.partition("\n") for part in block[len("$ "):].split("\n$ "))]


class Copy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(backend=BACKEND)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.up.cli.ok("session", "run", *IMAGE, "--cpu", "0.5", "--mem", "256m", "--name", "demo", "-q", "-o", "name")
        cls.up.cli.wait("demo")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = folder.name
        self.there = "/tmp/copy-" + os.path.basename(folder.name)  # a process's /tmp is the machine's
        self.exec(f"mkdir {self.there}")
        self.addCleanup(self.exec, f"rm -r {self.there}")

    def berth(self, *words, **more):
        return subprocess.run([rig.program("berth"), "--data", self.up.data, *words], env=rig.environment(self.up.data),
                              capture_output=True, timeout=rig.PATIENCE * 4, check=False, **more)

    def exec(self, script):
        done = self.berth("exec", "demo", "--", "sh", "-c", script, stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def cp(self, source, to, code=0, **more):
        done = self.berth("cp", source, to, **more)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def write(self, name, content):
        path = os.path.join(self.here, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(content)
        return path

    @unittest.skipUnless(BACKEND == "oci", "README's session is a container")
    def test_the_readmes_lines_do_what_it_shows(self):
        def run(command):
            env = {**rig.environment(self.up.data), "PATH": rig.BIN + ":" + os.environ["PATH"]}
            return subprocess.run(["bash", "-c", command], env=env, cwd=self.here, capture_output=True, text=True, timeout=rig.PATIENCE * 2,
                                  check=False, stdin=subprocess.DEVNULL)
        self.write("data.csv", b"1,2\n")
        for command, told in readme_block("--name work --wait"):
            if command.startswith("berth shell"):
                break  # of hands on a terminal
            done = run(command)
            self.assertEqual((done.stdout, done.returncode), (told and told + "\n", 0), (command, done.stderr))
        self.addCleanup(self.berth, "session", "rm", "work", "--wait", "-q")
        self.assertEqual(self.berth("exec", "work", "--", "sh", "-c", "mkdir results logs; echo 1 > results/a; echo 2 > logs/b").returncode, 0)
        for command, _ in readme_block("berth cp data.csv work:"):
            done = run(command)
            self.assertEqual(done.returncode, 0, (command, done.stderr))
        self.assertIn("logs/b", done.stdout)
        with open(os.path.join(self.here, "results/a"), encoding="ascii") as file:
            self.assertEqual(file.read(), "1\n")

    def test_a_tree_goes_in_and_comes_out_as_it_was(self):
        self.write("tree/large", random.Random(1).randbytes(20_000_000))
        self.write("tree/sub/empty", b"")
        self.write("tree/" + "n" * 200, b"long")
        os.symlink("sub/empty", os.path.join(self.here, "tree/link"))
        os.chmod(os.path.join(self.here, "tree/sub/empty"), 0o750)
        os.utime(os.path.join(self.here, "tree/sub/empty"), ns=(10**18, 10**18 + 123))
        self.cp(os.path.join(self.here, "tree"), f"demo:{self.there}")
        self.assertIn("large", self.exec(f"ls {self.there}/tree"))
        self.assertEqual(self.exec(f"sha256sum {self.there}/tree/large").split()[0], digest(os.path.join(self.here, "tree/large")))
        self.cp(f"demo:{self.there}/tree", os.path.join(self.here, "back"))
        compared = subprocess.run(["diff", "-r", "--no-dereference", "tree", "back"], cwd=self.here, capture_output=True, check=False)
        self.assertEqual((compared.returncode, compared.stdout), (0, b""))
        about = os.stat(os.path.join(self.here, "back/sub/empty"))
        self.assertEqual((about.st_mode & 0o777, about.st_mtime_ns), (0o750, 10**18 + 123))

    def test_it_is_as_cp_into_a_folder_or_under_a_new_name(self):
        file = self.write("a", b"content")
        self.cp(file, f"demo:{self.there}")
        self.cp(file, f"demo:{self.there}/b")
        self.cp(self.here + "/.", f"demo:{self.there}/new")
        self.assertEqual(self.exec(f"cd {self.there} && find . -type f | sort"), "./a\n./b\n./new/a\n")
        self.assertIn(b"not-found", self.cp(f"demo:{self.there}/none", self.here, 3).stderr)
        self.assertIn(b"not-found", self.cp(file, f"demo:{self.there}/none/x", 3).stderr)

    def test_a_name_alone_is_of_the_home_of_the_session(self):
        name = os.path.basename(self.here) + ".txt"
        self.cp(self.write("a", b"content"), f"demo:{name}")
        self.addCleanup(self.exec, f"rm {name}")
        self.assertEqual(self.exec(f"cat {name}"), "content")
        self.cp(f"demo:{name}", os.path.join(self.here, "back"))
        self.assertEqual(self.exec("id -u; pwd") == "1000\n/home/work\n", BACKEND == "oci")

    def test_tars_are_piped_in_and_out(self):
        whole = io.BytesIO()
        with tarfile.open(fileobj=whole, mode="w") as tar:
            for name in ("x", "y"):
                entry = tarfile.TarInfo("piped/" + name)
                entry.size = 3
                tar.addfile(entry, io.BytesIO(b"abc"))
        self.cp("-", f"demo:{self.there}", input=whole.getvalue())
        out = self.cp(f"demo:{self.there}/piped", "-").stdout
        with tarfile.open(fileobj=io.BytesIO(out)) as tar:
            self.assertEqual(sorted(tar.getnames()), ["piped", "piped/x", "piped/y"])
        self.assertIn(b"tar-damaged", self.cp("-", f"demo:{self.there}", 1, input=b"no tar" * 1000).stderr)

    def test_what_cannot_be_copied_is_named(self):
        self.exec(f"cd {self.there} && mkdir d && mkfifo d/fifo && echo good > d/good && ln -s /etc/passwd d/link")
        done = self.cp(f"demo:{self.there}/d", self.here, 1)
        for named in (b"d/fifo: ", b"d/link: ", b"left-out"):
            self.assertIn(named, done.stderr)
        self.assertEqual(os.listdir(os.path.join(self.here, "d")), ["good"])

    def test_a_sparse_terabyte_is_left_by_ctrl_c_and_nothing_stays(self):
        self.exec(f"truncate -s 1T {self.there}/sparse")
        copying = subprocess.Popen([rig.program("berth"), "--data", self.up.data, "cp", f"demo:{self.there}/sparse", self.here],
                                   env=rig.environment(self.up.data), stderr=subprocess.PIPE)
        deadline = time.monotonic() + rig.PATIENCE
        while not os.listdir(self.here) and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertTrue(os.listdir(self.here))
        copying.send_signal(2)
        self.assertIn(b"interrupted", copying.communicate(timeout=rig.PATIENCE)[1])
        self.assertEqual(os.listdir(self.here), [])
        while self.copies() and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.copies(), "")

    def copies(self):
        return self.exec("grep -l '^berth-copy' /proc/[0-9]*/comm 2>/dev/null || true")

    def test_an_upload_that_is_cut_leaves_no_half_file(self):
        file = self.write("large", b"x" * 50_000_000)
        copying = subprocess.Popen([rig.program("berth"), "--data", self.up.data, "cp", "-", f"demo:{self.there}"],
                                   env=rig.environment(self.up.data), stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        packed = subprocess.run(["tar", "-C", self.here, "-c", "large"], capture_output=True, check=True).stdout
        self.assertGreater(len(packed), os.path.getsize(file))
        copying.stdin.write(packed[:30_000_000])
        copying.stdin.flush()
        deadline = time.monotonic() + rig.PATIENCE
        while not self.exec(f"ls -A {self.there}") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertIn(".berth-copy", self.exec(f"ls -A {self.there}"))
        copying.kill()
        copying.wait()
        while self.exec(f"ls -A {self.there}") and time.monotonic() < deadline:
            time.sleep(0.05)
        self.assertEqual(self.exec(f"ls -A {self.there}"), "")


if __name__ == "__main__":
    unittest_report.run(Copy)
