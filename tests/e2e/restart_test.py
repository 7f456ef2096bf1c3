"""A restart of `berth up` that takes longer than the shortest lease ends no kernel, requeueable or not; with that lease the machine ends the
requeueable one by itself, and its session starts once more."""

import os
import signal
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

AWAY = float(os.environ.get("BERTH_TEST_AWAY", "15"))  # seconds: three of the shortest leases


class Restart(unittest.TestCase):
    def up(self, *below):
        up = rig.Berth(keep=True, below=below)
        self.addCleanup(up.remove)
        up.start()
        for name, more in (("moves", ["--requeueable"]), ("stays", [])):
            up.cli.ok("session", "run", "--cpu", "0.5", "--mem", "128m", "--name", name, *more, "-q", "-o", "name")
            up.cli.wait(name)
        return up

    def ends_no_kernel(self, which):
        up = self.up()
        pids = {name: up.cli.pid(name) for name in ("moves", "stays")}
        up.process.send(which)
        time.sleep(AWAY)  # it is the time itself that ended kernels
        self.assertTrue(all(map(rig.alive, pids.values())), pids)
        up.start()
        self.assertEqual(up.cli.names(), {"moves": "RUNNING", "stays": "RUNNING"})
        self.assertEqual({name: up.cli.pid(name) for name in pids}, pids)
        up.cli.ok("session", "rm", "moves", "stays", "--wait", "--timeout", f"{rig.PATIENCE}s", "-q")
        self.assertEqual(up.cli.session("moves")["kernels"][0]["exit_code"], 143)
        up.verify()

    def test_in_order_ends_no_kernel(self):
        self.ends_no_kernel(signal.SIGTERM)

    def test_after_kill_9_ends_no_kernel(self):
        self.ends_no_kernel(signal.SIGKILL)

    def test_longer_than_the_lease_ends_requeueable_kernels_alone_which_start_again(self):
        up = self.up("env", "BERTH__AGENT__LEASE_SECONDS=5")
        first, stays = up.cli.pid("moves"), up.cli.pid("stays")
        up.process.kill()
        rig.eventually("its machine ends the requeueable kernel", lambda: not rig.alive(first))
        self.assertTrue(rig.alive(stays))
        up.start()
        rig.eventually("the session runs once more", lambda: up.cli.session("moves")["kernels"][0]["pid"] not in (None, 0, first))
        up.cli.wait("moves")
        self.assertEqual(up.cli.names(), {"moves": "RUNNING", "stays": "RUNNING"})
        self.assertEqual(up.cli.pid("stays"), stays)
        up.verify()


if __name__ == "__main__":
    unittest_report.run(Restart)
