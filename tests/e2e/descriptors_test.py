"""Few descriptors: questions of health are answered, a limit that is too low is said, and what was short goes on by itself."""

import http.client
import os
import resource
import socket
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report


class Descriptors(unittest.TestCase):
    def berth(self, limit, backend="process"):
        up = rig.Berth(backend=backend, below=["sh", "-c", f'ulimit -n {limit} && exec "$@"', "sh"])
        self.addCleanup(up.remove)
        return up

    def ready(self, up):
        connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=5)
        try:
            connection.request("GET", "/readyz")
            return connection.getresponse().status
        finally:
            connection.close()

    def test_readyz_answers_at_48_descriptors_with_80_idle_connections(self):
        up = self.berth(48, backend="fake")
        up.start()
        idle = [socket.create_connection(("127.0.0.1", up.port), timeout=5, source_address=(f"127.0.0.{2 + i % 8}", 0)) for i in range(80)]
        for one in idle:
            self.addCleanup(one.close)
        for _ in range(10):
            self.assertEqual(self.ready(up), 200, up.process.words())
        up.cli.ok("agent", "ls")

    def test_a_limit_that_is_too_low_is_said(self):
        up = self.berth(38)
        process = up.launch()
        self.assertEqual(process.child.wait(rig.PATIENCE), 1)
        # What finds none first, says so: the server, or the console's files before it.
        self.assertRegex(process.words(), "descriptors-too-few: this process may open 38 descriptors|console-unreadable|Too many open files")

    def test_a_server_whose_limit_is_lowered_and_raised_again_goes_on(self):
        up = self.berth(1024)
        up.start()
        pid = up.process.child.pid
        before = resource.prlimit(pid, resource.RLIMIT_NOFILE)
        resource.prlimit(pid, resource.RLIMIT_NOFILE, (4, before[1]))
        with self.assertRaises(OSError):
            rig.asked(up, "GET", "/v1/agents")
        resource.prlimit(pid, resource.RLIMIT_NOFILE, before)
        rig.eventually("it is ready again", lambda: self.ready(up) == 200)
        self.assertTrue(up.process.runs())
        up.demo(1)
        up.cli.wait("demo")
        up.verify()


if __name__ == "__main__":
    unittest_report.run(Descriptors)
