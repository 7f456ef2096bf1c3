"""Signed chain heads: their bytes, their signatures, and which records they list as void. Of ops/read_journal.py; standard library only."""

import functools
import hashlib
import json
import struct
import uuid


def blake2b_256(data):
    return hashlib.blake2b(data, digest_size=32).digest()


# ---- Ed25519 (RFC 8032), only to check signatures: nothing here is secret, so its time may depend on what it reads ----

P = 2**255 - 19
Q = 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P
ROOT = pow(2, (P - 1) // 4, P)


def point_at(data):
    """The point (x, y, 1, xy) of 32 bytes, or None."""
    y = int.from_bytes(data, "little")
    sign, y = y >> 255, y & (1 << 255) - 1
    if y >= P:
        return None
    square = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(square, (P + 3) // 8, P)
    if (x * x - square) % P:
        x = x * ROOT % P
    if (x * x - square) % P or (x == 0 and sign):
        return None
    return (P - x if x & 1 != sign else x), y, 1, (P - x if x & 1 != sign else x) * y % P


def add_points(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return e * f % P, g * h % P, f * g % P, e * h % P


def times(number, point):
    result = (0, 1, 1, 0)
    while number:
        if number & 1:
            result = add_points(result, point)
        point, number = add_points(point, point), number >> 1
    return result


BASE = point_at(bytes([0x58] + [0x66] * 31))


@functools.lru_cache(maxsize=64)
def is_signed(key, signature, message):
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = point_at(key), point_at(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % Q
    left, right = times(s, BASE), add_points(r, times(k, a))
    return not (left[0] * right[2] - right[0] * left[2]) % P and not (left[1] * right[2] - right[1] * left[2]) % P


def head_bytes(cluster, start, offset, applied, rolling, state_hash, voids):
    return b"berth chain head 1\n" + cluster.bytes + struct.pack("<QQQ", start, offset, applied) + rolling + state_hash + blake2b_256(voids)


def key_bytes(cluster, previous, key):
    return b"berth head key 1\n" + cluster.bytes + previous.ljust(32, b"\0") + key


def raw(text):
    """The bytes that the decoder showed as hex or as a UUID."""
    return bytes.fromhex(str(text).replace("-", ""))


VOIDS_LISTED = 32_768


def read_voids(data, begin, end):
    """Of each record of [begin, end) whether it applied, or None: these bytes are no such list."""
    applied, run, shift = [], 0, 0
    runs = 0  # that were read
    for byte in data:
        run, shift = run | (byte & 127) << shift, shift + 7
        if byte > 127 and shift < 28:
            continue
        if byte > 127 or run > end - begin - len(applied) or (run == 0 and runs) or (byte == 0 and shift > 7):
            return None
        applied += [runs % 2 == 0] * run
        run, shift, runs = 0, 0, runs + 1
    return applied + [True] * (end - begin - len(applied)) if runs % 2 == 0 and not shift and begin <= end else None


class Head:
    """A signed chain head; as a file, what `berth audit head` prints."""

    def __init__(self, cluster, key, start, offset, count, rolling, state_hash, voids, signature):
        self.cluster, self.key, self.start, self.offset, self.count = cluster, key, start, offset, count
        self.rolling, self.state_hash, self.voids, self.signature = rolling, state_hash, voids, signature
        self.begin = max(start, offset - VOIDS_LISTED)  # of what `voids` lists

    def is_right(self):
        return is_signed(self.key, self.signature, head_bytes(self.cluster, self.start, self.offset, self.count, self.rolling, self.state_hash, self.voids))

    @classmethod
    def of_event(cls, cluster, event):
        claim = event.get("claim", {})
        return cls(cluster, raw(event.get("head_key", "")), event.get("from", 0), claim.get("offset", 0), event.get("applied", 0), raw(claim.get("rolling", "")),
                   raw(event.get("state_hash", "")), raw(event.get("voids", "")), raw(event.get("signature", "")))

    @classmethod
    def read(cls, path):
        try:
            with open(path, encoding="ascii") as file:
                told = json.load(file)
            head = cls(uuid.UUID(told["cluster_id"]), raw(told["key"]), told["from"], told["offset"], told["count"],
                       raw(told["rolling_hash"]), raw(told["state_hash"]), raw(told["voids"]), raw(told["signature"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"{path} is no whole signed chain head: {error}") from error
        if not head.is_right():
            raise ValueError(f"{path} is no whole signed chain head: its signature does not fit what it says")
        return head
