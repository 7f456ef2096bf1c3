"""The Python client against an in-process fake of the API (fake_api.py), and its signatures against the vectors of the recipe."""

import asyncio
import json
import os
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(HERE)))
sys.path[:0] = [os.path.join(ROOT, "tests", "support"), os.path.join(ROOT, "ops", "python")]

import berth
import unittest_report
from berth.call import Call
from berth.events import EventParser
from berth.signing import Unsigned, signature
from fake_api import Answer, FakeApi, problem, stream

KEY = berth.KeyPair("BK01", "the-secret")
PAGES = [Answer({"presets": [{"name": name}], "next_page_token": token, "position": 1}) for name, token in (("a", "t/1"), ("b", None))]
TWO_EVENTS = 'id: 1-0\nevent: Noted\ndata: {"n": 1}\n\n: ok\n\nid: 1-1\nevent: Noted\ndata: {"n": 2}\n\n'
END = 'id: 2-0\nevent: Noted\ndata: {"n": 3}\n\nevent: end\ndata: {"position": 2}\n\n'


class Client(unittest.TestCase):
    def setUp(self):
        sleep = mock.patch("time.sleep")
        self.sleep = sleep.start()
        self.addCleanup(sleep.stop)

    def fake(self, *answers, **options):
        fake = FakeApi(*answers, **options)
        self.addCleanup(fake.close)
        return fake

    def client(self, fake, key=KEY):
        client = berth.Client(berth.Settings(fake.endpoint, key))
        self.addCleanup(client.close)
        return client

    def pauses(self):
        return [call.args[0] for call in self.sleep.call_args_list]

    # Signatures

    def test_the_signature_is_what_the_controller_computes(self):  # the vector of signature_test.cc
        request = Unsigned("POST", "/v1/sessions?x=1", "2026-01-01T00:00:00Z", "127.0.0.1:7410", "application/json", "a-key", b"{}")
        self.assertEqual(request.string_to_sign,
                         "POST\n/v1/sessions?x=1\n2026-01-01T00:00:00Z\n127.0.0.1:7410\napplication/json\n2\n"
                         "a-key\n44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a")
        self.assertEqual(signature("the-secret", request), "43e32b19b2fa48aa1c0127ecc7a90d5d3b122c708b976990033c223d5b8032f1")

    def test_absent_headers_are_empty_lines(self):
        self.assertIn("\nh:1\n\n2\n\ne3b0c442", Unsigned("GET", "/", "2026-01-01T00:00:00Z", "h:1", "", "", b"").string_to_sign)

    def test_what_is_signed_is_what_is_sent(self):
        fake = self.fake(Answer({"position": 1}), Answer({}), Answer({}))
        client = self.client(fake)
        client.put_limit("user", "a/b ü", {"sessions": 3})
        client.list_sessions(name="x y&z", limit=2)
        client.get_session("s", estimate=True, min_position=0)
        for asked in fake.asked:
            headers = asked.headers
            expected = signature(KEY.secret_key, Unsigned(
                asked.method, asked.target, headers["X-Berth-Date"], headers["Host"], headers.get("Content-Type", ""),
                headers.get("Idempotency-Key", ""), asked.body))
            self.assertEqual(headers["Authorization"], f"BERTH-HMAC-SHA256 key=BK01, signature={expected}")
        self.assertEqual([asked.target for asked in fake.asked],
                         ["/v1/limits/user/a%2Fb%20%C3%BC", "/v1/sessions?name=x%20y%26z&limit=2&min_position=1",
                          "/v1/sessions/s?estimate=true&min_position=0"])

    def test_an_open_operation_needs_no_key_pair_and_another_says_that_it_does(self):
        fake = self.fake(Answer(b"ok\n", kind="text/plain"))
        client = self.client(fake, key=None)
        self.assertEqual(client.get_liveness(), "ok\n")
        self.assertNotIn("Authorization", fake.asked[0].headers)
        with self.assertRaisesRegex(berth.ConfigError, "needs a key pair"):
            client.get_cluster()

    def test_a_secret_is_in_no_repr(self):
        self.assertNotIn("the-secret", repr(berth.Settings(key=KEY)))

    # Answers

    def test_a_refusal_is_an_exception_of_its_status_with_all_that_the_problem_says(self):
        for status, kind in ((400, berth.BadRequest), (401, berth.Unauthenticated), (403, berth.Denied), (404, berth.NotFound),
                             (409, berth.Conflict), (500, berth.ApiError)):
            fake = self.fake(problem(status, "some-code", hint="the hint", position=7, errors=[{"place": "a", "message": "b"}]))
            with self.assertRaises(kind) as raised:
                self.client(fake).create_sessions({})
            error = raised.exception
            self.assertEqual((error.status, error.code, error.detail, error.hint, error.request_id, error.position, error.errors),
                             (status, "some-code", "the detail", "the hint", "r1", 7, [{"place": "a", "message": "b"}]))
            self.assertEqual(str(error), "some-code: the detail (the hint)")

    def test_an_error_that_is_no_problem_has_its_status_as_code(self):
        for body in (b"<html>", b"[]"):
            with self.assertRaises(berth.ApiError) as raised:
                self.client(self.fake(Answer(body, 502, "text/html"))).get_cluster()
            self.assertEqual(raised.exception.code, "http-502")

    def test_bytes_stay_bytes_and_no_body_is_none(self):
        fake = self.fake(Answer(b"\xff\n", kind="application/octet-stream"), Answer(b"", kind="application/octet-stream"),
                         Answer(b"", 204, kind=""))
        client = self.client(fake)
        self.assertEqual([client.get_session_logs("s"), client.get_session_logs("s"), client.delete_preset("a")], [b"\xff\n", b"", None])

    def test_bytes_are_sent_as_they_are(self):
        fake = self.fake(Answer({"offset": 2}))
        self.assertEqual(self.client(fake).put_chunk("data", "0" * 32, b"\xff\n", offset=0), {"offset": 2})
        self.assertEqual((fake.asked[0].body, fake.asked[0].headers["Content-Type"]), (b"\xff\n", "application/octet-stream"))

    def test_reads_are_of_a_state_that_has_the_writes_of_this_client(self):
        fake = self.fake(Answer({}), Answer({"position": 17}), Answer({"position": 16}), Answer({}), Answer({}))
        client = self.client(fake)
        client.get_cluster()
        client.delete_preset("a")
        client.delete_preset("b")
        client.get_cluster()
        client.get_cluster(min_position=3)
        self.assertEqual([asked.target for asked in fake.asked if asked.method == "GET"],
                         ["/v1/cluster", "/v1/cluster?min_position=17", "/v1/cluster?min_position=3"])

    def test_a_cookie_is_never_sent(self):
        fake = self.fake(Answer({}, headers={"Set-Cookie": "berth_1=x; Path=/v1"}), Answer({}))
        client = self.client(fake)
        client.get_cluster()
        client.get_cluster()
        self.assertNotIn("Cookie", fake.asked[1].headers)

    # Attempts

    def test_a_busy_server_is_asked_again_when_it_said(self):
        fake = self.fake(problem(503, "log-unavailable", {"Retry-After": "3"}), problem(429, "too-many-requests"),
                         problem(503, "stopping", {"Retry-After": "900"}), Answer({"position": 1}))
        self.client(fake).delete_preset("a")
        self.assertEqual(self.pauses(), [3.0, 0.4, 30.0])

    def test_a_write_is_repeated_with_its_key_and_a_new_date(self):
        fake = self.fake(problem(504, "outcome-unknown"), Answer(b"", cut=True), Answer({"position": 1}))
        self.client(fake).delete_preset("a")
        self.assertEqual(len({asked.headers["Idempotency-Key"] for asked in fake.asked}), 1)
        self.assertEqual(len({asked.headers["X-Berth-Date"] for asked in fake.asked}), 3)

    def test_every_write_has_a_key_of_its_own_unless_one_is_given(self):
        fake = self.fake(*[Answer({"position": 1})] * 3)
        client = self.client(fake)
        client.delete_preset("a")
        client.delete_preset("a")
        client.delete_preset("a", idempotency_key="mine")
        self.assertEqual(len({asked.headers["Idempotency-Key"] for asked in fake.asked}), 3)
        self.assertEqual(fake.asked[2].headers["Idempotency-Key"], "mine")

    def test_a_write_without_a_key_is_sent_once(self):
        fake = self.fake(problem(503, "stopping"))
        with self.assertRaises(berth.Unavailable):
            self.client(fake, key=None).join_agent("a1", {"token": "t"})
        self.assertEqual(len(fake.asked), 1)

    def test_another_refusal_is_not_repeated(self):
        fake = self.fake(problem(504, "position-not-reached"))
        with self.assertRaises(berth.ApiError):
            self.client(fake).get_cluster()
        self.assertEqual(self.pauses(), [])

    def test_attempts_come_to_an_end(self):
        fake = self.fake(*[problem(429, "too-many-requests")] * 6)
        with self.assertRaises(berth.TooManyRequests):
            self.client(fake).get_cluster()
        self.assertEqual(self.pauses(), [0.2, 0.4, 0.8, 1.6, 3.2])

    def test_a_server_that_is_not_there_is_unreachable(self):
        fake = FakeApi()
        fake.close()
        with self.assertRaisesRegex(berth.Unreachable, fake.endpoint):
            self.client(fake).get_cluster()
        self.assertEqual(len(self.pauses()), 5)

    # Pages and streams

    def test_an_iterator_asks_for_page_after_page(self):
        fake = self.fake(*PAGES)
        self.assertEqual([preset["name"] for preset in self.client(fake).iter_presets(limit=1)], ["a", "b"])
        self.assertEqual([asked.target for asked in fake.asked], ["/v1/presets?limit=1", "/v1/presets?limit=1&page_token=t%2F1"])

    def test_a_stream_goes_on_behind_its_last_event_and_ends_at_the_end(self):
        for cut in (False, True):
            fake = self.fake(stream(TWO_EVENTS, cut), problem(503, "stopping"), stream(END))
            events = list(self.client(fake).stream_events(from_=1, to=2))
            self.assertEqual([(event.id, event.name, event.data["n"]) for event in events],
                             [("1-0", "Noted", 1), ("1-1", "Noted", 2), ("2-0", "Noted", 3)])
            self.assertEqual([asked.headers.get("Last-Event-ID") for asked in fake.asked], [None, "1-1", "1-1"])
            self.assertEqual({asked.headers["Accept"] for asked in fake.asked}, {"text/event-stream"})

    def test_a_watch_goes_on_behind_its_last_position_until_it_is_to_be_read_anew(self):
        fake = self.fake(stream('event: position\nid: 7\ndata: {"position": 7}\n\nevent: put\nid: 8\ndata: {}\n\n'),
                         stream('event: restart\ndata: {"code": "too-old"}\n\n'))
        events = self.client(fake)._stream(Call("GET", "/v1/watch", query={"tables": "sessions"}))
        self.assertEqual([event.name for event in events], ["position", "put", "restart"])
        self.assertEqual([asked.target for asked in fake.asked], ["/v1/watch?tables=sessions", "/v1/watch?tables=sessions&after=7"])
        self.assertNotIn("Last-Event-ID", fake.asked[1].headers)

    def test_a_stream_may_break_any_number_of_times_if_it_has_life_in_between(self):
        fake = self.fake(*[stream(": ok\n\n", cut=True)] * 9, stream(END))
        self.assertEqual(len(list(self.client(fake).stream_events())), 1)
        self.assertEqual(self.pauses(), [0.2] * 9)

    def test_a_stream_that_is_refused_says_why(self):
        with self.assertRaises(berth.Denied):
            list(self.client(self.fake(problem(403, "denied"))).stream_events())

    def test_a_stream_that_breaks_without_a_word_again_and_again_is_given_up(self):
        with self.assertRaises(berth.Unreachable):
            list(self.client(self.fake(*[stream("")] * 6)).stream_events())

    def test_events_may_come_in_pieces_of_any_size(self):
        text = 'id: 1-0\r\nevent: Noted\r\ndata: {"t": "\u00fc\u2028"}\r\n\r\n: ok\n\ndata:5\n\n'.encode()
        whole = list(EventParser().feed(text))
        parser = EventParser()
        self.assertEqual([event for at in range(len(text)) for event in parser.feed(text[at:at + 1])], whole)
        self.assertEqual(whole, [berth.ServerEvent("1-0", "Noted", {"t": "\u00fc\u2028"}), berth.ServerEvent("", "message", 5)])

    def test_an_event_without_end_is_refused(self):
        with mock.patch("berth.events.LINE_BYTES_MAX", 10), self.assertRaisesRegex(berth.BerthError, "longer than 10"):
            list(EventParser().feed(b"data: 123456"))

    # The other client

    def test_the_async_client_does_the_same(self):
        fake = self.fake(problem(503, "stopping"), Answer({"position": 4}), *PAGES, stream(TWO_EVENTS, cut=True), stream(END),
                         problem(403, "denied"))

        async def use():
            async with berth.AsyncClient(berth.Settings(fake.endpoint, KEY)) as client:
                changed = await client.delete_preset("a")
                names = [preset["name"] async for preset in client.iter_presets()]
                numbers = [event.data["n"] async for event in client.stream_events()]
                with self.assertRaises(berth.Denied):
                    [event async for event in client.stream_events()]
                return changed, names, numbers

        with mock.patch("asyncio.sleep"):
            self.assertEqual(asyncio.run(use()), ({"position": 4}, ["a", "b"], [1, 2, 3]))
        self.assertEqual(fake.asked[0].headers["Idempotency-Key"], fake.asked[1].headers["Idempotency-Key"])
        self.assertEqual([asked.target for asked in fake.asked[2:4]],
                         ["/v1/presets?min_position=4", "/v1/presets?min_position=4&page_token=t%2F1"])
        self.assertEqual(fake.asked[5].headers["Last-Event-ID"], "1-1")

    # Settings

    def folder(self):
        folder = tempfile.TemporaryDirectory(prefix="berth-python-")
        self.addCleanup(folder.cleanup)
        os.mkdir(folder.name + "/keys")
        return folder.name

    def put(self, path, text, mode=0o600):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)
        return path

    def put_key(self, folder, **more):
        return self.put(folder + "/keys/admin.json", json.dumps({"access_key": "BK02", "secret_key": "s", **more}))

    def test_a_data_folder_has_key_address_and_fingerprint(self):
        data = self.folder()
        self.put_key(data, endpoint="http://h:1")
        self.assertEqual(berth.Settings.from_environment({"BERTH_DATA": data}), berth.Settings("http://h:1", berth.KeyPair("BK02", "s")))
        self.put(data + "/berth.endpoint", "https://h:2\nsha256:00\n")
        self.assertEqual(berth.Settings.from_environment({"BERTH_DATA": data}),
                         berth.Settings("https://h:2", berth.KeyPair("BK02", "s"), fingerprint="sha256:00"))

    def test_the_environment_goes_before_files(self):
        data = self.folder()
        key_file = self.put_key(data)
        named = {"BERTH_DATA": "/nowhere", "BERTH__API__ENDPOINT": "https://h:3", "BERTH__API__CA": "/ca.pem"}
        self.assertEqual(berth.Settings.from_environment({**named, "BERTH__API__KEY_FILE": key_file}),
                         berth.Settings("https://h:3", berth.KeyPair("BK02", "s"), ca="/ca.pem"))
        self.assertEqual(berth.Settings.from_environment({**named, "BERTH_ACCESS_KEY": "A", "BERTH_SECRET_KEY": "B"}).key,
                         berth.KeyPair("A", "B"))
        self.assertEqual(berth.Settings.from_key_file(key_file, "http://h:4").endpoint, "http://h:4")

    def test_settings_that_cannot_be_meant_are_refused(self):
        data = self.folder()
        for text in ("", "[]", '{"access_key": "A"}'):
            with self.assertRaisesRegex(berth.ConfigError, "is no key file"):
                berth.Settings.from_key_file(self.put(data + "/key", text))
        with self.assertRaisesRegex(berth.ConfigError, "not this user's alone"):
            berth.Settings.from_key_file(self.put(data + "/key", "{}", 0o640))
        with self.assertRaisesRegex(berth.ConfigError, "BERTH_ACCESS_KEY"):
            berth.Settings.from_environment({"BERTH_DATA": "/nowhere"})
        with self.assertRaisesRegex(berth.ConfigError, "only one is set"):
            berth.Settings.from_environment({"BERTH_ACCESS_KEY": "A"})
        for endpoint in ("127.0.0.1:7410", "http://user@h:1", "http://h:1/path"):
            with self.assertRaisesRegex(berth.ConfigError, "is no endpoint"):
                berth.Settings(endpoint)
        with self.assertRaisesRegex(berth.ConfigError, "is not https"):
            berth.Settings("http://h:1", fingerprint="sha256:00")

    def test_a_fingerprint_is_trusted_and_no_other_certificate(self):
        path = self.folder() + "/both.pem"
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                        "-subj", "/CN=berth", "-keyout", path, "-out", path + ".crt"], check=True, capture_output=True)
        with open(path + ".crt", encoding="ascii") as certificate, open(path, "a", encoding="ascii") as both:
            both.write(certificate.read())
        printed = subprocess.run(["openssl", "x509", "-in", path, "-noout", "-fingerprint", "-sha256"], check=True, capture_output=True,
                                 text=True).stdout
        fingerprint = "sha256:" + printed.strip().rpartition("=")[2].replace(":", "").lower()
        fake = self.fake(Answer({"position": 1}), certificate=path)
        with berth.Client(berth.Settings(fake.endpoint, KEY, fingerprint=fingerprint)) as client:
            self.assertEqual(client.get_cluster(), {"position": 1})
        with self.assertRaisesRegex(berth.ConfigError, "not sha256:00"):
            berth.Client(berth.Settings(fake.endpoint, KEY, fingerprint="sha256:00"))
        with berth.Client(berth.Settings(fake.endpoint, KEY)) as client, self.assertRaisesRegex(berth.Unreachable, "certificate"):
            client.get_cluster()


if __name__ == "__main__":
    unittest_report.run(Client)
