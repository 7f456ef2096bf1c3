"""`berth app` as people use it: an app of an image and any port of a container, reached on a port of this machine through a real server, agent and
helper. As root, with images built."""

import contextlib
import hashlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import unittest
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

WEB = ["python3", "-m", "http.server", "--bind", "127.0.0.1", "8000", "--directory"]
ENDS = ["python3", "-c", "import sys; print('no licence here'); sys.exit(4)"]
ECHO = """
import socketserver
class Echo(socketserver.BaseRequestHandler):
    def handle(self):
        while True:
            data = self.request.recv(65536)
            if not data:
                break
            self.request.sendall(data)
class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = daemon_threads = True
with Server(("127.0.0.1", 8765), Echo) as server:
    server.serve_forever()
"""


class Listener:
    """`berth app listen`, and where it listens."""

    def __init__(self, up, app, *more):
        self.child = subprocess.Popen([rig.program("berth"), "--data", up.data, "app", "listen", "demo", app, *more], env=rig.environment(up.data),
                                      stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.host, _, port = self.child.stdout.readline().strip().partition(":")
        assert port, self.child.stderr.read()
        self.port = int(port)

    def open(self):
        return socket.create_connection((self.host, self.port), timeout=rig.PATIENCE)

    def echoed(self, data):
        """What comes back of `data`, whose end is said while the answer is still on its way."""
        with self.open() as one:
            def say():
                one.sendall(data)
                one.shutdown(socket.SHUT_WR)
            speaker = threading.Thread(target=say)
            speaker.start()
            heard = bytearray()
            while piece := one.recv(65536):
                heard += piece
            speaker.join()
        return bytes(heard)

    def get(self, path="/"):
        with urllib.request.urlopen(f"http://{self.host}:{self.port}{path}", timeout=rig.PATIENCE) as reply:
            return reply.read().decode()

    def ends(self):
        """By Ctrl-C: the exit code, and what was said."""
        self.child.send_signal(signal.SIGINT)
        said = self.child.communicate(timeout=rig.PATIENCE)[1]
        return self.child.returncode, said

    def close(self):
        if self.child.poll() is None:
            self.child.kill()
        self.child.communicate()


class AppCli(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(backend="oci", keep=True)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        image = cls.up.cli.json("image", "ls")
        source = next(one["source"] for one in image if one["reference"] == "python:3.11")
        cls.up.cli.ok("image", "add", "web:1", source, "--label", "berth.apps=web:http:8000,ends:http:8001", "--label",
                      "berth.app.web.command=" + json.dumps(WEB), "--label", "berth.app.ends.command=" + json.dumps(ENDS))
        cls.up.cli.ok("session", "run", "--image", "web:1", "--cpu", "0.5", "--mem", "256m", "--name", "demo", "-q", "-o", "name")
        cls.up.cli.ok("session", "show", "demo", "--wait", "--timeout", f"{rig.PATIENCE * 4}s", "-o", "name", timeout=rig.PATIENCE * 5)

    def listen(self, app, *more):
        listener = Listener(self.up, app, *more)
        self.addCleanup(listener.close)
        return listener

    def serve_echo(self):
        """A server that no label names, from now on."""
        server = subprocess.Popen([rig.program("berth"), "--data", self.up.data, "exec", "demo", "--", "python3", "-c", ECHO],
                                  env=rig.environment(self.up.data), stdin=subprocess.DEVNULL)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        listener = self.listen("8765", "--port", "0")

        def answers():
            with contextlib.suppress(OSError):
                return listener.echoed(b"are you there") == b"are you there"
        rig.eventually("the server in the session listens", answers)
        return listener

    def state(self, app):
        return {one["name"]: one["state"] for one in self.up.cli.json("app", "ls", "demo")}[app]

    def test_an_app_is_started_reached_and_stopped(self):
        self.assertEqual(self.state("web"), "stopped")
        listener = self.listen("web", "--port", "0")
        self.assertEqual(listener.host, "127.0.0.1")
        with self.assertRaises(OSError):
            listener.get()  # nobody started it
        done = self.up.cli("app", "start", "demo", "web", "-e", "A=B", "--", "/etc")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stderr.endswith("web of demo is ready\n"), done.stderr)
        self.assertEqual(self.state("web"), "ready")
        self.assertIn("Debian", listener.get("/os-release"))
        self.assertEqual(self.up.cli("app", "start", "demo", "web").returncode, 0)
        url = self.up.cli.ok("app", "url", "demo", "web")
        self.assertEqual(url, f"http://127.0.0.1:{self.up.port}/session/{self.up.cli.session('demo')['id']}/app/web\n")
        self.assertEqual(self.up.cli.ok("app", "stop", "demo", "web"), "web\n")
        rig.eventually("the app has ended", lambda: self.state("web") == "ended")
        code, said = listener.ends()
        self.assertEqual(code, 0, said)
        self.assertIn("no-such-app", said)

    def test_an_app_that_ends_is_shown_with_what_it_printed(self):
        done = self.up.cli("app", "start", "demo", "ends")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("no licence here\nberth: app-ended: ends of demo has ended with exit code 4", done.stderr)

    def test_any_port_takes_bytes_both_ways_and_many_at_once(self):
        listener = self.serve_echo()
        data = os.urandom(20 << 20)
        self.assertEqual(hashlib.sha256(listener.echoed(data)).digest(), hashlib.sha256(data).digest())
        with contextlib.ExitStack() as stack:
            opened = [stack.enter_context(listener.open()) for _ in range(20)]
            for number, one in enumerate(opened):
                one.sendall(b"%02d" % number)
            self.assertEqual([one.recv(2) for one in opened], [b"%02d" % number for number in range(20)])
            code, said = listener.ends()
            self.assertEqual(code, 0, said)
            with self.assertRaises(ConnectionResetError):
                opened[0].recv(1)

    def test_a_port_that_nobody_serves_and_one_that_is_taken_are_said(self):
        listener = self.listen("9", "--port", "0")
        with self.assertRaises(ConnectionResetError), listener.open() as one:
            one.recv(1)
        done = self.up.cli("app", "listen", "demo", "9", "--port", str(listener.port))
        self.assertEqual(done.returncode, 5, done.stderr)
        self.assertIn(f"port-in-use: somebody listens on 127.0.0.1:{listener.port} already", done.stderr)
        self.assertIn("port-not-open", listener.ends()[1])

    def test_z_a_server_that_was_killed_is_found_again(self):
        listener = self.serve_echo()
        with listener.open() as one:
            one.sendall(b"x")
            self.assertEqual(one.recv(1), b"x")
            self.up.process.kill()
            with self.assertRaises(ConnectionResetError):
                one.recv(1)
        self.up.start()
        again = self.serve_echo()  # a program of exec ends with its connection
        self.assertEqual(listener.echoed(b"after"), b"after")
        again.close()
        self.assertEqual(listener.ends()[0], 0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest_report.run(AppCli)
