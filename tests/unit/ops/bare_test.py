"""ops/bare, for real, on a system of a few programs of this machine instead of Debian: what the command sees, and what is left."""

import glob
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support")]

import unittest_report

PROGRAMS = ("bash", "cat", "chroot", "ls", "sleep", "umount", "unshare")
PATIENCE = 60


def libraries_of(program):
    words = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout.split()
    return [word for word in words if word.startswith("/")]


def make_system(path):
    """A tar of the programs and their libraries, in the folders where bare Debian has them."""
    with tarfile.open(path, "w") as tar:
        for folder in ("dev", "etc/apt/apt.conf.d", "mnt", "proc", "root", "run", "sys", "tmp", "usr/bin", "usr/local/share", "var/cache"):
            row = tarfile.TarInfo(folder)
            row.type, row.mode = tarfile.DIRTYPE, 0o755
            tar.addfile(row)
        link = tarfile.TarInfo("bin")
        link.type, link.linkname = tarfile.SYMTYPE, "usr/bin"
        tar.addfile(link)
        names = {}
        for name in PROGRAMS:
            program = shutil.which(name)
            names[f"usr/bin/{name}"] = program
            names.update((library.lstrip("/"), library) for library in libraries_of(program))
        for name, source in names.items():
            tar.add(os.path.realpath(source), name)


def cgroup2_with_controllers():
    """Where it is mounted; None without one."""
    with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
        for row in mounts:
            fields = row.split()
            if fields[fields.index("-") + 1] == "cgroup2":
                with open(fields[4] + "/cgroup.controllers", encoding="utf-8") as file:
                    return fields[4] if file.read().strip() else None
    return None


class Bare(unittest.TestCase):
    def setUp(self):
        if os.geteuid() != 0 or subprocess.run(["unshare", "-mpf", "true"], check=False, stderr=subprocess.DEVNULL).returncode:
            self.skipTest("no root, or no namespaces for it")
        self.root = tempfile.mkdtemp(prefix="berth-bare-")
        self.addCleanup(shutil.rmtree, self.root)
        shutil.copytree(os.path.join(ROOT, "ops", "lib"), os.path.join(self.root, "ops", "lib"))
        shutil.copy(os.path.join(ROOT, "ops", "bare"), os.path.join(self.root, "ops", "bare"))
        self.put(".gitignore", "build/\nbin/\n")
        self.put("bin/mmdebstrap", "#!/bin/bash\nexit 1\n")
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "a tree"]):
            subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@example.com", *command], cwd=self.root, check=True)
        os.makedirs(os.path.join(self.root, "build", "bare"))
        make_system(self.system("bookworm"))
        self.addCleanup(self.nothing_is_left)

    def system(self, suite):
        return os.path.join(self.root, "build", "bare", f"{suite}.tar")

    def put(self, path, text):
        path = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def start(self, *arguments, above=(), **environment):
        """In a process group of its own, as a terminal starts a command. `above`: the words of a program that becomes ops/bare."""
        path = os.path.join(self.root, "bin") + os.pathsep + os.environ["PATH"]
        return subprocess.Popen([*above, os.path.join(self.root, "ops", "bare"), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True, process_group=0, env={**os.environ, "PATH": path, **environment})

    def run_bare(self, *arguments, **how):
        child = self.start(*arguments, **how)
        out, err = child.communicate(timeout=PATIENCE)
        return child.returncode, out, err

    def roots(self):
        return glob.glob(os.path.join(self.root, "build", "bare", "root.*"))

    def nothing_is_left(self):
        self.assertEqual(self.roots(), [])
        with open("/proc/self/mountinfo", encoding="utf-8") as mounts:
            self.assertNotIn(self.root, mounts.read())

    def groups(self, child_root):
        return glob.glob(f"/sys/fs/cgroup/**/{os.path.basename(child_root)}", recursive=True)

    def test_the_command_runs_in_a_fresh_clone_and_its_exit_code_is_ours(self):
        self.put("uncommitted", "")
        code, out, err = self.run_bare("bash", "-c", "ls; exit 7")
        self.assertEqual((code, out), (7, "ops\n"), err)

    def test_the_command_sees_itself_alone_and_can_make_user_namespaces(self):
        code, out, err = self.run_bare("bash", "-c", "unshare --user --map-root-user bash -c 'echo $HOSTNAME $UID'; "
                                       "for process in /proc/[0-9]*; do echo $process; done")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.splitlines()[:2], ["berth-bare 0", "/proc/1"])
        self.assertEqual(len(out.splitlines()), 3, out)

    def test_another_suite_is_another_system(self):
        os.rename(self.system("bookworm"), self.system("trixie"))
        code, out, err = self.run_bare("--suite", "trixie", "bash", "-c", "ls")
        self.assertEqual((code, out), (0, "ops\n"), err)
        code, _, err = self.run_bare("bash", "-c", "ls")
        self.assertEqual(code, 1)
        self.assertIn("could not fetch Debian bookworm", err)
        for wrong in (["--suite", "bullseye"], ["--suite"]):
            code, _, err = self.run_bare(*wrong, "bash")
            self.assertEqual(code, 2)
            self.assertIn("--suite needs bookworm or trixie", err)

    def test_groups_below_the_commands_own_have_every_controller_of_cgroup2(self):
        if not (mount := cgroup2_with_controllers()):
            self.skipTest("no cgroup2 of this machine has a controller")
        with open(mount + "/cgroup.controllers", encoding="utf-8") as file:
            wanted = file.read()
        code, out, err = self.run_bare("bash", "-c", f"cat {mount}/cgroup.subtree_control; ls {mount}; cat /proc/self/cgroup")
        self.assertEqual(code, 0, err)
        self.assertEqual(out.splitlines()[0].split(), wanted.split())
        self.assertIn("0::/command", out)

    def test_in_a_delegated_scope_of_systemds_too(self):
        self.check_group("yes")

    def test_from_a_group_with_processes_it_goes_beside_that(self):
        self.check_group("")

    def check_group(self, is_scope):
        if not (mount := cgroup2_with_controllers()):
            self.skipTest("no cgroup2 of this machine has a controller")
        with open(mount + "/cgroup.controllers", encoding="utf-8") as file:
            wanted = file.read().split()
        for name in wanted:
            with open(mount + "/cgroup.subtree_control", "w", encoding="utf-8") as file:
                file.write("+" + name)
        scope = f"{mount}/berth-bare-test-{os.getpid()}.scope"
        os.mkdir(scope)
        try:
            code, out, err = self.run_bare("bash", "-c", f"cat {mount}/cgroup.subtree_control", BERTH_BARE_SCOPE=is_scope,
                                           above=["bash", "-c", f'echo $$ >{scope}/cgroup.procs; exec "$@"', "joins"])
        finally:
            for left in (scope + "/bare", scope):
                if os.path.isdir(left):
                    os.rmdir(left)
        self.assertEqual((code, out.split()), (0, wanted), err)

    def test_what_the_command_writes_to_the_compilers_cache_is_kept(self):
        cache = os.path.join(self.root, "cache")
        code, _, err = self.run_bare("--ccache", cache, "bash", "-c", "echo object >$CCACHE_DIR/one")
        self.assertEqual(code, 0, err)
        self.assertEqual(os.listdir(cache), ["one"])

    def test_keep_says_where_the_folder_is(self):
        code, _, err = self.run_bare("--keep", "bash", "-c", "echo made >/root/berth/made")
        self.assertEqual(code, 0, err)
        [kept] = self.roots()
        self.assertIn(f"kept: {kept}", err)
        self.assertTrue(os.path.exists(kept + "/root/berth/made"))
        self.assertEqual(self.groups(kept), [])
        shutil.rmtree(kept)

    def stopped_by(self, stop):
        """Its code, when the command runs and has left a process behind itself."""
        child = self.start("bash", "-c", "sleep 300 & echo runs; trap 'exit 130' INT; sleep 300")
        self.assertEqual(child.stdout.readline(), "runs\n")
        [root] = self.roots()
        self.assertNotEqual(self.groups(root), [])
        stop(child.pid)
        child.communicate(timeout=PATIENCE)
        self.assertEqual(self.groups(root), [])
        return child.returncode

    def test_ctrl_c_ends_the_command_and_all_that_it_left(self):
        self.assertEqual(self.stopped_by(lambda pid: os.killpg(pid, signal.SIGINT)), 130)

    def test_a_request_to_end_ends_the_command_and_all_that_it_left(self):
        self.assertEqual(self.stopped_by(lambda pid: os.kill(pid, signal.SIGTERM)), 143)

    def test_without_a_command_it_says_so(self):
        code, _, err = self.run_bare("--keep")
        self.assertEqual(code, 2)
        self.assertIn("no command", err)


if __name__ == "__main__":
    unittest_report.run(Bare)
