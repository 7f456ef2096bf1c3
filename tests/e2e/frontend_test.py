"""The worked web frontend of ops/frontend: built, run beside `berth up`, and used as a browser uses it."""

import http.client
import json
import os
import subprocess
import sys
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

RUN = os.path.join(rig.ROOT, "ops", "frontend", "run")


class Frontend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        subprocess.run([os.path.join(rig.ROOT, "ops", "frontend", "build")], check=True, timeout=280)
        cls.up = rig.Berth()
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.cli = cls.up.cli
        cls.cli.ok("image", "add", "python:3.11", "docker://images.test/python:3.11")  # a plain process needs its name alone
        for user in ("alice", "bob"):
            cls.cli.ok("user", "add", user, "--no-link")
        token = cls.cli.ok("producer", "add", "web", "--request", "request_session", "--request", "terminate_session", "--owner",
                           "user:alice", "-o", "name", "-q")
        cls.join(token)
        for name, owner in (("ann", "alice"), ("rob", "bob")):
            subprocess.run([RUN, "add", name, owner], cwd=cls.up.data, input=f"password of {name}\n", text=True, check=True, timeout=60)
        cls.run_it()
        cls.addClassCleanup(lambda: cls.process.kill())

    @classmethod
    def join(cls, token):
        done = subprocess.run([rig.program("berth"), "--data", cls.up.data, "producer", "join", "web", "--token-file", "-"], input=token,
                              env=rig.environment(cls.up.data), capture_output=True, text=True, timeout=60, check=True)
        with open(cls.up.data + "/web.json", "w", encoding="ascii") as file:
            file.write(done.stdout)

    @classmethod
    def run_it(cls):
        cls.port = rig.free_port()
        os.chdir(cls.up.data)
        cls.process = rig.Process([RUN, "--berth", f"http://127.0.0.1:{cls.up.port}", "--listen", f"127.0.0.1:{cls.port}"], cls.up.data,
                                  cls.up.data + "/frontend.log")
        rig.eventually("the frontend serves", lambda: "serves " in cls.process.words() or not cls.process.runs())
        assert cls.process.runs(), cls.process.words()

    def ask(self, method, path, body=None, cookie="", **headers):
        """(status, headers, body)"""
        connection = http.client.HTTPConnection(f"127.0.0.1:{self.port}", timeout=rig.PATIENCE)
        try:
            sent = {"Origin": f"http://127.0.0.1:{self.port}", "Sec-Fetch-Site": "same-origin", "Cookie": cookie,
                    "Content-Type": "application/json", **{name.replace("_", "-"): value for name, value in headers.items()}}
            connection.request(method, path, None if body is None else body if isinstance(body, str) else json.dumps(body), sent)
            reply = connection.getresponse()
            text = reply.read().decode()
            return reply.status, reply.headers, json.loads(text) if text.startswith("{") else text
        finally:
            connection.close()

    def cookie_of(self, name="ann"):
        status, headers, _ = self.ask("POST", "/login", {"name": name, "password": f"password of {name}"})
        self.assertEqual(status, 200)
        self.assertRegex(headers["Set-Cookie"], "HttpOnly; SameSite=Strict")
        return headers["Set-Cookie"].partition(";")[0]

    def launch(self, cookie, name="", **changes):
        return self.ask("POST", "/sessions", {"id": str(uuid.uuid4()), "name": name, "image": "python:3.11", "cpu": "0.1", "mem": "64m",
                                              **changes}, cookie)

    def live(self, cookie):
        """Opens the stream of rows."""
        connection = http.client.HTTPConnection(f"127.0.0.1:{self.port}", timeout=rig.PATIENCE)
        self.addCleanup(connection.close)
        connection.request("GET", "/live", headers={"Cookie": cookie})
        reply = connection.getresponse()
        self.assertEqual((reply.status, reply.headers["Content-Type"]), (200, "text/event-stream"))
        return reply

    @staticmethod
    def news(stream):
        event = data = ""
        while line := stream.readline().decode():
            if line.startswith("event: "):
                event = line[7:].strip()
            elif line.startswith("data: "):
                data = json.loads(line[6:])
            elif not line.strip() and event:
                yield event, data
                event = ""

    def test_a_launch_is_seen_running_and_ends(self):
        cookie = self.cookie_of()
        news = self.news(self.live(cookie))
        self.assertEqual(next(news)[0], "all")
        status, _, made = self.launch(cookie, "lab")
        self.assertEqual(status, 201, made)
        seen = []
        for event, row in news:
            if event == "put" and row["name"] == "lab":
                seen.append(row["status"])
                if seen[-1] == "RUNNING":
                    break
        self.assertEqual(self.cli.session("lab")["owner"]["user"], "alice")
        status, _, _ = self.ask("DELETE", f"/sessions/{made['sessions'][0]['id']}", cookie=cookie)
        self.assertEqual(status, 200)
        self.assertTrue(any(event == "gone" for event, _ in news))

    def test_asked_again_it_launches_once(self):
        cookie, request_id = self.cookie_of(), str(uuid.uuid4())
        made = [self.launch(cookie, "once", id=request_id) for _ in range(3)]
        self.assertEqual({status for status, _, _ in made}, {201})
        self.assertEqual(len({body["sessions"][0]["id"] for _, _, body in made}), 1)
        self.assertEqual(self.launch(cookie, "twice", id=request_id)[0], 409)

    def test_strangers_other_origins_and_bad_input_are_refused(self):
        cookie = self.cookie_of()
        self.assertEqual(self.launch("")[0], 401)
        self.assertEqual(self.launch("frontend=" + "x" * 43)[0], 401)
        self.assertEqual(self.ask("POST", "/login", {"name": "ann", "password": "wrong one"})[0], 401)
        self.assertEqual(self.ask("POST", "/login", {"name": ["ann"], "password": "x"})[0], 400)
        for header in ({"Origin": "http://evil.test"}, {"Sec_Fetch_Site": "cross-site"}, {"Origin": "null"}):
            self.assertEqual(self.ask("POST", "/sessions", {}, cookie, **header)[0], 403, header)
        for change in ({"name": "<img src=x onerror=alert(1)>"}, {"image": "a b"}, {"cpu": "-1"}, {"mem": "1"}, {"id": "1"}):
            self.assertEqual(self.launch(cookie, **change)[0], 400, change)
        self.assertEqual(self.ask("POST", "/sessions", "{" * 9, cookie)[0], 400)
        self.assertEqual(self.ask("POST", "/sessions", "x" * 20_000, cookie)[0], 413)
        self.assertEqual(self.ask("POST", "/sessions", "{}", cookie, Content_Type="text/plain")[0], 415)
        for path in ("/sessions/..%2f..%2fv1%2fusers", "/sessions/x", "/people.json", "/../people.json"):
            self.assertEqual(self.ask("DELETE", path, cookie=cookie)[0], 404, path)
        status, headers, page = self.ask("GET", "/")
        self.assertIn("script-src 'self'", headers["Content-Security-Policy"])
        self.assertEqual((status, "innerHTML" in page + self.ask("GET", "/app.js")[2]), (200, False))

    def test_whose_owner_is_not_in_the_scope_is_told_so(self):
        status, _, told = self.launch(self.cookie_of("rob"))
        self.assertEqual((status, told["code"]), (403, "out-of-scope"), told)
        status, _, told = self.ask("DELETE", f"/sessions/{uuid.uuid4()}", cookie=self.cookie_of())
        self.assertEqual((status, told["code"]), (404, "unknown-session"))

    def test_the_book_of_answers_has_each_once_though_it_is_killed(self):
        cookie = self.cookie_of()
        for number in range(3):
            self.assertEqual(self.launch(cookie, f"book-{number}")[0], 201)
            type(self).process.kill()
            type(self).run_it()
            cookie = self.cookie_of()
        with open(self.up.data + "/web.json", encoding="ascii") as file:
            self.assertEqual(json.load(file)["access_key"], "producer:web")
        status, page = rig.asked(self.up, "GET", "/v1/producers/web/answers?from=0&limit=1000")
        self.assertEqual(status, 200)
        told = [event["id"] for event in json.loads(page)["events"]]
        rig.eventually("the book has them all", lambda: len(self.book()) >= len(told))
        self.assertEqual(self.book(), told)

    def book(self):
        try:
            with open(self.up.data + "/answers.jsonl", encoding="utf-8") as file:
                return [json.loads(line)["id"] for line in file]
        except FileNotFoundError:
            return []

    def test_zz_a_revoked_producer_reaches_nothing(self):
        cookie = self.cookie_of()
        stream = self.live(cookie)
        news = self.news(stream)
        next(news)
        self.cli.ok("producer", "set", "web", "--disable")
        for _ in news:
            pass  # it ends
        self.assertEqual(self.launch(cookie)[0], 502)
        self.cli.ok("producer", "set", "web", "--enable")
        self.assertEqual(self.launch(cookie)[0], 201)


if __name__ == "__main__":
    if not rig.built("berth", "berth-agent"):
        sys.exit("not built: berth berth-agent")
    unittest_report.run(Frontend)
