"""A proxy that signs what goes through it, for tools that know nothing of Berth's signature.

It signs what comes with `Authorization: by-proxy`; all else goes through as it came. Who makes up requests is kept from two things:
to use one idempotency key for many, which is a conflict, and to remove the key that signs."""

import datetime
import hashlib
import hmac
import http.client
import http.server
import json
import re
import threading
import uuid

HOP = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "host", "content-length", "accept-encoding"}
SIGN = "by-proxy"
OURS = {"authorization", "x-berth-date", "x-berth-version", "x-berth-content-sha256"}


def hmac_of(key, text):
    return hmac.new(key, text.encode("latin-1"), hashlib.sha256).digest()


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def signed(self, body):
        key, host = self.server.key, self.server.target
        sent = {name.lower(): value for name, value in self.headers.items()}
        if sent.get("authorization") != SIGN:
            return {"Host": host, **{name: value for name, value in sent.items() if name not in HOP}}
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        body_hash = hashlib.sha256(body).hexdigest()
        text = "\n".join([self.command, self.path, date, host, sent.get("content-type", ""), "2", sent.get("idempotency-key", ""), body_hash])
        signing = hmac_of(hmac_of(key["secret_key"].encode(), date[:10].replace("-", "")), host)
        headers = {name: value for name, value in sent.items() if name not in HOP | OURS}
        headers.update({"Host": host, "X-Berth-Date": date, "X-Berth-Version": "2", "X-Berth-Content-SHA256": body_hash,
                        "Authorization": f"BERTH-HMAC-SHA256 key={key['access_key']}, signature={hmac_of(signing, text).hex()}"})
        return headers

    def kept_apart(self):
        if re.fullmatch("[!-~]{1,128}", self.headers.get("Idempotency-Key", "")):
            self.headers.replace_header("Idempotency-Key", str(uuid.uuid4()))
        self.path = self.path.replace(self.server.key["access_key"], "of-another")

    def forward(self):
        self.kept_apart()
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        connection = http.client.HTTPConnection(self.server.target, timeout=60)
        try:
            connection.request(self.command, self.path, body or None, self.signed(body))
            reply = connection.getresponse()
            answer = reply.read()
        finally:
            connection.close()
        self.server.answers[reply.status] = self.server.answers.get(reply.status, 0) + 1
        self.send_response(reply.status)
        for name, value in reply.getheaders():
            if name.lower() not in HOP:
                self.send_header(name, value)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(answer)

    def __getattr__(self, name):  # every method, known or not
        if name.startswith("do_"):
            return self.forward
        raise AttributeError(name)

    def log_message(self, *_):
        pass


class SigningProxy(http.server.ThreadingHTTPServer):
    """Listens on a free port; `answers` counts statuses. Use as a context."""
    daemon_threads = True

    def __init__(self, up):
        super().__init__(("127.0.0.1", 0), Handler)
        self.target, self.answers = f"127.0.0.1:{up.port}", {}
        with open(up.data + "/keys/admin.json", encoding="ascii") as file:
            self.key = json.load(file)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self):
        threading.Thread(target=self.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self.shutdown()
        self.server_close()
