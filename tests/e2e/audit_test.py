"""What an auditor does, on a real `berth up`: the commands of ops/runbooks/audit.md as they stand there, by a monitor's key; then the same log, changed."""

import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report


def commands_of(book):
    with open(os.path.join(ROOT, "ops", "runbooks", book), encoding="utf-8") as file:
        return file.read().split("```\n")[1]


class Audit(unittest.TestCase):
    def setUp(self):
        self.up = rig.Berth(keep=True)
        self.addCleanup(self.up.remove)
        self.up.start()
        self.cli = self.up.cli

    def head_of_all_that_is(self):
        """A head is signed over what happened before it; the leader does so some seconds later. Where the last record is the head's own,
        nothing is signed after it, since nothing happened."""
        def last():
            return int(self.cli.json("past")["last"]["position"].partition("-")[0])

        def signed():
            before = last()
            status, body = rig.asked(self.up, "GET", "/v1/audit/head")
            told = json.loads(body)
            return status == 200 and told["signed"] and (told["offset"] > before or told["offset"] == before == last())
        rig.eventually("a head is signed over it", signed, 60)

    def test_what_an_auditor_does_from_a_cold_start(self):
        cli, up = self.cli, self.up
        cli.ok("session", "run", "--cpu", "0.1", "--mem", "64m", "--name", "work", "-q", "-o", "name")
        cli.wait("work")
        self.head_of_all_that_is()

        folder = tempfile.mkdtemp(prefix="berth-audit-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        programs = os.path.join(folder, "bin")
        os.mkdir(programs)
        with open(os.path.join(programs, "berth"), "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\nexec " + shlex.join([rig.program("berth"), "--data", up.data, *cli.more]) + " \"$@\"\n")
        os.chmod(os.path.join(programs, "berth"), 0o755)
        os.symlink(os.path.join(ROOT, "ops"), os.path.join(folder, "ops"))
        ran = subprocess.run(["bash", "-exc", commands_of("audit.md")], cwd=folder, capture_output=True, text=True, check=False,
                             env={**rig.environment(up.data), "PATH": programs + ":" + os.environ["PATH"]}, timeout=120)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        head = os.path.join(folder, "head.json")
        with open(os.path.join(folder, "events.csv"), encoding="utf-8", newline="") as file:
            events = file.read()
        self.assertTrue(events.startswith("id,time,type,noun,actor,"), events[:200])
        self.assertIn("SessionRequested,session,", events)
        self.assertTrue(events.rpartition("\r\n#end,")[2], "its last line")

        # The folder of the log, with no server.
        up.process.stop()
        offline = cli("audit", "verify", "--head", head, "--log", up.data)
        self.assertEqual(offline.returncode, 0, offline.stderr)
        self.assertIn("extended", offline.stdout)

        # One byte of the export is another one.
        with open(os.path.join(folder, "journal.jsonl"), encoding="utf-8") as file:
            lines = file.read().splitlines()
        at = next(i for i, line in enumerate(lines) if '"offset":3,' in line.replace(" ", ""))
        record = json.loads(lines[at])
        text = record["payload"]
        record["payload"] = text[:80] + ("A" if text[80] != "A" else "B") + text[81:]
        lines[at] = json.dumps(record)
        changed = os.path.join(folder, "changed.jsonl")
        with open(changed, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        found = cli("audit", "verify", "--head", head, "--log", changed)
        self.assertEqual(found.returncode, 1, found.stderr)
        self.assertIn("first bad offset 3", found.stderr)


if __name__ == "__main__":
    unittest_report.run(Audit)
