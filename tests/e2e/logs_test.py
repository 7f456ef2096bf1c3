"""What Berth says of itself: logs as JSON, formats and levels of each program, lines of sessions, the level at run time, a trace from a request to its kernel and
to a collector, by HTTPS too."""

import http.client
import http.server
import json
import os
import shutil
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "support")]

import berth as rig
import unittest_report

TRACE, PARENT = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"


def attributes(of):
    return {one["key"]: one["value"]["stringValue"] for one in of["attributes"]}


class Collector:
    """Takes spans, or answers as it is told."""

    def __init__(self, certificate=""):
        """`certificate`: PEM of both, for HTTPS."""
        self.spans, self.status, self.posts = [], 200, 0
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.posts += 1
                if outer.status == 200:
                    for resource in body["resourceSpans"]:
                        source = attributes(resource["resource"])
                        for scope in resource["scopeSpans"]:
                            outer.spans += [{**span, "service": source["service.name"]} for span in scope["spans"]]
                self.send_response(outer.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http{'s' if certificate else ''}://127.0.0.1:{self.server.server_port}"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.server.handle_error = lambda *_: None  # who refuses its certificate hangs up
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def of(self, trace):
        return [span for span in self.spans if span["traceId"] == trace]


GO = os.path.join(tempfile.mkdtemp(prefix="berth-logs-"), "go")  # sessions go on once it is there


def session_body(name, script):
    script = f"until test -e {GO}; do sleep 0.02; done; {script}"
    return json.dumps({"name": name, "group": "default", "type": "batch", "command": ["sh", "-c", script],
                       "resources": {"cpu": "0.5", "mem": "64m"}})


class Logs(unittest.TestCase):
    def setUp(self):
        os.chmod(os.path.dirname(GO), 0o755)
        if os.path.exists(GO):
            os.remove(GO)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(os.path.dirname(GO))

    def up(self, *more, below=()):
        one = rig.Berth(more=more, below=below)
        self.addCleanup(one.remove)
        return one

    def ask(self, up, body, traceparent):
        self.setUp()
        headers = {**rig.signed(up, "POST", "/v1/sessions", body), **({"traceparent": traceparent} if traceparent else {})}
        connection = http.client.HTTPConnection("127.0.0.1", up.port, timeout=rig.PATIENCE)
        self.addCleanup(connection.close)
        connection.request("POST", "/v1/sessions", body, headers)
        reply = connection.getresponse()
        told = reply.read()
        self.assertIn(reply.status, (200, 201), told)
        return reply

    def ended(self, up, name):
        up.cli.wait(name)  # a state that is over at once may never be seen
        open(GO, "w", encoding="ascii").close()
        rig.eventually(f"{name} has ended", lambda: up.cli.session(name)["status"] == "TERMINATED")
        return up.cli.ok("session", "logs", name)

    def metric(self, up, name):
        _, text = rig.asked(up, "GET", "/metrics")
        return next(float(line.split()[1]) for line in text.decode().splitlines() if line.startswith(name + " "))

    def test_one_trace_goes_from_the_header_to_the_kernel_and_the_collector(self):
        collector = Collector()
        self.addCleanup(collector.close)
        up = self.up("--otlp-url", collector.url).start()
        reply = self.ask(up, session_body("traced", "echo $TRACEPARENT"), f"00-{TRACE}-{PARENT}-01")
        response = reply.headers["traceresponse"].split("-")
        self.assertEqual(response[1], TRACE)
        kernel = self.ended(up, "traced").strip().split("-")
        self.assertEqual((kernel[0], kernel[1], kernel[3]), ("00", TRACE, "01"))
        names = {"POST /v1/sessions", "decide", "pending", "start", "run", "session", "start kernel", "end kernel"}
        rig.eventually("all spans are there", lambda: names <= {span["name"] for span in collector.of(TRACE)})
        spans = {span["name"]: span for span in collector.of(TRACE)}
        self.assertEqual(spans["POST /v1/sessions"]["parentSpanId"], PARENT)
        self.assertEqual(spans["POST /v1/sessions"]["spanId"], response[2])
        self.assertEqual(spans["decide"]["parentSpanId"], response[2])
        self.assertEqual(spans["session"]["parentSpanId"], response[2])
        self.assertEqual(spans["session"]["spanId"], kernel[2])
        for part in ("pending", "start", "run", "start kernel", "end kernel"):
            self.assertEqual(spans[part]["parentSpanId"], kernel[2], part)
        by = {name: span["service"] for name, span in spans.items()}
        self.assertEqual({name for name, service in by.items() if service == "berth-agent"}, {"start kernel", "end kernel"})
        self.assertEqual(set(by.values()), {"berth", "berth-agent"})
        id_ = up.cli.session("traced")["id"]
        for part in ("session", "start kernel", "end kernel"):
            self.assertEqual(attributes(spans[part])["berth.session.id"], id_, part)
        placed, kernel_began = int(spans["pending"]["endTimeUnixNano"]), int(spans["start kernel"]["startTimeUnixNano"])
        self.assertLessEqual(placed, kernel_began)
        self.assertLessEqual(int(spans["start kernel"]["endTimeUnixNano"]), int(spans["end kernel"]["endTimeUnixNano"]))
        self.assertLessEqual(int(spans["pending"]["endTimeUnixNano"]), int(spans["run"]["endTimeUnixNano"]))
        self.assertGreaterEqual(self.metric(up, "berth_spans_exported_total"), 6)

        request = self.ask(up, session_body("own", "echo $TRACEPARENT"), "").headers["X-Request-Id"].replace("-", "")
        self.assertEqual(self.ended(up, "own").split("-")[1], request)

        collector.status = 500
        self.ask(up, session_body("lost", "true"), "")
        self.ended(up, "lost")
        rig.eventually("lost spans are counted", lambda: self.metric(up, "berth_spans_dropped_total") > 0)
        rig.eventually("the log says so", lambda: "the collector takes no spans" in up.process.words())
        self.assertEqual(up.process.stop(), 0, up.process.words())

    @unittest.skipUnless(rig.has_containers(), "no containers, or no images")
    def test_the_start_of_a_container_has_its_image_its_mounts_and_its_runtime_below_it(self):
        collector = Collector()
        self.addCleanup(collector.close)
        up = rig.Berth(backend="oci", more=["--otlp-url", collector.url])
        self.addCleanup(up.remove)
        up.start()
        body = json.dumps({"name": "traced", "group": "default", "type": "batch", "command": ["true"], "image": "python:3.11",
                           "resources": {"cpu": "0.5", "mem": "64m"}})
        self.ask(up, body, f"00-{TRACE}-{PARENT}-01")
        names = {"session", "start kernel", "image", "prepare", "runtime", "end kernel"}
        rig.eventually("all spans are there", lambda: names <= {span["name"] for span in collector.of(TRACE)})
        spans = {span["name"]: span for span in collector.of(TRACE)}
        start = spans["start kernel"]
        self.assertEqual(start["parentSpanId"], spans["session"]["spanId"])
        for part in ("image", "prepare", "runtime"):
            self.assertEqual(spans[part]["parentSpanId"], start["spanId"], part)
            self.assertLessEqual(int(start["startTimeUnixNano"]), int(spans[part]["startTimeUnixNano"]), part)
            self.assertLessEqual(int(spans[part]["endTimeUnixNano"]), int(start["endTimeUnixNano"]), part)
        self.assertEqual(spans["prepare"]["endTimeUnixNano"], spans["runtime"]["startTimeUnixNano"])

    def certificates(self):
        """A folder with ca.pem, and of that authority good.pem, for 127.0.0.1, and other.pem, for another name."""
        folder = tempfile.mkdtemp(prefix="berth-ca-")
        self.addCleanup(shutil.rmtree, folder)

        def openssl(*words):
            subprocess.run(["openssl", *words], cwd=folder, check=True, capture_output=True)

        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
        openssl("req", "-x509", *key, "-days", "2", "-subj", "/CN=an authority of a test", "-keyout", "ca.key", "-out", "ca.pem")
        for name, of in {"good": "IP:127.0.0.1", "other": "DNS:collector.example"}.items():
            openssl("req", "-x509", *key, "-days", "2", "-subj", f"/CN={name}", "-addext", f"subjectAltName={of}", "-addext",
                    "basicConstraints=critical,CA:FALSE", "-CA", "ca.pem", "-CAkey", "ca.key", "-keyout", name + ".key", "-out", name + ".crt")
            with open(f"{folder}/{name}.pem", "w", encoding="ascii") as both:
                for part in (".key", ".crt"):
                    with open(folder + "/" + name + part, encoding="ascii") as file:
                        both.write(file.read())
        return folder

    def test_spans_go_by_https_to_a_collector_with_a_certificate_of_a_trusted_authority_alone(self):
        folder = self.certificates()
        for certificate, authority, taken in (("good", "ca.pem", True), ("good", "", False), ("other", "ca.pem", False)):
            with self.subTest(certificate=certificate, authority=authority):
                collector = Collector(f"{folder}/{certificate}.pem")
                self.addCleanup(collector.close)
                up = self.up("--otlp-url", collector.url, below=["env", f"SSL_CERT_FILE={folder}/{authority}"] if authority else []).start()
                self.ask(up, session_body("s1", "true"), f"00-{TRACE}-{PARENT}-01")
                self.ended(up, "s1")
                if taken:
                    rig.eventually("spans of both are there", lambda: {span["service"] for span in collector.of(TRACE)} == {"berth", "berth-agent"})
                else:
                    rig.eventually("lost spans are counted", lambda: self.metric(up, "berth_spans_dropped_total") > 0)
                    rig.eventually("the agent says so", lambda: "agent: the collector takes no spans" in up.process.words())
                    self.assertEqual(collector.posts, 0, "nothing was said to it")
                self.assertEqual(up.process.stop(), 0, up.process.words())
                said = [one["msg"] for one in self.objects(up) if "the collector takes no spans" in one["msg"]]
                self.assertEqual(len(said), 0 if taken else 2, said)
                for line in said:
                    self.assertRegex(line, r"certificate verify failed.*SSL_CERT_FILE")
                self.assertEqual(len([line for line in said if line.startswith("agent: ")]), len(said) // 2)

    def test_a_collector_that_is_not_there_costs_spans_alone(self):
        up = self.up("--otlp-url", f"http://127.0.0.1:{rig.free_port()}").start()
        self.ask(up, session_body("s1", "echo $TRACEPARENT"), f"00-{TRACE}-{PARENT}-01")
        self.assertEqual(self.ended(up, "s1").split("-")[1], TRACE)
        rig.eventually("lost spans are counted", lambda: self.metric(up, "berth_spans_dropped_total") > 0)
        self.assertEqual(up.process.stop(), 0, up.process.words())

    def test_a_trace_survives_without_a_collector_and_one_that_is_malformed_is_none(self):
        up = self.up().start()
        self.ask(up, session_body("s1", "echo $TRACEPARENT"), f"00-{TRACE}-{PARENT}-01")
        self.assertEqual(self.ended(up, "s1").split("-")[1], TRACE)
        reply = self.ask(up, session_body("s2", "echo $TRACEPARENT"), "00-nonsense")
        self.assertIsNone(reply.headers["traceresponse"])
        self.assertEqual(self.ended(up, "s2").split("-")[1], reply.headers["X-Request-Id"].replace("-", ""))
        up.verify()

    def test_a_url_that_is_none_is_refused(self):
        up = self.up("--otlp-url", "ftp://c")
        self.assertNotEqual(up.launch().child.wait(rig.PATIENCE), 0)
        self.assertIn("otlp-url-invalid", up.process.words())

    def objects(self, up):
        """The lines of its log."""
        return [json.loads(line) for line in up.process.words().splitlines() if line.startswith("{")]

    def test_sessions_are_lines_with_their_ids_and_the_level_changes_at_run_time(self):
        up = self.up("--log-format", "json").start()
        self.ask(up, session_body("s1", "exit 3"), f"00-{TRACE}-{PARENT}-01")
        self.ended(up, "s1")
        refused = up.cli("session", "rm", "nobody")
        self.assertNotEqual(refused.returncode, 0)
        lines = rig.eventually("start and end are told", lambda: (
            lambda found: len(found) >= 2 and found)([one for one in self.objects(up) if "session" in one]))
        id_ = up.cli.session("s1")["id"]
        self.assertEqual({(one["session"], one["trace"]) for one in lines}, {(id_, TRACE)})
        self.assertRegex(lines[0]["msg"], r"^s1 \([0-9a-f]{8}\) of admin: started on a1 after [0-9.]+ s$")
        self.assertRegex(lines[1]["msg"], "failed, exit 3")
        self.assertEqual({one["program"] for one in self.objects(up)}, {"berth"})

        self.assertEqual(up.cli.json("cluster", "log-level"), {"level": "info"})
        up.cli.ok("cluster", "log-level", "debug", "--for", "1h")
        rig.eventually("calls are lines at debug", lambda: up.cli("agent", "ls") and any(
            one["level"] == "debug" and one["msg"].startswith("GET /v1/agents 200") for one in self.objects(up)))
        up.process.child.send_signal(signal.SIGUSR2)
        rig.eventually("a signal logs less", lambda: up.cli.json("cluster", "log-level") == {"level": "info"})
        self.assertEqual(up.process.stop(), 0, up.process.words())

    def test_people_get_lines_and_may_leave_them_out(self):
        for more, there in ((["--log-format", "text"], True), (["--log-format", "text", "--quiet"], False)):
            up = self.up(*more).start()
            self.ask(up, session_body("s1", "true"), "")
            self.ended(up, "s1")
            if there:
                rig.eventually("its end is told", lambda: "of admin: completed, exit 0\n" in up.process.words())
                self.assertRegex(up.process.words(), r"(?m)^\d\d:\d\d:\d\d s1 \([0-9a-f]{8}\) of admin: started on a1 after ")
            self.assertEqual(up.process.stop(), 0, up.process.words())
            self.assertEqual("of admin:" in up.process.words(), there)
            self.assertFalse(self.objects(up))

    def told_by(self, name, *words):
        """What a program that ends by itself says: (exit code, stderr)."""
        done = subprocess.run([rig.program(name), *words], env=rig.environment(self.scratch()), stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=rig.PATIENCE, check=False)
        self.assertEqual(done.stdout, "")
        return done.returncode, done.stderr

    def scratch(self):
        folder = tempfile.mkdtemp(prefix="berth-logs-")
        self.addCleanup(shutil.rmtree, folder)
        return folder

    def test_controller_and_agent_refuse_formats_levels_and_collectors_that_are_none(self):
        wrong = {("--log-level", "loud"): "log-level-invalid: there is no level 'loud' (it is trace, debug, info, warning or error)",
                 ("--log-format", "xml"): "log-format-invalid: there is no log format 'xml' (it is json, text or auto)",
                 ("--otlp-url", "ftp://c"): "otlp-url-invalid: 'ftp://c' is no collector's URL"}
        nowhere = f"kafka://127.0.0.1:{rig.free_port()}"
        for option, why in wrong.items():
            for name, more in (("berth-controller", ["--data", self.scratch()]), ("berth-agent", ["--key-file", "/nowhere"])):
                with self.subTest(name=name, option=option):
                    code, told = self.told_by(name, "--log", nowhere, *more, *option)
                    self.assertEqual(code, 2, told)
                    self.assertEqual(len(told.splitlines()), 1, told)
                    self.assertIn(why, told)

    def test_an_agent_logs_in_the_format_and_from_the_level_that_it_is_told(self):
        up = self.up().start()
        key = self.scratch() + "/key"
        with open(os.open(key, os.O_WRONLY | os.O_CREAT, 0o600), "w", encoding="utf-8") as file:
            file.write(up.cli.ok("agent", "enroll", "b2", "-o", "json"))
        self.assertEqual(up.process.stop(), 0, up.process.words())  # an embedded log has one user at a time
        stopping = "stopping; 0 kernels go on"
        for words, said in ((["--log-format", "json", "--log-level", "info"], True), (["--log-format", "text", "--log-level", "info"], True),
                            (["--log-format", "json", "--log-level", "error"], False)):
            with self.subTest(words=words):
                folder = self.scratch()
                agent = rig.Process([rig.program("berth-agent"), "--log", f"local:{up.data}/log", "--key-file", key, "--data", folder + "/agent",
                                     "--backend", "fake", *words], folder, folder + "/log")
                self.addCleanup(lambda agent=agent: agent.runs() and agent.kill())
                rig.eventually("it runs", lambda: os.path.exists(folder + "/agent") and (not said or "agent b2 of group default runs on" in agent.words()))
                if not said:
                    rig.eventually("it can be told to stop", lambda: self.catches(agent.child.pid, signal.SIGINT))
                self.assertEqual(agent.stop(), 0, agent.words())
                if not said:
                    self.assertEqual(agent.words(), "")
                elif "json" in words:
                    # On a machine whose other programs have much of its memory the agent warns of that, rightly.
                    lines = [one for one in map(json.loads, agent.words().splitlines()) if "of its memory now" not in one["msg"]]
                    self.assertEqual({(one["program"], one["level"]) for one in lines}, {("agent", "info")})
                    self.assertEqual(lines[-1]["msg"], stopping)
                else:
                    self.assertRegex(agent.words(), r"(?m)^\[[0-9 :.-]+\] \[agent\] \[info\] agent b2 of group default runs on")
                    self.assertIn("[agent] [info] " + stopping, agent.words())

    @staticmethod
    def catches(pid, which):
        with open(f"/proc/{pid}/status", encoding="ascii") as file:
            mask = next(int(line.split()[1], 16) for line in file if line.startswith("SigCgt:"))
        return bool(mask >> (which - 1) & 1)

    @unittest.skipUnless(rig.IS_ROOT, "a folder of another user takes root")
    def test_a_controller_logs_in_the_format_and_from_the_level_that_it_is_told(self):
        theirs = self.scratch()
        os.chown(theirs, 65534, 65534)
        for number, (form, level, warned) in enumerate((("json", "warning", True), ("text", "info", True), ("json", "error", False))):
            with self.subTest(form=form, level=level):
                code, told = self.told_by("berth-controller", "--log", f"kafka://127.0.0.1:{rig.free_port()}", "--kafka-config", "/nowhere/none",
                                          "--data", f"{theirs}/{number}", "--log-format", form, "--log-level", level)
                self.assertEqual(code, 1, told)
                self.assertIn("kafka-config-missing", told)
                self.assertEqual("belongs to another user" in told, warned, told)
                if form == "json":
                    lines = [json.loads(line) for line in told.splitlines()]
                    self.assertEqual([(one["program"], one["level"]) for one in lines],
                                     [("controller", "warning")] * warned + [("controller", "error")])
                else:
                    self.assertRegex(told, r"\A\[[0-9 :.-]+\] \[controller\] \[warning\] .*belongs to another user")


if __name__ == "__main__":
    unittest_report.run(Logs)
