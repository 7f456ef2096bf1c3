"""kill -9 of what runs on the embedded log: the one process, the launcher, a kernel's shim. Nothing is lost, nothing is doubled, the
kernels are the same processes, and a replay of the journal gives the live state."""

import os
import signal
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report


class Kill(unittest.TestCase):
    backend = "process"

    def up(self):
        up = rig.Berth(backend=self.backend)
        self.addCleanup(up.remove)
        up.start()
        up.demo(3)
        for name in ("demo-1", "demo-2"):
            up.cli.wait(name)
        return up

    def pids(self, up):
        return {name: up.cli.pid(name) for name in ("demo-1", "demo-2")}

    def goes_on(self, up, pids, known=True):
        """Same kernels, the third still waits; it starts when the first is ended, and every result is known."""
        self.assertEqual(up.cli.names(), {"demo-1": "RUNNING", "demo-2": "RUNNING", "demo-3": "PENDING"})
        self.assertEqual(self.pids(up), pids)
        self.assertTrue(all(map(rig.alive, pids.values())))
        up.cli.ok("session", "rm", "demo-1", "--wait", "--timeout", "60s", "-q")
        self.assertFalse(rig.alive(pids["demo-1"]))
        up.cli.wait("demo-3")
        self.assertEqual(up.cli.names(), {"demo-1": "TERMINATED", "demo-2": "RUNNING", "demo-3": "RUNNING"})
        self.assertEqual(up.cli.pid("demo-2"), pids["demo-2"])
        end = up.cli.session("demo-1")["kernels"][0]
        self.assertEqual((end["end"] != "RESULT_UNKNOWN", end["exit_code"] == 143, end["exit_code"] is None), (known, known, not known), end)
        up.verify()

    def test_of_the_whole_process_loses_and_doubles_nothing(self):
        up = self.up()
        pids = self.pids(up)
        up.process.kill()
        self.assertTrue(all(map(rig.alive, pids.values())))
        up.start()
        self.goes_on(up, pids)

    def test_of_the_whole_process_again_and_again(self):
        up = self.up()
        pids = self.pids(up)
        for _ in range(4):
            up.process.kill()
            up.start()
        self.goes_on(up, pids)

    def test_of_the_launcher_alone(self):
        up = self.up()
        pids = self.pids(up)
        os.kill(up.launcher(), signal.SIGKILL)
        self.goes_on(up, pids)

    def test_of_a_kernels_shim_alone(self):
        up = self.up()
        pids = self.pids(up)
        shim = rig.parent(pids["demo-1"])
        self.assertIn(shim, rig.kernel_processes(up.data))
        self.assertNotEqual(shim, up.launcher())
        os.kill(shim, signal.SIGKILL)
        self.goes_on(up, pids)

    def test_of_process_launcher_and_shims_at_once(self):
        up = self.up()
        pids = self.pids(up)
        below = rig.kernel_processes(up.data)
        up.process.kill()
        for pid in below:
            os.kill(pid, signal.SIGKILL)
        self.assertTrue(all(map(rig.alive, pids.values())))
        up.start()
        self.goes_on(up, pids, known=self.backend == "oci")  # a container's init notes its end itself (P23)

    def test_a_kernel_that_ends_while_nobody_looks_has_its_result(self):
        up = self.up()
        pids = self.pids(up)
        up.process.kill()
        os.kill(pids["demo-1"], signal.SIGKILL)
        up.start()
        up.cli.wait("demo-3")
        self.assertEqual(up.cli.names(), {"demo-1": "TERMINATED", "demo-2": "RUNNING", "demo-3": "RUNNING"})
        self.assertEqual(up.cli.session("demo-1")["kernels"][0]["exit_code"], 137)
        up.verify()


if __name__ == "__main__":
    if "containers" in sys.argv[1:]:
        Kill.backend = "oci"
        Kill.__name__ = "KillWithContainers"
        if not rig.has_containers():
            sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(Kill)
