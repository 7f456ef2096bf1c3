"""A fake of Berth's API: it plays back the answers that a test gives it, notes what it was asked, and checks nothing."""

import json
import ssl
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Answer:
    """`body`: JSON, or bytes as they are. `cut`: the connection breaks behind the body, which was to be longer."""

    body: object = None
    status: int = 200
    kind: str = "application/json"
    headers: dict = field(default_factory=dict)
    cut: bool = False


def problem(status, code, headers=(), **members):
    body = {"type": f"urn:berth:error:{code}", "title": "", "status": status, "code": code, "detail": "the detail", "request_id": "r1"}
    return Answer({**body, **members}, status, "application/problem+json", dict(headers))


def stream(text, cut=False):
    return Answer(text.encode(), kind="text/event-stream", cut=cut)


@dataclass(frozen=True)
class Asked:
    method: str
    target: str
    headers: dict
    body: bytes


class FakeApi:
    def __init__(self, *answers, certificate=None):
        self.answers = list(answers)
        self.asked = []
        fake = self

        class Handler(BaseHTTPRequestHandler):
            def answer(self):
                fake.play(self)

            do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = answer

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        scheme = "http"
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
            scheme = "https"
        self.endpoint = f"{scheme}://127.0.0.1:{self.server.server_port}"
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    def close(self):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def play(self, request):
        body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
        self.asked.append(Asked(request.command, request.path, dict(request.headers), body))
        answer = self.answers.pop(0)
        content = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
        request.send_response(answer.status)
        for name, value in {"Content-Type": answer.kind, **answer.headers}.items():
            request.send_header(name, value)
        if answer.cut or answer.kind != "text/event-stream":
            request.send_header("Content-Length", str(len(content) + answer.cut))
        request.end_headers()
        request.wfile.write(content)
