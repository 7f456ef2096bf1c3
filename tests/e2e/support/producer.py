"""A producer as events/FORMAT.md describes it, with nothing of Berth but that page: a request's bytes, its envelope, and HTTP signed by the
producer's key."""

import datetime
import hashlib
import hmac
import http.client
import json
import struct
import time
import uuid

PATIENCE = 60


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


def _row(byte):
    for _ in range(8):
        byte = (byte >> 1) ^ (0x82F63B78 if byte & 1 else 0)
    return byte


CRC = [_row(byte) for byte in range(256)]


def varint(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def field(number, value):
    """Of a protobuf message: an integer, or text, bytes and messages."""
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    data = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(data)) + data


def owner(user, domain="default", project="default"):
    return field(1, domain) + field(2, project) + field(3, user)


def session(name, cpu=100_000, mem=64 << 20):
    """The body request_session."""
    slots = b"".join(field(3, field(1, slot) + field(2, amount)) for slot, amount in (("cpu", cpu), ("mem", mem)))
    spec = field(1, 1) + field(3, "default") + field(4, 10) + field(5, field(1, "main") + field(2, 1) + slots)
    return field(10, field(1, name) + field(2, 1) + field(4, spec))


class Key:
    """What `berth producer join` printed."""

    def __init__(self, text):
        self.file = json.loads(text)
        self.writer, self.generation = self.file["access_key"], self.file["generation"]
        self.key, self.cluster = bytes.fromhex(self.file["key"]), uuid.UUID(self.file["cluster"]).bytes

    def request(self, body, user="alice", actor=None, request_id=None, more=b"", sent_ms=None):
        """(id, bytes of a v1.Request)"""
        request_id = request_id or uuid.uuid4().bytes
        sent = field(5, int(time.time() * 1000) if sent_ms is None else sent_ms)
        return request_id, field(1, request_id) + field(2, actor or self.writer) + sent + field(6, owner(user)) + more + body

    def envelope(self, body, key=None, writer=None, generation=None):
        writer, generation = writer or self.writer, generation or self.generation
        mac = hashlib.blake2b(b"\x01" + self.cluster + body, key=key or self.key, digest_size=16).digest()
        rest = struct.pack("<16sHHHH", self.cluster, 1, 1, 1, len(writer)) + writer.encode() + struct.pack("<I", generation) + mac + body
        return b"BRT1" + struct.pack("<II", 12 + len(rest), crc32c(rest)) + rest

    def headers(self, port, method, target, body=b"", accept="", last=""):
        host, date = f"127.0.0.1:{port}", datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
        kind = "application/json" if body else ""
        digest = hashlib.sha256(body).hexdigest()
        text = "\n".join([method, target, date, host, kind, "2", "", digest])
        signing = self._hmac(self._hmac(self.file["key"].encode(), date[:10].replace("-", "")), host)
        headers = {"Host": host, "X-Berth-Date": date, "X-Berth-Version": "2", "X-Berth-Content-SHA256": digest,
                   "Authorization": f"BERTH-HMAC-SHA256 key={self.writer}, signature={self._hmac(signing, text).hex()}"}
        return {**headers, **({"Content-Type": kind} if kind else {}), **({"Accept": accept} if accept else {}),
                **({"Last-Event-ID": last} if last else {})}

    @staticmethod
    def _hmac(key, text):
        return hmac.new(key, text.encode(), hashlib.sha256).digest()

    def ask(self, port, method, target, body=b""):
        """(status, parsed body)"""
        connection = http.client.HTTPConnection(f"127.0.0.1:{port}", timeout=PATIENCE)
        try:
            connection.request(method, target, body or None, self.headers(port, method, target, body))
            reply = connection.getresponse()
            return reply.status, json.loads(reply.read() or b"null")
        finally:
            connection.close()

    def answers(self, port, last="", most=None, to=None):
        """The answers behind `last` as a stream tells them, which is cut after `most` of them or ends at the record `to`."""
        name = self.writer.partition(":")[2]
        target = f"/v1/producers/{name}/answers?" + ("" if last else "from=0&") + (f"to={to}" if to is not None else "")
        connection = http.client.HTTPConnection(f"127.0.0.1:{port}", timeout=PATIENCE)
        found, one = [], {}
        try:
            connection.request("GET", target.rstrip("?&"), None,
                               self.headers(port, "GET", target.rstrip("?&"), accept="text/event-stream", last=last))
            reply = connection.getresponse()
            assert reply.status == 200, (reply.status, reply.read())
            while most is None or len(found) < most:
                line = reply.readline().decode().rstrip("\n")
                if line:
                    name, _, value = line.partition(": ")
                    one[name] = value
                elif one.get("event") == "end":
                    break
                else:
                    if "id" in one:
                        found.append((one["id"], json.loads(one["data"])))
                    one = {}
            return found
        finally:
            connection.close()
