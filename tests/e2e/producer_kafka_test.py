"""A producer that appends to `requests` on Kafka itself, by events/FORMAT.md alone; what is hostile of its kind is refused, counted and costs
nobody anything; its answers are told exactly once, through cuts and a kill -9."""

import json
import os
import re
import signal
import subprocess
import sys
import unittest
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import producer
import unittest_report
from kafka_test import start_broker

APPEND = os.path.join(os.path.dirname(rig.BIN), "tests", "kafka_append")


class Producers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        start_broker(cls)
        cls.up = rig.Berth(log=cls.url + "/producers")
        cls.addClassCleanup(cls.up.remove)
        cls.up.start()
        for user in ("alice", "bob"):
            cls.up.cli.ok("user", "add", user, "--no-link")

    def setUp(self):
        """Each test has a producer of its own, for alice."""
        self.name = "web-" + uuid.uuid4().hex[:8]
        self.key = self.join(self.cli("producer", "add", self.name, "--request", "request_session", "--request", "terminate_session",
                                      "--owner", "user:alice", "-o", "name", "-q"))

    def cli(self, *words):
        return self.up.cli.ok(*words)

    def join(self, token):
        done = subprocess.run([rig.program("berth"), "--data", self.up.data, "producer", "join", self.name, "--token-file", "-"],
                              env=rig.environment(self.up.data), input=token, capture_output=True, text=True, timeout=2 * rig.PATIENCE, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return producer.Key(done.stdout)

    def append(self, *payloads, key=b"", end=""):
        """What the broker says to each."""
        lines = "".join(f"{producer.crc32c(key) % 4} {key.hex() or '00'} {payload.hex()}\n" for payload in payloads)
        done = subprocess.run([APPEND, self.url.partition("//")[2], "producers.c0.requests", *([end] if end else [])], input=lines,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.splitlines()

    def refused(self, reason):
        status, text = rig.asked(self.up, "GET", "/metrics")
        self.assertEqual(status, 200)
        return int(re.search(rf'berth_producer_refused_total\{{reason="{reason}"\}} (\d+)', text.decode()).group(1))

    def counted(self, reason, before, more=1):
        rig.eventually(f"{more} {reason}", lambda: self.refused(reason) == before + more)

    def answers_to(self, request_id):
        wanted = str(uuid.UUID(bytes=request_id))
        status, page = self.key.ask(self.up.port, "GET", f"/v1/producers/{self.name}/answers?from=0&limit=1000")
        self.assertEqual(status, 200, page)
        return [event for event in page["events"] if event["request_id"] == wanted]

    def answered(self, request_id, count=1):
        return rig.eventually(f"{count} answers", lambda: (found := self.answers_to(request_id)) and len(found) == count and found)

    def ask(self, name, user="alice", **changes):
        request_id, body = self.key.request(producer.session(name), user, **changes)
        self.assertIn("durable", self.append(self.key.envelope(body), key=request_id)[0])
        return request_id, body

    def sessions(self, name):
        return [one for one in self.up.cli.json("session", "ls", "--all") if one["name"] == name]

    def test_it_launches_and_ends_its_owners_sessions(self):
        request_id, _ = self.ask("mine-" + self.name)
        answer, = self.answered(request_id)
        self.assertEqual((answer["type"], answer["actor"]), ("SessionRequested", "producer:" + self.name))
        session = answer["session"]
        self.up.cli.wait(session)
        self.assertEqual(self.up.cli.session(session)["owner"]["user"], "alice")
        end_id, end = self.key.request(producer.field(11, producer.field(1, uuid.UUID(session).bytes)))
        self.append(self.key.envelope(end), key=end_id)
        self.assertEqual(self.answered(end_id)[0]["type"], "SessionTerminating")

    def test_forged_and_unregistered_ones_are_dropped(self):
        forged, unregistered, malformed = map(self.refused, ("forged", "unregistered", "malformed"))
        request_id, body = self.key.request(producer.session("forged"))
        self.append(self.key.envelope(body, key=b"x" * 32), key=request_id)
        with open(self.up.data + "/cluster.json", encoding="ascii") as file:
            secret = bytes.fromhex(json.load(file)["secret"])
        derived = producer.hashlib.blake2b(b"berth-writer-key:producer:ghost:1", key=secret, digest_size=32).digest()
        request_id, body = self.key.request(producer.session("ghost"), actor="producer:ghost")
        self.append(self.key.envelope(body, key=derived, writer="producer:ghost", generation=1), key=request_id)
        self.append(b"not an envelope", b"BRT1" + b"\0" * 60)
        self.counted("forged", forged)
        self.counted("unregistered", unregistered)
        self.counted("malformed", malformed, 2)
        self.assertEqual(self.sessions("forged") + self.sessions("ghost"), [])

    def test_out_of_scope_is_answered(self):
        before = self.refused("out-of-scope")
        for user, body in (("bob", producer.session("bobs")), ("admin", producer.session("admins")),
                           ("alice", producer.field(34, producer.field(1, "mallory") + producer.field(2, 1)))):  # put_user
            request_id, request = self.key.request(body, user)
            self.append(self.key.envelope(request), key=request_id)
            self.assertEqual(self.answered(request_id)[0]["data"]["code"], "out-of-scope")
        self.counted("out-of-scope", before, 3)
        self.assertEqual(self.sessions("bobs") + self.sessions("admins"), [])

    def test_a_replay_is_carried_out_once(self):
        before = self.refused("replayed")
        request_id, body = self.ask("once-" + self.name)
        self.append(self.key.envelope(body), self.key.envelope(body), key=request_id)
        types = [answer["type"] for answer in self.answered(request_id, 3)]
        self.assertEqual(types, ["SessionRequested", "RequestRepeated", "RequestRepeated"])
        self.counted("replayed", before, 2)
        self.assertEqual(len(self.sessions("once-" + self.name)), 1)
        late_id, _ = self.ask("late-" + self.name, sent_ms=1)
        self.assertEqual(self.answered(late_id)[0]["type"], "RequestExpired")

    def test_oversize_is_dropped_here_or_refused_by_the_broker(self):
        before = self.refused("oversize")
        request_id, body = self.key.request(producer.session("large"), more=producer.field(8, "x" * (300 << 10)))
        self.append(self.key.envelope(body), key=request_id)
        self.counted("oversize", before)
        _, body = self.key.request(producer.session("huge"), more=producer.field(8, "x" * (3 << 20)))
        self.assertEqual(self.append(self.key.envelope(body)), ["refused MSG_SIZE_TOO_LARGE"])
        self.assertEqual(self.sessions("large") + self.sessions("huge"), [])

    def test_a_transaction_is_worth_nothing_and_its_mark_is_counted(self):
        before = self.refused("transactional")
        request_id, body = self.key.request(producer.session("aborted-" + self.name))
        self.append(self.key.envelope(body), key=request_id, end="abort")
        self.assertEqual(self.answered(request_id)[0]["type"], "SessionRequested")
        self.counted("transactional", before)
        after, _ = self.ask("after-" + self.name)
        self.answered(after)

    def test_a_rotated_and_a_revoked_key_are_worth_nothing(self):
        stale, disabled = self.refused("stale-key"), self.refused("disabled")
        old, self.key = self.key, self.join(self.cli("producer", "rotate", self.name, "-o", "name", "-q"))
        request_id, body = old.request(producer.session("old"))
        self.append(old.envelope(body), key=request_id)
        self.counted("stale-key", stale)
        request_id, _ = self.ask("new-" + self.name)
        self.answered(request_id)
        self.cli("producer", "set", self.name, "--disable")
        self.ask("off-" + self.name)
        self.counted("disabled", disabled)
        self.assertEqual(self.key.ask(self.up.port, "GET", "/v1/sessions?owner=alice")[0], 401)
        self.assertEqual(self.sessions("old") + self.sessions("off-" + self.name), [])

    def test_cut_anywhere_and_killed_between_each_answer_is_told_once(self):
        ids = [self.ask(f"cut-{number}-{self.name}", user)[0] for number in range(4) for user in ("alice", "bob")]
        for request_id in ids:
            self.answered(request_id)
        end = self.key.ask(self.up.port, "GET", f"/v1/producers/{self.name}/answers")[1]["position"]
        all_of_it = [place for place, _ in self.key.answers(self.up.port, to=end)]
        self.assertEqual(len(all_of_it), len(ids) + 1, "and that its key was collected")
        for cut in range(1, len(all_of_it)):
            if cut == len(all_of_it) // 2:
                self.up.process.kill()
                self.up.start()
            seen = [place for place, _ in self.key.answers(self.up.port, most=cut)]
            seen += [place for place, _ in self.key.answers(self.up.port, last=seen[-1], to=end)]
            self.assertEqual(seen, all_of_it, f"cut after {cut}")

    def test_zz_all_of_it_verifies(self):
        self.assertTrue(self.up.cli.json("cluster", "verify")["verified"])


if __name__ == "__main__":
    if not rig.built("berth", "berth-agent") or not os.access(APPEND, os.X_OK):
        sys.exit("not built: berth berth-agent kafka_append")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    unittest_report.run(Producers)
