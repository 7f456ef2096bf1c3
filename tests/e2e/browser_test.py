"""The console of a real `berth up` in Chromium: the scripts of ops/console/test, for which these tests make people and kill the server."""

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
from egress_test import index_answers

CONSOLE = os.path.join(rig.ROOT, "ops", "console")
# An app that wants what is not its own: it answers with what it was asked with, and with every header that could reach beyond its origin.
HOSTILE = """
import http.server, json
WORKER = "self.addEventListener('fetch', (event) => event.respondWith(new Response('of the worker')))"
SAYS = [("Set-Cookie", "own=1"), ("Set-Cookie", "of-domain=1; Domain=localhost"), ("Set-Cookie", "berth_app=planted; Path=/"),
        ("Set-Cookie", "__Host-berth_planted=1; Path=/; Secure"), ("Access-Control-Allow-Origin", "*"), ("Access-Control-Allow-Credentials", "true"),
        ("Service-Worker-Allowed", "/"), ("Clear-Site-Data", '"*"'), ("Strict-Transport-Security", "max-age=1000")]
class Hostile(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        script = self.path.endswith("worker.js")
        body = (WORKER if script else json.dumps(dict(self.headers.items()), indent=1)).encode()
        self.send_response(200)
        for name, value in [("Content-Type", "text/javascript" if script else "text/html"), ("Content-Length", str(len(body))), *SAYS]:
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)
http.server.ThreadingHTTPServer(("127.0.0.1", 8001), Hostile).serve_forever()
"""
WEB = ["python3", "-m", "http.server", "8000", "--bind", "127.0.0.1"]


def token_of(link):
    return link.strip().rpartition("/")[2]


def source_of(up, reference):
    return next(image["source"] for image in up.cli.json("image", "ls") if image["reference"] == reference)


class Cell:
    """A controller, which serves the API, and an agent of containers, each a process of its own, on one broker."""

    def __init__(self, test):
        self.data = tempfile.mkdtemp(prefix="berth-e2e-")
        test.addCleanup(shutil.rmtree, self.data, True)
        self.port, broker = rig.free_port(), rig.free_port()
        for folder in ("/broker", "/volume"):
            os.mkdir(self.data + folder, 0o700)
        test.addCleanup(self.broker, "stop", "--kill")
        url = self.broker("start", "--port", str(broker)) + "/kills"
        self.cli = rig.Cli(self.data)
        self.key = self.data + "/a1.json"
        self.words = {
            "server": ["berth-controller", "--log", url, "--allow-one-replica", "--data", self.data, "--port", str(self.port), "--public-url",
                       f"http://127.0.0.1:{self.port + 1}"],
            "agent": ["berth-agent", "--log", url, "--key-file", self.key, "--data", self.data + "/agent", "--backend", "oci", "--volume",
                      f"local={self.data}/volume"]}
        self.parts = {}
        test.addCleanup(rig.end_kernels, self.data)
        test.addCleanup(lambda: [part.kill() for part in self.parts.values()])

    def broker(self, action, *words):
        done = subprocess.run([os.path.join(rig.ROOT, "ops", "kafka", action), "--data", self.data + "/broker", *words], capture_output=True,
                              text=True, timeout=300, check=True)
        return done.stdout.strip()

    def enrol(self):
        with open(os.open(self.key, os.O_CREAT | os.O_WRONLY, 0o600), "w", encoding="ascii") as file:
            file.write(self.cli.ok("agent", "enroll", "a1"))

    def start(self, name):
        program, *words = self.words[name]
        self.parts[name] = rig.Process([rig.program(program), *words], self.data, f"{self.data}/{name}.log")

    def ended(self, name):
        if not self.parts[name].runs():
            raise AssertionError(f"the {name} ended by itself: {self.parts[name].words()[-2000:]}")
        return False

    @property
    def process(self):
        """The server."""
        return self.parts["server"]


class Browser(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.common = None

    def together(self, *names):
        """The Berth that the walks of plain people have in common, and new people on it: the tokens of their links. What runs of others is ended."""
        if not self.common:
            Browser.common = rig.Berth(backend="oci" if rig.has_containers() else "process", keep=True)
            self.common.more = ["--public-url", f"http://127.0.0.1:{self.common.port + 1}"]
            self.addClassCleanup(self.common.remove)
            self.common.start()
        up = self.common
        live = up.cli.ok("session", "ls", "-q", "-o", "name").split()
        if live:
            up.cli.ok("session", "end", *live, "--wait")
        return up, {name: self.person(up, name) for name in names}

    def person(self, up, name, *more):
        up.cli.ok("user", "add", name, "--no-link", *more)
        return token_of(up.cli.json("login-link", name)["url"])

    def start(self, at_proxy=True):
        """A Berth that nobody has signed in to, and the token of its first link. The console is reached by the port above its own if `at_proxy`."""
        up = rig.Berth(backend="oci" if rig.has_containers() else "process", keep=True)
        if at_proxy:
            up.more = ["--public-url", f"http://127.0.0.1:{up.port + 1}"]
        self.addCleanup(up.remove)
        up.start()
        with open(os.path.join(up.data, "login-link"), encoding="utf-8") as file:
            return up, token_of(file.read())

    def walk(self, up, script, told, steps, server=None, acts=None):
        """Runs a script that tells each of its steps by a line, and does what it asks for by a line: `restart` kills the server and starts it
        again."""
        acts = acts or {"restart": lambda: (up.process.kill(), up.start())}
        child = subprocess.Popen(
            ["bash", "-c", rig.CONSOLE_SCRIPT, "ops/console/check", script, server or f"http://127.0.0.1:{up.port}", told], cwd=rig.ROOT, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            env={**os.environ, "BERTH_SCREENSHOT": os.path.join(rig.ROOT, "build", "browser_failed.png")})
        lines = []
        for line in child.stdout:
            lines.append(line)
            if line.strip() in acts:
                acts[line.strip()]()
                child.stdin.write("done\n")
                child.stdin.flush()
        child.stdin.close()
        child.stdout.close()
        self.assertEqual(child.wait(rig.PATIENCE), 0, "".join(lines) + up.process.words()[-2000:])
        self.assertEqual(sum(line.startswith("ok ") for line in lines), steps, "".join(lines))
        print("".join(lines), end="", file=sys.stderr)

    def test_a_stranger_works_from_the_link_to_the_end(self):
        up, token = self.start()
        self.walk(up, "test/real.mjs", token, steps=8)

    def test_few_actions_lead_to_a_session_and_to_a_user_with_a_limit(self):
        up, token = self.start()
        self.walk(up, "test/real/actions.mjs", token, steps=2)

    def test_a_session_that_has_ended_is_seen_running_in_the_past(self):
        up, token = self.start()
        path = os.path.join(up.data, "usage.json")

        def usage():
            with open(path, encoding="utf-8") as file:
                window = json.load(file)
            answer = up.cli.json("usage", "--from", window["from"], "--to", window["to"])
            with open(path, "w", encoding="utf-8") as file:
                json.dump(answer, file)

        self.walk(up, "test/real/past.mjs", json.dumps({"token": token, "usage": path}), steps=9, acts={"usage": usage})

    def test_a_terminal_is_worked_in_and_outlives_a_cut(self):
        up, tokens = self.together("tom")
        self.walk(up, "test/real/terminal.mjs", tokens["tom"], steps=8)

    def test_folders_keep_files_beyond_sessions_and_are_shared(self):
        if not rig.has_containers():
            self.skipTest("folders are of containers")
        up, tokens = self.together("sam", "uma")
        self.walk(up, "test/real/storage.mjs", json.dumps(tokens), steps=8)

    def test_apps_of_an_image_open_in_windows_of_their_own(self):
        if not rig.has_containers():
            self.skipTest("apps are of containers")
        up, tokens = self.together("ada")
        broken = ["python3", "-c", "print('no such luck', flush=True); raise SystemExit(3)"]
        self.add_image(up, "site", "web:http:8000,broken:http:8001", {"berth.app.web.title": "Web"}, web=WEB, broken=broken)
        self.walk(up, "test/real/apps.mjs", tokens["ada"], steps=7)

    def test_a_hostile_app_gets_nothing_of_the_console_or_of_another_app(self):
        if not rig.has_containers():
            self.skipTest("apps are of containers")
        up, tokens = self.together("hugo")
        self.add_image(up, "hostile", "web:http:8000,hostile:http:8001", {}, web=WEB, hostile=["python3", "-c", HOSTILE])
        self.walk(up, "test/real/hostile.mjs", tokens["hugo"], steps=10)

    def test_an_app_below_the_consoles_own_host_plants_no_cookie_there(self):
        if not rig.has_containers():
            self.skipTest("apps are of containers")
        up = rig.Berth(backend="oci", keep=True)
        address = f"https://console.test:{up.port}"
        up.more = ["--tls", "--public-url", address, "--app-domain", f"https://apps.console.test:{up.port}"]
        self.addCleanup(up.remove)
        up.start()
        self.add_image(up, "hostile", "web:http:8000,hostile:http:8001", {}, web=WEB, hostile=["python3", "-c", HOSTILE])
        self.walk(up, "test/real/hostile.mjs", self.person(up, "hugo"), steps=10, server=address)

    def add_image(self, up, name, apps, labels, **commands):
        """python:3.11 with apps."""
        labels = {"berth.apps": apps, **labels, **{f"berth.app.{app}.command": json.dumps(command) for app, command in commands.items()}}
        up.cli.ok("image", "add", name, source_of(up, "python:3.11"),
                  *[word for label, value in labels.items() for word in ("--label", f"{label}={value}")])

    def test_the_manuals_exercise_works_in_jupyter(self):
        if not rig.has_containers() or not os.path.exists(os.path.join(rig.images(), "jupyter", "index.json")):
            self.skipTest("there is no image jupyter: ops/images/build jupyter makes it")
        up, tokens = self.together("jo", "otto")
        with open(os.path.join(up.data, "login-link"), encoding="utf-8") as file:
            tokens["admin"] = token_of(file.read())
        with open(os.path.join(rig.ROOT, "ops", "images", "jupyter", "labels"), encoding="utf-8") as file:
            labels = file.read().splitlines()
        up.cli.ok("image", "add", "jupyter:4.6", f"oci:{rig.images()}/jupyter:4.6", *[word for label in labels for word in ("--label", label)])
        self.walk(up, "test/real/jupyter.mjs", json.dumps({**tokens, "hasIndex": index_answers()}), steps=10)

    def test_an_agent_and_a_server_are_killed_alone_under_what_a_person_does(self):
        if not rig.has_containers():
            self.skipTest("folders are of containers")
        cell = Cell(self)
        cell.start("server")
        rig.eventually("the server serves", lambda: " serves " in cell.process.words())
        cell.enrol()
        cell.start("agent")
        rig.eventually("the agent is ALIVE", lambda: "a1" in cell.cli("agent", "ls", "--state", "ALIVE", "-o", "name", "-q").stdout or
                       cell.ended("agent"))
        cell.cli.ok("image", "add", "python:3.11", f"oci:{rig.images()}/python:3.11")
        acts = {"kill agent": lambda: cell.parts["agent"].kill(), "start agent": lambda: cell.start("agent"),
                "restart server": lambda: (cell.process.kill(), cell.start("server"))}
        self.walk(cell, "test/real/kills.mjs", self.person(cell, "kim"), steps=4, acts=acts)

    def test_each_role_sees_and_does_what_the_table_of_rights_gives(self):
        up, token = self.start()
        up.cli.ok("domain", "add", "lab")
        for project in ("lab/ml", "lab/ops"):
            up.cli.ok("project", "add", project)
        tokens = {"admin": token}
        for name, *more in [("dora", "--domain", "lab", "--role", "domain-admin", "--project", "ops"), ("paul", "--domain", "lab", "--project", "ml"),
                            ("ursula", "--domain", "lab", "--project", "ml"), ("oscar",), ("mona", "--role", "monitor")]:
            up.cli.ok("user", "add", name, "--no-link", *more)
            tokens[name] = token_of(up.cli.json("login-link", name)["url"])
        up.cli.ok("project", "member", "set", "lab/ml", "paul", "--admin")
        self.walk(up, "test/real/roles.mjs", json.dumps(tokens), steps=9)

    def test_every_page_is_free_of_serious_faults_of_accessibility(self):
        up, token = self.start()
        up.cli.ok("user", "add", "bob", "--no-link", "--display-name", "Bob Park")
        up.cli.ok("limit", "set", "user", "bob", "--slot", "cpu=4", "--slot", "mem=16g")
        self.walk(up, "test/real/pages.mjs", token, steps=5)


if __name__ == "__main__":
    unittest_report.run(Browser)
