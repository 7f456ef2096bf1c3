"""Folders that outlast sessions: `berth folder` and --mount, with real containers and a volume on this machine's disk."""

import hashlib
import os
import signal
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

DISK_BASE, COUNT = 2_100_000_000, 65_536  # the owners of files in folders
WORK = 1000  # the user of our images


class Folder(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(backend="oci", keep=True)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()

    def setUp(self):
        if not self.up.process.runs():
            self.up.start()
        here = tempfile.TemporaryDirectory()
        self.addCleanup(here.cleanup)
        self.here = here.name

    def folder(self, name, *more, cli=None):
        cli = cli or self.up.cli
        cli.ok("folder", "create", name, *more)
        shown = cli.json("folder", "show", name)
        self.assertEqual(shown["state"], "READY", shown)
        return shown

    def session(self, name, *mounts, cli=None, more=()):
        cli = cli or self.up.cli
        words = [word for mount in mounts for word in ("--mount", mount)]
        cli.ok("session", "run", "--image", "python:3.11", "--cpu", "0.2", "--mem", "128m", "--name", name, "-q", "-o", "name", *words, *more)
        cli.wait(name)
        shown = cli.session(name)
        self.assertEqual(shown["status"], "RUNNING", shown)
        return shown

    def end(self, *names, cli=None):
        (cli or self.up.cli).ok("session", "end", *names, "--wait")

    def inside(self, name, script, cli=None):
        done = (cli or self.up.cli)("exec", name, "--", "sh", "-c", script)
        return done.returncode, (done.stdout + done.stderr).strip()

    def says(self, name, script, expected, cli=None):
        self.assertEqual(self.inside(name, script, cli), (0, expected))

    def on_disk(self, shown):
        return os.path.join(self.up.data, "volumes", "local", "folders", shown["id"].replace("-", ""))

    def person(self, name):
        """Somebody with a key pair of their own."""
        key = os.path.join(self.up.data, name + ".json")
        if not os.path.exists(key):
            self.up.cli.ok("user", "add", name, "--no-link")
            self.up.cli.ok("key", "add", "--name", "test", "--user", name, "--out", key)
        return rig.Cli(self.up.data, "--key-file", key)

    def refused(self, code, *words, cli=None):
        done = (cli or self.up.cli)(*words)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"berth: {code}: ", done.stderr)
        return done.stderr

    def test_what_one_session_writes_another_reads_after_its_end(self):
        shown = self.folder("data")
        self.session("one", "data")
        self.says("one", "id -u; stat -c '%u %a' /home/work/data; echo hello >/home/work/data/note; cat /home/work/data/note",
                  f"{WORK}\n{WORK} 770\nhello")
        self.assertEqual(self.inside("one", "touch /home/work/beside")[0], 0)
        self.end("one")
        note = os.stat(os.path.join(self.on_disk(shown), "note"))
        self.assertEqual((note.st_uid, note.st_gid), (DISK_BASE + WORK, DISK_BASE + WORK))
        self.session("two", "data")
        self.says("two", "cat /home/work/data/note; ls /home/work", "hello\ndata")
        self.end("two")

    def test_what_lies_in_no_folder_is_named_before_it_ends_with_its_session(self):
        self.folder("saved")
        self.session("loser", "saved")
        none = {"files": 0, "bytes": 0, "complete": True, "names": [], "unknown": []}
        self.assertEqual(self.up.cli.json("session", "losses", "loser"), none)
        script = ("cd /home/work && echo kept >saved/kept && printf 12345 >Untitled.ipynb && ln Untitled.ipynb again"
                  " && ln -s / root && mkfifo pipe && printf 678 >/tmp/scratch && touch -d 2001-01-01 Untitled.ipynb")
        self.assertEqual(self.inside("loser", script), (0, ""))
        lost = self.up.cli.json("session", "losses", "loser")
        self.assertEqual((lost["files"], lost["bytes"], lost["complete"], lost["unknown"]), (2, 8, True, []))
        (first, second) = lost["names"]
        self.assertIn(first["path"], ("/home/work/Untitled.ipynb", "/home/work/again"))
        self.assertEqual((first["kernel"], first["bytes"], second["path"]), ("main1", 5, "/tmp/scratch"))
        # A deep tree and many files cut the look short, and neither holds it up nor harms the session.
        script = "cd /tmp; i=0; while [ $i -lt 600 ]; do mkdir d && cd d || exit 1; i=$((i+1)); done"
        self.assertEqual(self.inside("loser", script), (0, ""))
        lost = self.up.cli.json("session", "losses", "loser")
        self.assertEqual((lost["files"], lost["complete"]), (2, False))
        self.refused("unknown-session", "session", "losses", "loser", cli=self.person("bob"))
        self.end("loser")  # no terminal: nobody is asked
        self.refused("session-ended", "session", "losses", "loser")

    def test_nothing_in_a_folder_is_of_a_user_of_the_host_or_has_its_rights(self):
        shown = self.folder("owners")
        self.session("owner", "owners")
        code, told = self.inside("owner", "cd /home/work/owners && cp /bin/sh s && chmod 6755 s && mkfifo f && ln s hard && ln -s /etc/passwd soft && ls | wc -l")
        self.assertEqual((code, told), (0, "4"))
        self.assertIn("nosuid", self.inside("owner", "grep /home/work/owners /proc/self/mountinfo")[1])
        self.end("owner")
        for folder, folders, files in os.walk(self.on_disk(shown)):
            for one in [folder, *(os.path.join(folder, name) for name in folders + files)]:
                found = os.lstat(one)
                self.assertTrue(DISK_BASE <= found.st_uid < DISK_BASE + COUNT and DISK_BASE <= found.st_gid < DISK_BASE + COUNT, one)
        top = os.stat(os.path.join(self.up.data, "volumes", "local"))
        self.assertEqual((top.st_uid, top.st_mode & 0o777), (0, 0o700))

    def test_a_folder_that_is_mounted_stays_and_goes_by_way_of_the_trash(self):
        shown = self.folder("kept")
        self.session("holder", "kept:inner")
        self.says("holder", "echo 1 >/home/work/inner/a; cat /home/work/inner/a", "1")
        self.assertIn("holder", self.refused("folder-mounted", "folder", "rm", "kept"))
        self.end("holder")
        self.up.cli.ok("folder", "rm", "kept")
        self.refused("folder-not-ready", "session", "run", "--image", "python:3.11", "--cpu", "0.1", "--mem", "64m", "--mount", shown["id"])
        self.folder("kept")  # the name is free
        self.refused("folder-exists", "folder", "restore", shown["id"])
        self.up.cli.ok("folder", "restore", shown["id"], "--name", "kept2")
        self.session("again", "kept2")
        self.says("again", "cat /home/work/kept2/a", "1")
        self.end("again")
        path = self.on_disk(shown)
        self.up.cli.ok("folder", "rm", "kept2")
        self.up.cli.ok("folder", "rm", shown["id"], "--purge", "--yes")
        rig.eventually("it is gone from the disk", lambda: not os.path.exists(path))
        rig.eventually("it is gone from the list", lambda: shown["id"] not in self.up.cli.ok("folder", "ls", "--trash", "-o", "json"))
        self.up.verify()

    def test_others_see_what_is_shared_as_it_is_shared_and_nothing_else(self):
        bob = self.person("bob")
        self.folder("ours")
        self.folder("mine")
        self.session("fill", "ours")
        self.says("fill", "echo for bob >/home/work/ours/a; cat /home/work/ours/a", "for bob")
        self.end("fill")
        self.assertEqual(bob.json("folder", "ls"), [])
        self.refused("unknown-folder", "folder", "show", "ours", cli=bob)
        self.up.cli.ok("folder", "share", "ours", "--user", "bob", "--read-only")
        self.assertEqual([(one["name"], one["access"]) for one in bob.json("folder", "ls")], [("ours", "read")])
        self.refused("folder-read-only", "session", "run", "--image", "python:3.11", "--cpu", "0.1", "--mem", "64m", "--mount", "ours", cli=bob)
        self.session("reader", "ours:ours:ro", cli=bob)
        self.says("reader", "cat /home/work/ours/a", "for bob", cli=bob)
        self.assertIn("Read-only file system", self.inside("reader", "echo x >/home/work/ours/b", cli=bob)[1])
        self.end("reader", cli=bob)
        self.refused("denied", "folder", "rm", "ours", cli=bob)
        self.up.cli.ok("folder", "share", "ours", "--user", "bob")
        self.session("writer", "ours", cli=bob)
        self.says("writer", "echo of bob >/home/work/ours/b; cat /home/work/ours/b", "of bob", cli=bob)
        self.end("writer", cli=bob)
        self.up.cli.ok("folder", "unshare", "ours", "--user", "bob")
        self.assertEqual([one["name"] for one in bob.json("folder", "ls")], [".automatic"])
        self.refused("unknown-folder", "session", "run", "--image", "python:3.11", "--cpu", "0.1", "--mem", "64m", "--mount", "ours", cli=bob)

    def test_files_go_in_and_come_out_whole_also_through_a_kill(self):
        shown = self.folder("files")
        source, back = self.here + "/source", self.here + "/back"
        content = os.urandom(20 << 20)
        with open(source, "wb") as file:
            file.write(content)
        self.up.cli.ok("folder", "cp", source, "files:source")
        self.up.cli.ok("folder", "cp", "files:source", back)
        with open(back, "rb") as file:
            self.assertEqual(hashlib.sha256(file.read()).digest(), hashlib.sha256(content).digest())
        self.assertIn("source", self.up.cli.ok("folder", "files", "files"))
        # The server, the agent and all are killed while it uploads: what was sent is not sent again, and nothing half is seen.
        with open(source, "wb") as file:
            file.truncate(200 << 20)
        words = [rig.program("berth"), "--data", self.up.data, "folder", "cp", source, "files:large"]
        with subprocess.Popen(words, env=rig.environment(self.up.data), stderr=subprocess.PIPE, text=True) as upload:
            staging = os.path.join(self.up.data, "volumes", "local", "staging")
            rig.eventually("some of it is there", lambda: upload.poll() is not None or any(
                os.path.getsize(os.path.join(folder, name)) > 16 << 20 for folder, _, names in os.walk(staging) for name in names))
            self.assertIsNone(upload.poll(), "it was too quick for this test")
            self.up.process.kill()
            self.assertNotIn("large", os.listdir(self.on_disk(shown)))
            self.up.start()
            told = upload.communicate(timeout=rig.PATIENCE * 2)[1]
        self.assertEqual(upload.returncode, 0, told)
        self.assertEqual(os.path.getsize(os.path.join(self.on_disk(shown), "large")), 200 << 20)
        self.session("sees", "files")
        self.says("sees", "stat -c '%u %s' /home/work/files/large", f"{WORK} {200 << 20}")
        self.end("sees")

    def test_what_a_folder_holds_stops_nobody_who_reads_it(self):
        self.folder("odd")
        self.session("maker", "odd")
        self.assertEqual(self.inside("maker", "cd /home/work/odd && mkfifo fifo && ln -s /etc/shadow link && truncate -s 1T sparse && "
                                     "python3 -c \"open(b'\\\\xff\\\\xfe', 'w')\" && mkdir sub && ln -s / sub/up")[0], 0)
        listed = self.up.cli.ok("folder", "files", "odd")
        self.assertIn("sparse", listed)
        self.refused("not-a-file", "folder", "cp", "odd:fifo", self.here + "/x")
        self.refused("not-a-file", "folder", "cp", "odd:link", self.here + "/x")
        self.assertNotEqual(self.up.cli("folder", "cp", "odd:sub/up/etc/passwd", self.here + "/x").returncode, 0)
        self.assertFalse(os.path.exists(self.here + "/x"))
        self.end("maker")

    def test_a_kill_while_a_folder_is_made_or_purged_leaves_it_to_the_next_start(self):
        self.up.process.send(signal.SIGKILL)
        self.up.start()
        shown = self.folder("after")
        self.session("uses", "after")
        self.up.process.kill()
        self.up.start()
        self.says("uses", "echo still >/home/work/after/a; cat /home/work/after/a", "still")
        self.end("uses")
        self.up.cli.ok("folder", "rm", "after")
        self.up.cli.ok("folder", "rm", shown["id"], "--purge", "--yes")
        self.up.process.kill()
        self.up.start()
        rig.eventually("it is gone from the disk", lambda: not os.path.exists(self.on_disk(shown)))
        rig.eventually("it is gone from the list", lambda: shown["id"] not in self.up.cli.ok("folder", "ls", "--trash", "-o", "json"))

    def test_a_wrong_mount_is_refused_before_anything_waits(self):
        self.folder("target")
        run = ("session", "run", "--image", "python:3.11", "--cpu", "0.1", "--mem", "64m")
        self.refused("unknown-folder", *run, "--mount", "nobody")
        for target in ("..", ".ssh", "a/b", "x" * 65):
            self.refused("invalid-mount", *run, "--mount", f"target:{target}")
        self.refused("invalid-mount", *run, "--mount", "target", "--mount", "target")

    def test_processes_have_no_folders_and_say_so(self):
        up = rig.Berth()
        self.addCleanup(up.remove)
        up.start()
        done = up.cli("folder", "create", "data")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "berth: (unknown-volume|volume-required|volume-unavailable): ")


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(Folder)
