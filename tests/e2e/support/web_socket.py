"""A WebSocket client of the tests' own (RFC 6455), so that frames can be hostile too. It knows the messages of berth.session.v1."""

import base64
import hashlib
import json
import os
import socket
import struct

import berth as rig

PROTOCOL = "berth.session.v1"
MORE, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
OF_RFC_6455 = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class Refused(Exception):
    """The server answered something else than 101."""

    def __init__(self, status, body):
        super().__init__(f"{status} {body}")
        self.status = status
        self.code = json.loads(body)["code"] if body else ""


class WebSocket:
    """Of a GET of `target`, signed by the first key of `up`, unless `headers` says who asks."""

    def __init__(self, up, target, headers=None, protocol=PROTOCOL, patience=rig.PATIENCE):
        self.socket = socket.create_connection(("127.0.0.1", up.port), timeout=patience)
        self.bytes = b""
        key = base64.b64encode(os.urandom(16)).decode()
        asked = {**(rig.signed(up, "GET", target) if headers is None else headers), "Connection": "Upgrade", "Upgrade": "websocket",
                 "Sec-WebSocket-Version": "13", "Sec-WebSocket-Key": key, "Sec-WebSocket-Protocol": protocol}
        lines = "".join(f"{name}: {value}\r\n" for name, value in asked.items())
        self.socket.sendall(f"GET {target} HTTP/1.1\r\n{lines}\r\n".encode())
        while b"\r\n\r\n" not in self.bytes:
            self.more()
        head, _, self.bytes = self.bytes.partition(b"\r\n\r\n")
        self.head = head.decode()
        status = int(self.head.split()[1])
        fields = dict(line.lower().split(": ", 1) for line in self.head.split("\r\n")[1:])
        if status != 101:
            raise Refused(status, self.take(int(fields["content-length"])))
        wanted = base64.b64encode(hashlib.sha1((key + OF_RFC_6455).encode()).digest()).decode()
        assert fields["sec-websocket-accept"] == wanted.lower(), self.head

    def more(self):
        got = self.socket.recv(1 << 16)
        if not got:
            raise EOFError(self.bytes)
        self.bytes += got

    def take(self, size):
        while len(self.bytes) < size:
            self.more()
        taken, self.bytes = self.bytes[:size], self.bytes[size:]
        return taken

    def send(self, opcode, payload, last=True, announces=None):
        size = len(payload) if announces is None else announces
        head = bytes([(0x80 if last else 0) | opcode])
        head += bytes([0x80 | size]) if size < 126 else (struct.pack("!BH", 0xFE, size) if size < 1 << 16 else struct.pack("!BQ", 0xFF, size))
        mask = os.urandom(4)
        whole = (len(payload) + 3) // 4
        number = int.from_bytes(payload, "big") ^ int.from_bytes((mask * whole)[:len(payload)], "big")
        self.socket.sendall(head + mask + number.to_bytes(len(payload), "big"))

    def say(self, **message):
        self.send(TEXT, json.dumps(message).encode())

    def type(self, text):
        self.send(BINARY, text if isinstance(text, bytes) else text.encode())

    def frame(self):
        first, second = self.take(2)
        size = second & 0x7F
        if size > 125:
            size = struct.unpack("!H" if size == 126 else "!Q", self.take(2 if size == 126 else 8))[0]
        return first & 0x0F, bool(first & 0x80), self.take(size)

    def message(self):
        """The next of the server, pings answered: a dict of a text, bytes of output, or the code of the close."""
        parts, kind = [], None
        while True:
            opcode, last, payload = self.frame()
            if opcode == PING:
                self.send(PONG, payload)
            elif opcode == CLOSE:
                return struct.unpack("!H", payload[:2])[0]
            elif opcode != PONG:
                kind = kind or opcode
                parts.append(payload)
                if last:
                    whole = b"".join(parts)
                    return json.loads(whole) if kind == TEXT else whole

    def begin(self, **message):
        """Says the first message; returns what `begun` says."""
        self.say(**message)
        told = self.message()
        assert "begun" in told, told
        return told["begun"]

    def until(self, text):
        """Reads output until it holds `text`; returns it, the newest MiB at least. What a slow reader lost is passed over."""
        seen = b""
        while text.encode() not in seen:
            told = self.message()
            if isinstance(told, dict) and "lost" in told:
                continue
            assert isinstance(told, bytes), (told, seen[-500:])
            seen = seen[-(1 << 20):] + told[1:]
        return seen.decode(errors="replace")

    def end(self):
        """(stdout, stderr, the last text, the code of the close) of all that still comes."""
        out = {1: bytearray(), 2: bytearray()}  # 100 MB may come
        last = None
        while True:
            told = self.message()
            if isinstance(told, int):
                return bytes(out[1]), bytes(out[2]), last, told
            if isinstance(told, bytes):
                out[told[0]] += told[1:]
            else:
                last = told

    def close(self):
        self.socket.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
