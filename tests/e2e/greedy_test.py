"""P33: what one person asks for, however much, leaves others their answers.

The journal holds what many sessions of others left. Under each attack of one user, four others go on with what people do: they look at logs, ask why
a session waits, try a start, start sessions, look at what ended and sign in. Each of these must be answered at the 99th percentile within 500 ms, and
within five times what it takes alone (ten minutes in all with BERTH_TEST_LONG=1; in short, beside other tests, within BESIDE_OTHERS_S).
"""

import http.client
import json
import multiprocessing
import os
import sys
import threading
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import load
import unittest_report

LONG = os.environ.get("BERTH_TEST_LONG") == "1"
ALONE_S, ATTACK_S = (30, 120) if LONG else (4, 6)
SESSIONS = 40_000 if LONG else 8_000  # that others have had
MOST_S, TIMES_ALONE = 0.5, 5
BESIDE_OTHERS_S = 3.0  # a machine of two cores with two other tests
PASSWORD = "seven plain words make one password"
OTHERS = ("alice", "bob", "carol", "dave")
JOB = {"type": "batch", "resources": {"cpu": "64", "mem": "64m"}, "command": ["true"]}  # waits for ever


class Person:
    """A user with a key pair, and a connection that is kept."""

    def __init__(self, port, data, key):
        self.signer = load.Signer.__new__(load.Signer)
        with open(key, encoding="ascii") as file:
            self.signer.key = json.load(file)
        self.signer.host, self.signer.day, self.signer.signing = f"127.0.0.1:{port}", "", b""
        self.port, self.connection, self.data = port, None, data

    def ask(self, method, target, body=None, signed=True):
        """(status, bytes); a connection that broke is made anew."""
        text = json.dumps(body).encode() if body is not None else b""
        head = self.signer.head(method, target, text, "").decode().split("\r\n") if signed else []
        headers = dict(line.split(": ", 1) for line in head[1:] if ": " in line)
        if body is not None and not signed:
            headers = {"Content-Type": "application/json", "X-Berth-Version": "2"}
        for again in (False, True):
            if self.connection is None:
                self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
            try:
                self.connection.request(method, target, text or None, headers)
                reply = self.connection.getresponse()
                return reply.status, reply.read()
            except (OSError, http.client.HTTPException):
                self.connection.close()
                self.connection = None
                if again:
                    raise
        raise AssertionError("unreachable")


def percentile(times, share):
    return sorted(times)[min(len(times) - 1, int(len(times) * share))]


def attack(port, data, key, requests, streams, until, answers):
    """In a process of its own: so many connections that ask one after another, without a pause."""
    def go_on(target):
        person = Person(port, data, key)
        while time.monotonic() < until.value:
            try:
                status, _ = person.ask("GET", target)
                with answers.get_lock():
                    answers[status // 100] += 1
                if status in (429, 503):
                    time.sleep(0.05)  # as a client that keeps at it
            except OSError:
                time.sleep(0.05)

    threads = [threading.Thread(target=go_on, args=(requests[at % len(requests)],), daemon=True) for at in range(streams)]
    for thread in threads:
        thread.start()
    time.sleep(max(0.0, until.value - time.monotonic()))


class Greedy(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.up = rig.Berth(keep=True)
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        cls.keys = {name: cls.person(name) for name in (*OTHERS, "greedy")}
        cls.fill()
        cls.alone = cls.measure(ALONE_S)
        print("alone: " + cls.told(cls.alone))

    @classmethod
    def person(cls, name):
        key = os.path.join(cls.up.data, name + ".json")
        cls.up.cli.ok("user", "add", name, "--no-link")
        cls.up.cli.ok("key", "add", "--name", "test", "--user", name, "--out", key)
        person = Person(cls.up.port, cls.up.data, key)
        status, body = person.ask("POST", "/v1/sessions", {**JOB, "name": "waits"})
        assert status == 201, body
        status, body = person.ask("POST", "/v1/sessions", {"name": "runs", "type": "interactive", "resources": {"cpu": "0.1", "mem": "64m"},
                                                           "command": ["sh", "-c", "echo works; exec sleep 3600"]})
        assert status == 201, body
        return key

    @classmethod
    def fill(cls):
        """Sessions of others that ended without ever running."""
        admin = Person(cls.up.port, cls.up.data, cls.up.data + "/keys/admin.json")
        for at in range(0, SESSIONS, 100):
            status, body = admin.ask("POST", "/v1/sessions", {**JOB, "name": f"old{at}", "count": 100})
            assert status == 201, body
            ids = [one["id"] for one in json.loads(body)["sessions"]]
            status, body = admin.ask("POST", "/v1/sessions/terminate", {"ids": ids})
            assert status == 200, body
        cls.position = json.loads(body)["position"]

    @classmethod
    def measure(cls, seconds):
        """What four people wait for each thing that they do, in seconds."""
        times, lock, until = {}, threading.Lock(), time.monotonic() + seconds

        def work(name):
            person, number = Person(cls.up.port, cls.up.data, cls.keys[name]), 0
            doing = {"logs": ("GET", "/v1/sessions/runs/logs", None), "why": ("GET", "/v1/sessions/waits/why", None),
                     "dry run": ("POST", "/v1/sessions?dry_run=true", {**JOB, "name": "tried"}), "create": ("POST", "/v1/sessions", None),
                     "ended": ("GET", "/v1/sessions?state=ended&limit=20", None), "limits": ("GET", "/v1/resource", None)}
            while time.monotonic() < until:
                for what, (method, target, body) in doing.items():
                    if what == "create":
                        number += 1
                        body = {**JOB, "name": f"{name}-{int(until)}-{number}"}
                    began = time.monotonic()
                    status, reply = person.ask(method, target, body)
                    took = time.monotonic() - began
                    assert status in (200, 201), (what, status, reply)
                    with lock:
                        times.setdefault(what, []).append(took)
                    if what == "create":
                        status, reply = person.ask("DELETE", f"/v1/sessions/{name}-{int(until)}-{number}")
                        assert status == 200, reply

        faults = []

        def guarded(name):
            try:
                work(name)
            except (AssertionError, OSError) as fault:
                faults.append(f"{name}: {fault}")

        threads = [threading.Thread(target=guarded, args=(name,)) for name in OTHERS]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not faults, faults
        return times

    @staticmethod
    def told(times):
        return ", ".join(f"{what} {percentile(each, 0.5) * 1000:.0f}/{percentile(each, 0.99) * 1000:.0f} ms ({len(each)})" for what, each in times.items())

    def under(self, requests, streams):
        until = multiprocessing.Value("d", time.monotonic() + ATTACK_S + 30)
        answers = multiprocessing.Array("i", 6)  # by the hundred of the status
        attacker = multiprocessing.Process(target=attack, args=(self.up.port, self.up.data, self.keys["greedy"], requests, streams, until, answers),
                                           daemon=True)
        attacker.start()
        try:
            time.sleep(1)  # until all that it asks for is under way
            times = self.measure(ATTACK_S)
        finally:
            until.value = 0
            attacker.kill()
            attacker.join()
        print(f"{self.id().rpartition('.')[2]} ({answers[2]} answered, {answers[4]} turned away, {answers[5]} busy): " + self.told(times))
        self.assertGreater(answers[2], 0, "the attack asks for what is answered")
        late = []
        for what, each in times.items():
            took, alone = percentile(each, 0.99), percentile(self.alone[what], 0.99)
            bound = min(MOST_S, max(TIMES_ALONE * alone, 0.05)) if LONG else BESIDE_OTHERS_S
            if took > bound:
                late.append(f"{what}: {took * 1000:.0f} ms, alone {alone * 1000:.0f}")
        self.assertEqual(late, [])

    def test_differences(self):
        self.under([f"/v1/diff?from={at}" for at in range(1, 17)], 16)

    def test_events_that_are_not_there(self):
        self.under(["/v1/events?from=0&type=AgentFenced&limit=1000", "/v1/events?from=0&type=AgentLost&limit=1000"], 32)

    def test_exports(self):
        self.under(["/v1/events/export?from=0&format=csv", "/v1/events/export?from=1"], 16)

    def test_moments_of_the_past(self):
        step = max(1, self.position // 40)
        self.under([f"/v1/sessions?state=all&at={at}" for at in range(1, self.position, step)], 16)

    def test_lists_of_what_ended_and_reasons(self):
        self.under(["/v1/sessions?state=all&limit=1000", "/v1/sessions/waits/why", "/v1/usage?from=2020-01-01T00:00:00Z", "/v1/cluster?newest=true"], 32)


if __name__ == "__main__":
    if not rig.built("berth"):
        sys.exit("not built: berth")
    unittest_report.run(Greedy)
