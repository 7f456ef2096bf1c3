#!/usr/bin/env python3
"""Reads an exported journal: prints its events and checks its chain. Standard library only; knows nothing of Berth's code.

    berth journal export > journal.jsonl
    ops/read_journal.py journal.jsonl            a line per event, then what was checked
    ops/read_journal.py --json journal.jsonl     a JSON object per event
    ops/read_journal.py --check journal.jsonl    only the checks
    berth journal export | ops/read_journal.py -
    ops/read_journal.py --check --head head.json journal.jsonl    also that the journal extends a head that was kept (`berth audit head > head.json`)

Of each record it checks the envelope (magic, length, CRC-32C, cluster), then as every reader does (FORMAT.md) whether it
continues the journal: epoch, sequence, link (BLAKE2b-256 of the record before), time, input ranges; and of claims whether the
rolling hash is what was read here; of signed chain heads the Ed25519 signature, key and range. The signatures are checked in plain Python (RFC 8032),
some milliseconds each. A record that does not continue is void: it is counted and shown, and is no error, since
every reader ignores it alike (but one that does not continue its own epoch and that no later signed head covers is told as one); so is an offset that no record has (payload null). What the fold's second net refuses (a bug of Berth's) is not known here.

Exit code: 0 the chain holds, 1 it does not (a damaged record, another cluster, a hole, a false claim), 2 usage.
"""

import argparse
import base64
import hashlib
import json
import re
import struct
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

SCHEMA = Path(__file__).resolve().parent.parent / "events" / "schema" / "v1"
HEADER = struct.Struct("<4sII16sHHHH")  # magic, length, crc, cluster, rules, min_reader, flags, writer length
SIGNED = 1


# ---- the schema, from the .proto files themselves ----

def read_schema(folder=SCHEMA):
    """{message name: {number: (name, type, repeated)}}, {enum name: {number: name}}"""
    messages, enums = {}, {}
    for path in sorted(folder.glob("*.proto")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for kind, name, body in re.findall(r"^(message|enum)\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}", text, re.M):
            if kind == "enum":
                enums[name] = {int(n): v for v, n in re.findall(r"(\w+)\s*=\s*(\d+)\s*;", body)}
            else:
                messages[name] = {int(n): (field, kind_, bool(repeated)) for repeated, kind_, field, n in
                                  re.findall(r"(repeated\s+)?(\w+)\s+(\w+)\s*=\s*(\d+)\s*;", body)}
    return messages, enums


# ---- the wire format of protobuf ----

def varint(data, at):
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise ValueError("a varint is cut")
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value & (1 << 64) - 1, at


def fields(data):
    """Yields (number, wire type, value): an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        number, wire = key >> 3, key & 7
        if wire == 0:
            value, at = varint(data, at)
        elif wire in (1, 5):
            size = 8 if wire == 1 else 4
            if at + size > len(data):
                raise ValueError("a fixed number is cut")
            value, at = int.from_bytes(data[at:at + size], "little"), at + size
        elif wire == 2:
            size, at = varint(data, at)
            if at + size > len(data):
                raise ValueError("a field is cut")
            value, at = data[at:at + size], at + size
        else:
            raise ValueError(f"wire type {wire}")
        yield number, wire, value


class Decoder:
    def __init__(self, schema=None):
        self.messages, self.enums = schema or read_schema()

    def message(self, name, data):
        """A dict in field order; 16 bytes are shown as a UUID, other bytes as hex. Unknown fields are kept as '#number'."""
        known, result = self.messages[name], {}
        for number, wire, value in fields(data):
            field, kind, repeated = known.get(number, (f"#{number}", "bytes" if wire == 2 else "uint64", True))
            if repeated and wire == 2 and kind not in ("string", "bytes") and kind not in self.messages:
                at, packed = 0, []
                while at < len(value):
                    item, at = varint(value, at)
                    packed.append(self.value(kind, item))
                result.setdefault(field, []).extend(packed)
            elif repeated:
                result.setdefault(field, []).append(self.value(kind, value))
            else:
                result[field] = self.value(kind, value)
        return result

    def value(self, kind, value):
        if kind in self.messages:
            return self.message(kind, value)
        if kind in self.enums:
            return self.enums[kind].get(value, value)
        if kind == "string":
            return value.decode("utf-8", "replace")
        if kind == "bytes":
            return str(uuid.UUID(bytes=bytes(value))) if len(value) == 16 else bytes(value).hex()
        if kind == "bool":
            return bool(value)
        if kind in ("int32", "int64") and value >> 63:
            return value - (1 << 64)
        return value


# ---- envelope and hashes ----

def crc_table():
    table = []
    for i in range(256):
        for _ in range(8):
            i = 0x82F63B78 ^ (i >> 1) if i & 1 else i >> 1
        table.append(i)
    return table


CRC = crc_table()


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc = CRC[(crc ^ byte) & 255] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


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


def is_signed(key, signature, message):
    if len(key) != 32 or len(signature) != 64:
        return False
    a, r, s = point_at(key), point_at(signature[:32]), int.from_bytes(signature[32:], "little")
    if a is None or r is None or s >= Q:
        return False
    k = int.from_bytes(hashlib.sha512(signature[:32] + key + message).digest(), "little") % Q
    left, right = times(s, BASE), add_points(r, times(k, a))
    return not (left[0] * right[2] - right[0] * left[2]) % P and not (left[1] * right[2] - right[1] * left[2]) % P


def head_bytes(cluster, start, offset, applied, rolling, state_hash):
    return b"berth chain head 1\n" + cluster.bytes + struct.pack("<QQQ", start, offset, applied) + rolling + state_hash


def key_bytes(cluster, previous, key):
    return b"berth head key 1\n" + cluster.bytes + previous.ljust(32, b"\0") + key


def raw(text):
    """The bytes that the decoder showed as hex or as a UUID."""
    return bytes.fromhex(str(text).replace("-", ""))


class Head:
    """A signed chain head; as a file, what `berth audit head` prints."""

    def __init__(self, cluster, key, start, offset, count, rolling, state_hash, signature):
        self.cluster, self.key, self.start, self.offset, self.count = cluster, key, start, offset, count
        self.rolling, self.state_hash, self.signature = rolling, state_hash, signature

    def is_right(self):
        return is_signed(self.key, self.signature, head_bytes(self.cluster, self.start, self.offset, self.count, self.rolling, self.state_hash))

    @classmethod
    def read(cls, path):
        try:
            with open(path, encoding="ascii") as file:
                told = json.load(file)
            head = cls(uuid.UUID(told["cluster_id"]), raw(told["key"]), told["from"], told["offset"], told["count"],
                       raw(told["rolling_hash"]), raw(told["state_hash"]), raw(told["signature"]))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"{path} is no whole signed chain head: {error}") from error
        if not head.is_right():
            raise ValueError(f"{path} is no whole signed chain head: its signature does not fit what it says")
        return head


class Damaged(Exception):
    """The payload is no valid envelope."""


def open_envelope(payload):
    """(cluster, body)"""
    if len(payload) < HEADER.size:
        raise Damaged("shorter than a header")
    magic, length, crc, cluster, _, _, flags, writer = HEADER.unpack_from(payload)
    if magic == b"BRTH":
        raise Damaged("it was written by a build before Berth 0.1.0")
    if magic != b"BRT1":
        raise Damaged("the magic is not BRT1")
    if length != len(payload):
        raise Damaged(f"its length says {length}, it has {len(payload)} bytes")
    if crc != crc32c(payload[12:]):
        raise Damaged("its checksum differs")
    at = HEADER.size + (writer + 4 + 16 if flags & SIGNED else 0)
    if at > len(payload):
        raise Damaged("its signature is cut")
    return uuid.UUID(bytes=cluster), payload[at:]


# ---- the chain ----

class Chain:
    """What every reader checks before it folds a record. Starts in the middle where the export does: then the first record
    is taken as it is."""

    def __init__(self, cluster=None, start=0, kept=None):
        self.cluster, self.next = cluster, start
        self.kept, self.kept_found = kept, False
        self.applied = 0
        self.applied_at = {start: 0}
        self.key, self.head = b"", None
        self.suspicions = []  # since the newest right head
        self.whole = start == 0
        self.epoch = self.sequence = self.time = 0
        self.link = b""
        self.inputs = {}
        self.rolling = bytes(32)
        self.rolled = {start: self.rolling}
        self.started = self.whole
        self.counts = {"records": 0, "events": 0, "void": 0, "claims": 0, "heads": 0}
        self.problems = []

    def problem(self, offset, text):
        self.problems.append(f"offset {offset}: {text}")

    def take(self, offset, payload, decoder):
        """The record as a dict and "" if it counts, else (dict or None, why it is void)."""
        self.counts["records"] += 1
        if offset != self.next:
            self.problem(offset, f"a hole: {self.next} should follow")
        gap = payload is None
        link = bytes(32) if gap else blake2b_256(payload)
        record, void = (None, "gap") if gap else self.judge(offset, payload, decoder)
        if not void:
            self.apply(record, link, offset)
        else:
            self.counts["void"] += 1
            header = (record or {}).get("header", {})
            if void in ("sequence", "link", "epoch", "time", "input-range") and header.get("epoch", 0) >= self.epoch and header.get("sequence", 0) > self.sequence:
                self.suspicions.append((offset, f"it does not continue the record before ({void}): that one was changed, or records were taken out"))
        self.next = offset + 1
        self.rolling = blake2b_256(self.rolling + struct.pack("<Q", offset) + link)
        self.rolled[self.next] = self.rolling
        self.rolled.pop(self.next - 65_537, None)  # the window of P12
        self.applied_at[self.next] = self.applied
        self.applied_at.pop(self.next - 65_537, None)
        if self.kept and self.whole and self.kept.offset == self.next:
            self.kept_found = self.rolling == self.kept.rolling
            if not self.kept_found:
                first = self.suspicions[0][0] if self.suspicions else self.head.offset if self.head else 0
                self.problem(first, f"the first {self.next} records are not those that the kept head was signed over; from here on they may differ")
        return record, void

    def judge(self, offset, payload, decoder):
        try:
            cluster, body = open_envelope(payload)
        except Damaged as damage:
            self.problem(offset, f"no valid envelope: {damage}")
            return None, "envelope-malformed"
        self.cluster = self.cluster or cluster
        if cluster != self.cluster:
            self.problem(offset, f"it belongs to cluster {cluster}, not {self.cluster}")
            return None, "other-cluster"
        try:
            record = decoder.message("Record", body)
        except ValueError as error:
            self.problem(offset, f"its body is no record: {error}")
            return None, "malformed"
        header = record.get("header", {})
        false_claim = self.false_claim(record)
        void = false_claim or self.continues(header)
        if false_claim == "claim":
            self.problem(offset, "it claims a rolling hash that this journal does not have")
        return record, void

    def false_claim(self, record):
        for event in record.get("events", []):
            claim = event.get("controller_elected", event.get("chain_head_recorded", {})).get("claim")
            if claim is None:
                continue
            at = claim.get("offset", 0)
            if not self.whole or (at <= self.next and at not in self.rolled):
                return "" if not self.whole else "claim-too-old"
            self.counts["claims"] += 1
            if at > self.next or self.rolled[at].hex() != claim.get("rolling", ""):
                return "claim"
        return ""

    def continues(self, header):
        epoch, sequence = header.get("epoch", 0), header.get("sequence", 0)
        link = header.get("link", "")
        if not self.started:
            return ""
        if sequence == 0:
            return "" if epoch == self.epoch + 1 and not link else "epoch"
        if epoch != self.epoch:
            return "epoch"
        if sequence != self.sequence + 1:
            return "sequence"
        if link != self.link.hex():
            return "link"
        if header.get("time_ns", 0) < self.time:
            return "time"
        for each in header.get("ranges", []):
            key, begin = (each.get("stream"), each.get("partition", 0)), each.get("from", 0)
            if begin != self.inputs.get(key, begin if not self.whole else 0) or each.get("to", 0) <= begin:
                return "input-range"
        return ""

    def finish(self):
        """After the last record: what no signed head covers, and the head that was kept."""
        if self.kept and self.cluster and self.kept.cluster != self.cluster:
            self.problem(0, f"the kept head is of cluster {self.kept.cluster}, the journal of {self.cluster}")
        elif self.kept and self.kept.offset > self.next:
            self.problem(self.next, f"the journal ends here, the kept head covers {self.kept.offset} records: its tail was cut off")
        for offset, text in self.suspicions[:1]:
            self.problem(offset, text + "; no signed head covers it")

    def take_key(self, event, offset):
        key, previous, signature = (raw(event.get(name, "")) for name in ("public_key", "previous_key", "signature"))
        right = is_signed(self.key, signature, key_bytes(self.cluster, previous, key)) and previous == self.key if self.key else not previous
        if not right and self.whole:
            self.problem(offset, f"the head key {key.hex()[:16]} is not signed by the key before")
        self.key = key

    def take_head(self, event, offset):
        claim = event.get("claim", {})
        if not event.get("signature"):
            return
        head = Head(self.cluster, raw(event.get("head_key", "")), event.get("from", 0), claim.get("offset", 0), event.get("applied", 0),
                    raw(claim.get("rolling", "")), raw(event.get("state_hash", "")), raw(event.get("signature", "")))
        if self.key and head.key != self.key:
            self.problem(offset, f"this chain head is signed by key {head.key.hex()[:16]}, and the log's is {self.key.hex()[:16]}")
        elif not head.is_right():
            self.problem(offset, "this chain head has a wrong signature")
        elif self.whole and head.start != (self.head.offset if self.head else 0):
            self.problem(offset, f"this chain head follows one at {head.start} that is not there")
        else:
            self.applied += head.count - self.applied_at.get(head.offset, head.count)  # what the fold forbade is not known here
            self.head = head
            self.counts["heads"] += 1
            self.suspicions = [each for each in self.suspicions if each[0] >= head.offset]

    def apply(self, record, link, offset):
        header = record.get("header", {})
        self.started = True
        self.epoch, self.sequence = header.get("epoch", 0), header.get("sequence", 0)
        self.time, self.link = max(self.time, header.get("time_ns", 0)), link
        for each in header.get("ranges", []):
            self.inputs[each.get("stream"), each.get("partition", 0)] = each.get("to", 0)
        for event in record.get("events", []):
            self.counts["events"] += 1
            rewound = event.get("input_rewound")
            if rewound is not None:
                stream = {1: "REQUESTS", 2: "REPORTS"}.get(rewound.get("stream"))
                self.inputs[stream, rewound.get("partition", 0)] = rewound.get("to", 0)
            if "cluster_restored" in event:
                self.epoch += 1000  # beyond the epochs that a lost tail may have had
            if "head_key_changed" in event:
                self.take_key(event["head_key_changed"], offset)
            if "chain_head_recorded" in event:
                self.take_head(event["chain_head_recorded"], offset)
        self.applied += 1


# ---- what is printed ----

FRAME = ("actor", "request_id", "cause", "trace", "skippable")


def body_of(event):
    for name, value in event.items():
        if name not in FRAME:
            return "".join(part.capitalize() for part in name.split("_")), value
    return "Unknown", {}


def brief(value):
    if isinstance(value, dict):
        return "{" + " ".join(f"{key}={brief(inner)}" for key, inner in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(brief(inner) for inner in value) + "]"
    text = str(value)
    if re.fullmatch(r"[0-9a-f]{8}-[0-9a-f-]{27}", text):
        return text[:8]
    return text if re.fullmatch(r"[\w.:@/+-]+", text) else json.dumps(text)


def time_text(ns):
    return datetime.fromtimestamp(ns // 1_000_000_000, timezone.utc).strftime("%Y-%m-%dT%H:%M:%S") + f".{ns % 1_000_000_000 // 1_000_000:03d}Z"


def show(offset, record, void, as_json):
    header = (record or {}).get("header", {})
    if void and not as_json:
        print(f"{offset}  void: {void}")
        return
    for index, event in enumerate((record or {}).get("events", [])):
        kind, body = body_of(event)
        if as_json:
            print(json.dumps({"offset": offset, "index": index, "epoch": header.get("epoch", 0), "sequence": header.get("sequence", 0),
                              "time_ns": header.get("time_ns", 0), "void": void or None, "type": kind, **event}))
        else:
            text = " ".join(f"{key}={brief(value)}" for key, value in body.items()) if isinstance(body, dict) else brief(body)
            actor = f"  by {event['actor']}" if event.get("actor") else ""
            print(f"{offset}-{index}  {time_text(header.get('time_ns', 0))}  {kind} {text}{actor}")


def entries(lines):
    """(offset, payload, which is None where no record has that offset); the first line may be {"cluster_id", "from"}. Raises ValueError with the line."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            entry = json.loads(line)
            if "payload" in entry:
                payload, offset = entry["payload"], entry["offset"]
                if not isinstance(offset, int) or not 0 <= offset < 1 << 63:
                    raise ValueError("its offset is none")
                yield offset, payload if payload is None else base64.b64decode(payload, validate=True)
            elif number == 1 and isinstance(entry["from"], int):
                yield None, entry
            else:
                raise ValueError("no record")
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise ValueError(f"line {number} is no line of an export: {error}") from error


def read(lines, out_json=False, quiet=False, decoder=None, kept=None):
    decoder, chain, cluster = decoder or Decoder(), None, None
    for offset, payload in entries(lines):
        if offset is None:
            cluster = uuid.UUID(payload["cluster_id"]) if "cluster_id" in payload else None
            continue
        chain = chain or Chain(cluster, offset, kept)
        record, void = chain.take(offset, payload, decoder)
        if not quiet:
            show(offset, record, void, out_json)
    if chain is None:
        raise ValueError("no record comes: is it what `berth journal export` prints?")
    chain.finish()
    return chain


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="output of `berth journal export`, - for standard input")
    parser.add_argument("--json", action="store_true", help="a JSON object per event")
    parser.add_argument("--check", action="store_true", help="no events, only the checks")
    parser.add_argument("--head", metavar="FILE", help="a signed head that was kept: the journal must extend it")
    options = parser.parse_args()
    try:
        kept = Head.read(options.head) if options.head else None
        with (sys.stdin if options.file == "-" else open(options.file, encoding="ascii")) as lines:
            chain = read(lines, options.json, options.check, kept=kept)
    except (OSError, ValueError) as error:
        print(f"read_journal: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 0
    for problem in chain.problems:
        print(f"read_journal: {problem}", file=sys.stderr)
    c = chain.counts
    verdict = "the chain holds" if not chain.problems else f"the chain does NOT hold ({len(chain.problems)} problems)"
    if kept and not chain.whole:
        print("read_journal: an export that begins in the middle says nothing about a kept head: export from 0", file=sys.stderr)
        return 2
    heads = f"{c['heads']} signed heads, the newest over {chain.head.offset} records" if chain.head else "no signed head"
    print(f"{heads}; the kept head: {'extended' if chain.kept_found else 'NOT extended' if kept else 'none given'}", file=sys.stderr)
    print(f"{c['records']} records, {c['events']} events, {c['void']} void, {c['claims']} claims checked; cluster {chain.cluster}, "
          f"epoch {chain.epoch}, sequence {chain.sequence}, rolling {chain.rolling.hex()[:16]}: {verdict}", file=sys.stderr)
    return 1 if chain.problems else 0


if __name__ == "__main__":
    sys.exit(main())
