"""A client of a folder's files over the HTTP API, of the tests' own, so that what it asks can be hostile too."""

import hashlib
import http.client
import json
import urllib.parse

import berth as rig

CHUNK = 8 << 20


class Refused(Exception):
    """The server answered an error."""

    def __init__(self, status, problem):
        super().__init__(f"{status} {problem}")
        self.status, self.problem, self.code = status, problem, problem.get("code")


def query(target, **parameters):
    """`target` with its parameters; bytes go as they are."""
    return target + "?" + urllib.parse.urlencode({name: value for name, value in parameters.items() if value is not None}) if parameters else target


class Files:
    """Of the folder of that name or id, signed by the first key of `up`."""

    def __init__(self, up, folder):
        self.up, self.path = up, "/v1/folders/" + folder

    def open(self, method, target, body=b"", headers=None):
        """The connection and the reply, whose body is not read yet."""
        connection = http.client.HTTPConnection("127.0.0.1", self.up.port, timeout=rig.PATIENCE)
        key = (headers or {}).get("Idempotency-Key", "")
        connection.request(method, target, body or None, {**rig.signed(self.up, method, target, body, idempotency=key), **(headers or {})})
        return connection, connection.getresponse()

    def ask(self, method, what, body=b"", headers=None, **parameters):
        """The body of the reply, as JSON where it is that."""
        target = query(self.path + what, **parameters)
        connection, reply = self.open(method, target, body if isinstance(body, bytes) else json.dumps(body), headers)
        try:
            told = reply.read()
        finally:
            connection.close()
        if reply.status >= 400:
            raise Refused(reply.status, json.loads(told or b"{}"))
        return json.loads(told) if reply.getheader("Content-Type") == "application/json" else told

    def code(self, method, what, body=b"", headers=None, **parameters):
        """The code of the refusal; "" if there is none."""
        try:
            self.ask(method, what, body, headers, **parameters)
        except Refused as refused:
            return refused.code
        return ""

    def page(self, path="", **parameters):
        return self.ask("GET", "/files", path=path, **parameters)

    def names(self, path=""):
        return [one["name"] for one in self.page(path)["items"]]

    def download(self, path, wanted=None):
        return self.ask("GET", "/file", headers={"Range": f"bytes={wanted}"} if wanted else None, path=path)

    def change(self, op, path, **more):
        return self.ask("POST", "/files", {"op": op, "path": path, **more})

    def begin(self, path, content, **more):
        """The upload's own path below the folder's."""
        what = {"path": path, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest(), **more}
        return "/uploads/" + self.ask("POST", "/uploads", what)["upload"]

    def put(self, upload, content, offset=0):
        return self.ask("PUT", upload, content[offset:offset + CHUNK], offset=offset)["offset"]

    def finish(self, upload):
        return self.ask("POST", upload + "/finish")

    def upload(self, path, content, **more):
        upload, offset = self.begin(path, content, **more), 0
        while offset < len(content):
            offset = self.put(upload, content, offset)
        return self.finish(upload)
