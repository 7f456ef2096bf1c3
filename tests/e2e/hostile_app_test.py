"""Apps and terminals under hostile hands: apps that never serve, labels that are none, tickets and names of others, clients that do not read. Each is a
clear error, in nobody's way, and nothing is lost. As root, with images built."""

import json
import os
import signal
import socket
import subprocess
import sys
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report
from app_browser import AppBrowser
from web_socket import Refused, WebSocket

SERVES = "import http.server; print('here', flush=True); http.server.test(http.server.SimpleHTTPRequestHandler, port={port}, bind='{address}')"
APPS = {"web": SERVES.format(port=8000, address="127.0.0.1"), "never": "import time; print('still thinking', flush=True); time.sleep(1000)",
        "elsewhere": SERVES.format(port=8002, address="127.0.0.2"), "beside": SERVES.format(port=9999, address="127.0.0.1"),
        "deaf": "import socket, time; s = socket.socket(); s.bind(('127.0.0.1', 8004)); s.listen(0); print('deaf', flush=True); time.sleep(1000)"}
PORTS = {"web": 8000, "never": 8001, "elsewhere": 8002, "beside": 8003, "deaf": 8004}


class HostileApp(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(backend="oci", keep=True)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.source = next(one["source"] for one in cls.up.cli.json("image", "ls") if one["reference"] == "python:3.11")
        labels = ["--label", "berth.apps=" + ",".join(f"{name}:http:{port}" for name, port in PORTS.items())]
        for name, script in APPS.items():
            labels += ["--label", f"berth.app.{name}.command=" + json.dumps(["python3", "-u", "-c", script])]
        cls.up.cli.ok("image", "add", "site", cls.source, *labels)
        for session in ("one", "two"):
            cls.up.cli.ok("session", "run", "--image", "site", "--cpu", "0.3", "--mem", "256m", "--name", session, "-q", "-o", "name")
            cls.up.cli.ok("session", "show", session, "--wait", "--timeout", f"{rig.PATIENCE * 4}s", "-o", "name", timeout=rig.PATIENCE * 5)
        with open(os.path.join(cls.up.data, "login-link"), encoding="utf-8") as file:
            cls.browser = AppBrowser(cls.up, file.read())

    def state(self, app):
        return {one["name"]: one["state"] for one in self.up.cli.json("app", "ls", "one")}[app]

    def get(self, cookie, host, target="/", **headers):
        return self.browser.ask("GET", target, host=host, Cookie=cookie, **headers)

    def serves(self):
        """The good app, as it was."""
        self.up.cli.ok("app", "start", "one", "web")
        cookie, host = self.browser.enter("one", "web")
        self.assertIn("Directory listing", self.get(cookie, host).body)

    # ---- apps that never serve ----

    def test_an_app_that_never_listens_or_listens_elsewhere_is_said_with_what_it_printed(self):
        for app, printed in (("never", "still thinking"), ("elsewhere", "here"), ("beside", "here")):
            began = time.monotonic()
            done = self.up.cli("app", "start", "one", app, "--timeout", "3s")
            self.assertEqual(done.returncode, 7, done.stderr)
            self.assertLess(time.monotonic() - began, 30)
            self.assertIn("berth: app-not-ready: ", done.stderr)
            self.assertIn("127.0.0.1", done.stderr)
            self.assertIn(printed, done.stderr)
            self.assertEqual(self.state(app), "starting")
            cookie, host = self.browser.enter("one", app)
            told = self.get(cookie, host)
            self.assertEqual(told.status, 503, told.body)
            self.assertIn("port-not-open", told.body)
            self.serves()
            self.up.cli.ok("app", "stop", "one", app)
            self.assertEqual(self.state(app), "ended")

    def test_an_app_that_takes_no_connection_is_said_and_is_in_nobodys_way(self):
        self.up.cli("app", "start", "one", "deaf", "--timeout", "5s")
        cookie, host = self.browser.enter("one", "deaf")
        asked = []
        self.addCleanup(lambda: [one.close() for one in asked])
        for _ in range(20):  # as many as its queue takes, and more
            one = socket.create_connection(("127.0.0.1", self.up.port), timeout=rig.PATIENCE)
            one.sendall(f"GET / HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n\r\n".encode())
            asked.append(one)
        self.serves()
        self.up.cli.ok("app", "stop", "one", "deaf")
        self.serves()

    def test_an_image_with_a_bad_port_is_refused_and_is_not_there(self):
        before = len(self.up.cli.json("image", "ls"))
        command = ["--label", 'berth.app.web.command=["true"]']
        for apps in ("web:http:0", "web:http:65536", "web:http:99999999999999999999", "web:http:-1", "web:http:8e3", "web:http:", "web:http", "web:8000:http",
                     "web:http:2000", "web:http:2001", "web:http:2200", "web:http:7681", "web:http:8000,web2:http:8000", "Web:http:8000", "web:ftp:8000"):
            done = self.up.cli("image", "add", "bad:1", self.source, "--label", "berth.apps=" + apps, *command)
            self.assertNotEqual(done.returncode, 0, apps)
            self.assertIn("image-label-invalid", done.stderr, apps)
        self.assertEqual(len(self.up.cli.json("image", "ls")), before)

    # ---- tickets and names ----

    def test_a_ticket_opens_once_and_its_own_app_alone(self):
        self.up.cli.ok("app", "start", "one", "web")
        ticket, host = self.browser.ticket("one", "web")
        _, other = self.browser.ticket("two", "web")
        _, beside = self.browser.ticket("one", "never")
        for wrong in (other, beside):
            told = self.browser.exchange(ticket, wrong)
            self.assertEqual((told.status, told.headers["Set-Cookie"]), (401, None), told.body)
        self.assertEqual(self.browser.exchange(ticket, host, origin="http://" + other).status, 403)
        told = self.browser.exchange(ticket, host)
        self.assertEqual(told.status, 303)
        again = self.browser.exchange(ticket, host)
        self.assertEqual((again.status, again.headers["Set-Cookie"]), (401, None))
        self.assertIn("ticket-used", again.body)
        cookie = told.headers["Set-Cookie"].partition(";")[0]
        self.assertIn("Directory listing", self.get(cookie, host).body)  # nothing of that closed it
        self.up.process.kill()
        self.up.start()
        self.assertIn("ticket-expired", self.browser.exchange(ticket, host).body)

    def test_with_the_host_of_another_app_a_cookie_opens_nothing(self):
        self.up.cli.ok("app", "start", "one", "web")
        self.up.cli.ok("app", "start", "two", "web")
        cookie, host = self.browser.enter("one", "web")
        other_cookie, other = self.browser.enter("two", "web")
        _, beside = self.browser.ticket("one", "beside")
        for wrong in (other, beside):
            self.assertEqual(self.get(cookie, wrong).status, 401)
        self.assertEqual(self.get(other_cookie, host).status, 401)
        port = host.partition(":")[2]
        for nobody in (f"x.localhost:{port}", f"web--{'0' * 31}.localhost:{port}", f"web--{'g' * 32}.localhost:{port}", host.replace("web--", "web---"),
                       host.partition(":")[0] + ":1", f"a.{host}", f"{host.partition(':')[0]}.:{port}"):
            told = self.get(cookie, nobody, "/v1/whoami")
            self.assertEqual(told.status, 421, (nobody, told.body))
        for foreign in (f"evil.example:{port}", f"web--x.evil.example:{port}"):
            self.assertEqual(self.get(cookie, foreign, "/v1/whoami").status, 401)
            self.assertEqual(self.get(self.browser.cookie, foreign, "/v1/whoami").status, 421)  # the console's own
        for target in ("/v1/whoami", "/v1/sessions", "/openapi.json", "/metrics"):
            told = self.get(cookie, host, target)  # on this origin they are the app's
            self.assertEqual(told.status, 404, target)
            self.assertIn("Error response", told.body)
        self.assertEqual(self.get(self.browser.cookie, host).status, 401)
        self.assertEqual(self.browser.ask("GET", "/v1/whoami", host=host, Cookie=self.browser.cookie).status, 401)
        console = f"127.0.0.1:{self.up.port}"
        self.assertEqual(self.get(cookie, console, "/v1/whoami").status, 401)
        for request in (f"GET http://{other}/ HTTP/1.1\r\nHost: {host}", f"GET / HTTP/1.1\r\nHost: {host}\r\nHost: {other}", f"GET / HTTP/1.1\r\nHost: {host}, {other}",
                        f"CONNECT {other} HTTP/1.1\r\nHost: {host}"):
            with socket.create_connection(("127.0.0.1", self.up.port), timeout=rig.PATIENCE) as one:
                one.sendall(f"{request}\r\nCookie: {other_cookie}\r\nConnection: close\r\n\r\n".encode())
                status = int(one.recv(1 << 16).split()[1])
            self.assertIn(status, (400, 401, 421), request)
        self.assertIn("Directory listing", self.get(cookie, host).body)
        self.assertIn("Directory listing", self.get(other_cookie, other).body)

    # ---- terminals ----

    def resident(self):
        """Bytes of memory of the server and its agent."""
        with open(f"/proc/{self.up.process.child.pid}/status", encoding="ascii") as file:
            return next(int(line.split()[1]) << 10 for line in file if line.startswith("VmRSS:"))

    def test_terminals_whose_clients_never_read_stop_neither_shell_nor_others_and_cost_little(self):
        shell = WebSocket(self.up, "/v1/sessions/one/shell")
        self.addCleanup(shell.close)
        shell.begin(name="loud", command=["/bin/sh"])
        before = self.resident()
        deaf = []
        self.addCleanup(lambda: [one.close() for one in deaf])
        for _ in range(16):
            one = WebSocket(self.up, "/v1/sessions/one/shell")
            one.begin(name="loud", existing=True)
            deaf.append(one)
        shell.type("head -c 50000000 /dev/zero | tr '\\0' x; echo; echo all-$((40 + 2))\r")
        self.assertIn("all-42", shell.until("all-42"))
        self.serves()
        self.assertLess(self.resident() - before, 64 << 20)
        for one in deaf:  # they are told what they lost, and are where the shell is
            one.until("all-42")

    def test_a_program_whose_client_never_reads_waits_and_ends_with_it(self):
        deaf = WebSocket(self.up, "/v1/sessions/one/exec")
        deaf.begin(command=["sh", "-c", "echo $$ >/tmp/deaf; exec cat /dev/zero"])
        self.serves()
        pid = self.up.cli.ok("exec", "one", "--", "cat", "/tmp/deaf").strip()
        self.assertEqual(self.up.cli("exec", "one", "--", "test", "-e", "/proc/" + pid).returncode, 0)
        deaf.close()
        rig.eventually("it ends", lambda: self.up.cli("exec", "one", "--", "test", "-e", "/proc/" + pid).returncode != 0)

    def test_more_streams_than_a_person_may_have_are_refused_and_the_rest_goes_on(self):
        opened = []
        self.addCleanup(lambda: [one.close() for one in opened])
        refused = None
        for _ in range(80):
            try:
                one = WebSocket(self.up, "/v1/sessions/two/exec")
            except Refused as too_many:
                refused = too_many.code
                break
            opened.append(one)
            one.begin(command=["cat"])
        self.assertEqual(refused, "too-many-streams")
        opened[0].type("still")
        self.assertEqual(opened[0].message(), b"\x01still")
        for one in opened:
            one.close()
        rig.eventually("there is room again", lambda: self.up.cli("exec", "two", "--", "true").returncode == 0)


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    if not rig.has_containers():
        sys.exit("containers need root and build/images: ops/images/build python:3.11")
    unittest_report.run(HostileApp)
