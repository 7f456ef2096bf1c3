"""What a stranger without a key may do to a running Berth: nothing that lasts."""

import os
import resource
import socket
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

STRANGER = "127.0.0.2"  # all of 127.0.0.0/8 is this machine


class Strangers(unittest.TestCase):
    def connect(self, up):
        client = socket.create_connection(("127.0.0.1", up.port), timeout=rig.PATIENCE, source_address=(STRANGER, 0))
        self.addCleanup(client.close)
        return client

    def test_F11_idle_connections_stop_neither_the_cluster_nor_another_address(self):
        """With 1,024 descriptors, soft and hard, as many containers and service managers give."""
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        up = rig.Berth(below=["sh", "-c", 'ulimit -n 1024 && exec "$@"', "sh"])
        self.addCleanup(up.remove)
        up.start()

        idle = [self.connect(up) for _ in range(1_500)]
        refused = rig.eventually("one more is refused in words", lambda: self.connect(up).recv(4_096).decode())
        self.assertIn("HTTP/1.1 503 ", refused)
        self.assertIn('"code":"too-many-connections"', refused)
        up.demo(2)
        up.cli.wait("demo-2")

        for client in idle:
            client.close()
        rig.eventually("the stranger is served again", lambda: self.asks(up))
        up.cli.ok("session", "rm", "demo-1", "--wait", "--timeout", "30s", "-q")
        up.verify()

    def asks(self, up):
        client = self.connect(up)
        client.sendall(b"GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        return b"200 OK" in client.recv(4_096)


if __name__ == "__main__":
    unittest_report.run(Strangers)
