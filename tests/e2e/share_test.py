"""`berth session share` and unshare: a second person works in a real shell of another's session, and is cut when the share ends."""

import os
import signal
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report
from terminal import Terminal

CUT_WITHIN_S = 3  # a second, and what a busy machine adds


class Share(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(keep=True)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.up.cli.ok("project", "add", "labs")
        cls.people = {name: cls.person(name) for name in ("alice", "bob", "mel")}
        cls.up.cli.ok("project", "member", "add", "labs", "mel")
        cls.alice, cls.bob, cls.mel = cls.people.values()
        cls.alice.ok("session", "run", "--cpu", "0.1", "--mem", "256m", "--name", "work", "-e", "TOKEN=hidden", "-q", "-o", "name")
        cls.alice.wait("work")

    @classmethod
    def person(cls, name):
        key = os.path.join(cls.up.data, name + ".json")
        cls.up.cli.ok("user", "add", name, "--no-link")
        cls.up.cli.ok("key", "add", "--name", "test", "--user", name, "--out", key)
        return rig.Cli(cls.up.data, "--key-file", key)

    def tearDown(self):
        for words in (("--user", "bob"), ("--user", "admin"), ("--project", "labs")):
            self.alice.ok("session", "unshare", "work", *words)

    def refused(self, code, cli, *words):
        done = cli(*words)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn(f"berth: {code}: ", done.stderr)

    def shell(self, cli, name):
        shell = Terminal(self.up.data, *cli.more, "shell", "work", "-n", name, "--", "/bin/sh")
        self.addCleanup(shell.close)
        shell.sees(f"shell {name} of work; ")
        shell.type("PS1='> '; echo rea''dy\r")
        shell.sees("ready\r\n> ")
        return shell

    def exec(self, cli):
        """A program in the session that goes on until it is cut."""
        child = subprocess.Popen([rig.program("berth"), "--data", self.up.data, *cli.more, "exec", "work", "--", "sh", "-c", "echo go; exec sleep 600"],
                                 env=rig.environment(self.up.data), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.addCleanup(child.wait)
        self.addCleanup(child.send_signal, signal.SIGKILL)
        self.assertEqual(child.stdout.readline(), b"go\n")
        return child

    def is_cut(self, child):
        begun = time.monotonic()
        told = child.communicate(timeout=rig.PATIENCE)[1].decode()
        self.assertLess(time.monotonic() - begun, CUT_WITHIN_S)
        self.assertIn("access-lost", told)

    def test_whom_it_is_shared_with_works_in_it_until_the_share_is_withdrawn(self):
        self.assertEqual(self.bob.json("session", "ls"), [])
        self.refused("unknown-session", self.bob, "session", "show", "work")
        self.refused("unknown-session", self.bob, "exec", "work", "--", "true")
        self.alice.ok("session", "share", "work", "--user", "bob")
        self.assertEqual([one["name"] for one in self.bob.json("session", "ls", "--shared")], ["work"])
        shown = self.bob.session("work")
        self.assertEqual((shown["shared"], shown["shares"], shown["env"]), (True, None, None))
        self.assertIn("Shared        by alice\n", self.bob.ok("session", "show", "work"))
        self.assertIn("Shared        with bob\n", self.alice.ok("session", "show", "work"))
        self.assertEqual(self.bob.ok("exec", "work", "--", "echo", "it is bob"), "it is bob\n")
        self.bob.ok("session", "logs", "work")
        events = self.bob.ok("event", "ls", "--session", "work")
        self.assertIn("SessionShared", events)
        self.assertIn("KernelOpened", events)
        self.refused("denied", self.bob, "session", "end", "work")
        self.refused("denied", self.bob, "session", "share", "work", "--user", "mel")

        mine, shell, program = self.shell(self.alice, "mine"), self.shell(self.bob, "his"), self.exec(self.bob)
        self.alice.ok("session", "unshare", "work", "--user", "bob")
        self.is_cut(program)
        shell.sees("access-lost")
        self.assertNotEqual(shell.ends(), 0)
        self.refused("unknown-session", self.bob, "exec", "work", "--", "true")
        self.assertEqual(self.bob.json("session", "ls"), [])
        mine.type("echo still $((40 + 2))\r")
        mine.sees("still 42\r\n")

    def test_a_superadmin_opens_it_by_a_share_alone(self):
        admin, identity = self.up.cli, self.alice.session("work")["id"]
        self.assertEqual(admin.session(identity)["owner"]["user"], "alice")
        for words in (("exec", identity, "--", "true"), ("session", "share", identity, "--user", "admin")):
            self.refused("denied", admin, *words)
        self.alice.ok("session", "share", "work", "--user", "admin")
        self.assertEqual(admin.ok("exec", identity, "--", "echo", "help"), "help\n")
        self.alice.ok("session", "unshare", "work", "--user", "admin")
        self.refused("denied", admin, "exec", identity, "--", "true")

    def test_a_project_is_its_members_as_long_as_they_are(self):
        self.alice.ok("session", "share", "work", "--project", "labs")
        self.assertEqual(self.mel.ok("exec", "work", "--", "echo", "mel"), "mel\n")
        self.refused("unknown-session", self.bob, "exec", "work", "--", "true")
        program = self.exec(self.mel)
        self.up.cli.ok("project", "member", "rm", "labs", "mel")
        self.is_cut(program)
        self.refused("unknown-session", self.mel, "exec", "work", "--", "true")


if __name__ == "__main__":
    unittest_report.run(Share)
