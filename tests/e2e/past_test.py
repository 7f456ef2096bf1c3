"""The past of a real `berth up`: a list and a detail as they were, the difference between two moments, through kill -9 and a restart; and its folder browsed
while it runs."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report
from terminal import Terminal


class Past(unittest.TestCase):
    def setUp(self):
        self.up = rig.Berth(keep=True)
        self.addCleanup(self.up.remove)
        self.up.start()

    def get(self, target):
        status, body = rig.asked(self.up, "GET", target)
        return status, json.loads(body)

    def position(self):
        return self.get("/v1/past")[1]["last"]["position"].partition("-")[0]

    def code(self, target, status):
        answered, body = self.get(target)
        self.assertEqual(answered, status, body)
        return body["code"]

    def expect_the_past(self, before):
        status, then = self.get(f"/v1/sessions/work?at={before}")
        self.assertEqual(status, 200, then)
        self.assertEqual(then["status"], "RUNNING")
        self.assertEqual(then["at"]["position"], f"{before}-0")
        self.assertEqual(self.get(f"/v1/sessions/work?at={then['at']['time']}")[1]["status"], "RUNNING")
        self.assertEqual([one["name"] for one in self.get(f"/v1/sessions?at={before}")[1]["sessions"]], ["work"])
        self.assertEqual(self.up.cli.json("--at", before, "session", "show", "work")["status"], "RUNNING")
        self.assertEqual(self.up.cli.session("work")["status"], "TERMINATED")

    def expect_the_difference(self, before, after):
        changes = self.get(f"/v1/diff?from={before}&to={after}&noun=session")[1]["changes"]
        self.assertEqual([(one["name"], one["before"]["status"], one["after"]["status"]) for one in changes],
                         [("work", "RUNNING", "TERMINATED")])
        types = [event["type"] for event in changes[0]["events"]]
        self.assertEqual(types[0], "SessionTerminating")
        self.assertIn("KernelTerminated", types)
        self.assertIn("~ session work", self.up.cli.ok("diff", before, after))

    def expect_the_folder_is_browsed(self, before):
        commands = [word for line in (f"cd @{before}", "ls sessions", "cat sessions/work") for word in ("-c", line)]
        shown = self.up.cli.ok("log", "shell", self.up.data, *commands)
        self.assertTrue(shown.startswith("work\n"), shown)
        self.assertIn('"status": "RUNNING"', shown)
        self.assertIn("KernelTerminated", self.up.cli.ok("log", "shell", self.up.data, "-c", "ls events"))
        self.assertEqual(self.up.cli("log", "shell", self.up.data, "-c", "cat sessions/nobody").returncode, 3)

    ASKS = r"/ @\d+-0 [^ ]+ > "

    def log_shell(self):
        shell = Terminal(self.up.data, "log", "shell", self.up.data, XDG_CONFIG_HOME=self.config, TERM="vt100")
        self.addCleanup(shell.close)
        shell.sees(self.ASKS)
        return shell

    def test_the_log_is_browsed_on_a_terminal_with_completion_and_a_history(self):
        self.config = tempfile.mkdtemp(prefix="berth-e2e-config-")
        self.addCleanup(shutil.rmtree, self.config, ignore_errors=True)
        self.up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "work", "--wait", "-q", "--", "true")
        self.up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "walk", "--wait", "-q", "--", "true")

        shell = self.log_shell()
        shell.type("help\r")
        shell.sees("TAB completes")
        shell.sees(self.ASKS)
        shell.type("ls sess\t\r")
        shell.sees("walk\r\nwork\r\n" + self.ASKS)
        shell.type("cat sessions/w\t")  # either
        shell.sees("sessions/walk\r\nsessions/work\r\n")
        shell.type("o\t\r")
        shell.sees('"name": "work"')
        shell.sees(self.ASKS)
        shell.type("what I take back\x03pwd\r")  # Ctrl-C
        shell.sees(r"\n/ @\d+-0 [^ ]+\r\n" + self.ASKS)
        shell.type("\x1b[A\x1b[A\r")  # the arrow up: the line before that one
        shell.sees('"name": "work"')
        shell.sees(self.ASKS)
        shell.type("no-command\r")
        shell.sees("'no-command' is no command here")
        shell.sees(self.ASKS)
        shell.type("\x04")  # Ctrl-D
        self.assertEqual(shell.ends(), 0)

        again = self.log_shell()
        again.type("\x1b[A" * 3 + "\r")  # what was typed in the one before
        again.sees(r"\n/ @\d+-0 [^ ]+\r\n" + self.ASKS)
        again.type("exit\r")
        self.assertEqual(again.ends(), 0)
        kept = self.config + "/berth/log-shell-history"
        self.assertEqual(os.stat(kept).st_mode & 0o777, 0o600)

    def test_lines_of_a_pipe_are_answered_and_nothing_else(self):
        self.up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "work", "--wait", "-q", "--", "true")

        def piped(lines):
            done = subprocess.run([rig.program("berth"), "log", "shell", self.up.data, "-q"], input=lines, capture_output=True, text=True,
                                  env=rig.environment(self.up.data), timeout=rig.PATIENCE, check=False)
            return done.returncode, done.stdout, done.stderr
        self.assertEqual(piped("ls sessions\n"), (0, "work\n", ""))
        code, out, said = piped("cat sessions/nobody\nls sessions\n")
        self.assertEqual((code, out, "no-such-file" in said), (3, "", True), said)

    def expect_the_placement_to_come_out_again(self):
        events = self.get("/v1/events?session=work&type=SessionScheduled")[1]["events"]
        at = events[0]["id"]
        status, decision = self.get(f"/v1/decisions/{at}")
        self.assertEqual(status, 200, decision)
        self.assertTrue(decision["equal"], decision)
        self.assertEqual(decision["name"], "work")
        self.assertEqual(self.up.cli.json("replay", "--decision", at), decision)
        shown = self.up.cli.ok("replay", "--decision", at, "--log", self.up.data)
        self.assertIn("Equal to the record", shown)

    def test_what_was_is_told_through_an_end_and_a_kill(self):
        up = self.up
        up.cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "work", "-q", "-o", "name")
        up.cli.wait("work")
        before = self.position()
        up.cli.ok("session", "rm", "work", "--yes", "-q")
        rig.eventually("it has ended", lambda: up.cli.session("work")["status"] == "TERMINATED")
        after = self.position()
        self.expect_the_past(before)
        self.expect_the_difference(before, after)
        self.expect_the_folder_is_browsed(before)
        self.expect_the_placement_to_come_out_again()

        up.process.kill()
        self.expect_the_folder_is_browsed(before)
        up.start()
        self.expect_the_past(before)
        self.expect_the_difference(before, after)
        up.process.stop()
        up.start()
        self.expect_the_past(before)

        self.assertEqual(self.code("/v1/agents?at=99999999", 404), "future-moment")
        self.assertEqual(self.code("/v1/agents?at=2100-01-01T00:00:00Z", 404), "future-moment")
        self.assertEqual(self.code("/v1/agents?at=2000-01-01T00:00:00Z", 410), "before-the-log")
        self.assertEqual(self.code("/v1/agents?at=2026-01-01T00:00:00", 400), "invalid-moment")
        self.assertEqual(self.code(f"/v1/events?at={before}", 400), "no-past")
        self.assertEqual(self.code(f"/v1/diff?from={after}&to={before}", 400), "swapped-ends")
        refused = up.cli("--at", before, "agent", "drain", "a1")
        self.assertEqual(refused.returncode, 2, refused.stderr)


if __name__ == "__main__":
    unittest_report.run(Past)
