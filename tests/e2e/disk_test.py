"""What a kernel may write, as a slot: asked for, placed, kept, shown; with real containers."""

import os
import sys
import unittest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), "support")]

import berth as rig
import unittest_report

MIB = 1 << 20
GIB = 1 << 30
# Fills its disk, says how much that was, and that it goes on when there is room again.
FILL = """
import os
def fill(path):
    written = 0
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                written += file.write(bytes(1 << 20))
        except OSError as error:
            print(error.strerror)
    os.remove(path)
    return written
print("home", fill("/home/work/fill") >> 20)
print("tmp", fill("/tmp/fill") >> 20)
open("/tmp/again", "w").write("again")
print("goes on")
"""


class Disk(unittest.TestCase):
    def up(self, *more, backend="oci"):
        up = rig.Berth(backend=backend, more=more)
        self.addCleanup(up.remove)
        return up.start()

    def run_session(self, up, name, *words):
        image = ["--image", "python:3.11"] if up.backend == "oci" else []
        return up.cli.ok("session", "run", *image, "--cpu", "0.1", "--mem", "128m", "--name", name, "-q", *words)

    def status(self, up, name, *wanted):
        session = up.cli.session(name)
        return session if session["status"] in wanted else None

    def disk_of(self, session):
        return int(session["resources"]["disk"])

    def test_a_kernel_fills_the_disk_that_it_asked_for_and_no_more(self):
        up = self.up("--disk", "4g")
        self.run_session(up, "fill", "--type", "batch", "--disk", "96m", "--", "python3", "-c", FILL)
        session = rig.eventually("it ends", lambda: self.status(up, "fill", "TERMINATED", "ERROR"), patience=120)
        told = up.cli.ok("session", "logs", "fill")
        self.assertEqual(session["kernels"][0]["exit_code"], 0, told)
        self.assertEqual(self.disk_of(session), 96 * MIB)
        lines = told.splitlines()
        self.assertEqual(lines[0], "No space left on device")
        for line, place in ((lines[1], "home"), (lines[3], "tmp")):
            name, written = line.split()
            self.assertEqual(name, place)
            self.assertGreater(int(written), 60, "the file system itself takes some")
            self.assertLess(int(written), 97)
        self.assertEqual(lines[4], "goes on")

    def test_it_is_placed_shown_and_filled_in(self):
        up = self.up("--disk", "4500m")  # an agent offers no more than nine tenths of what is free: a small machine has as much
        agent = up.cli.json("agent", "show", "a1")
        self.assertEqual(int(agent["slots"]["disk"]["capacity"]), 4500 * MIB)
        self.assertIs(agent["disk_enforced"], True)
        self.run_session(up, "large", "--disk", "1g")
        rig.eventually("it runs", lambda: self.status(up, "large", "RUNNING"), patience=120)
        self.assertEqual(int(up.cli.json("agent", "show", "a1")["slots"]["disk"]["taken"]), GIB)
        self.assertIn("disk 1g/", up.cli.ok("agent", "show", "a1"))
        self.run_session(up, "next", "--detach")  # by default more than is left
        waiting = rig.eventually("it waits", lambda: self.status(up, "next", "PENDING"))
        self.assertEqual(self.disk_of(waiting), 4 * GIB)
        reason = rig.eventually("the reason is known", lambda: up.cli.session("next").get("reason"))
        self.assertEqual((reason["code"], reason["slot"]), ("no-capacity", "disk"))
        self.assertIn("disk", up.cli.ok("session", "why", "next"))
        up.cli.ok("session", "end", "large")
        rig.eventually("it runs when there is room", lambda: self.status(up, "next", "RUNNING"), patience=120)
        refused = up.cli("session", "run", "--image", "python:3.11", "--cpu", "0.1", "--mem", "128m", "--disk", "1m")
        self.assertNotEqual(refused.returncode, 0)
        self.assertIn("16m to 64t", refused.stderr)

    def test_processes_are_not_kept_to_it_and_that_is_said(self):
        up = self.up("--disk", "8g", backend="process")
        agent = up.cli.json("agent", "show", "a1")
        self.assertIs(agent["disk_enforced"], False)
        self.assertIn("not enforced", up.cli.ok("agent", "show", "a1"))
        self.run_session(up, "one", "--disk", "5g")
        rig.eventually("it runs", lambda: self.status(up, "one", "RUNNING"))
        self.assertEqual(int(up.cli.json("agent", "show", "a1")["slots"]["disk"]["taken"]), 5 * GIB)

    def test_an_agent_that_bounds_each_kernel_alone_is_as_before(self):
        up = self.up("--disk-per-kernel", "64m")
        self.assertNotIn("disk", up.cli.json("agent", "show", "a1")["slots"])
        self.run_session(up, "fill", "--type", "batch", "--", "python3", "-c", FILL)
        rig.eventually("it ends", lambda: self.status(up, "fill", "TERMINATED", "ERROR"), patience=120)
        self.assertIn("goes on", up.cli.ok("session", "logs", "fill"))
        self.assertNotIn("disk", up.cli.session("fill")["resources"])


if __name__ == "__main__":
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(Disk)
