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
every reader ignores it alike (but one that does not continue its own epoch and that no later signed head covers is told as one); so is an offset that no record has (payload null).
A record that continues may still be one that the cluster ignored: it has no right MAC, which only the cluster's secret shows, or the fold's second net forbade it (a bug of Berth's). The next signed head
says which those are; so a record is printed once a head covers it, or at the end. They are named on standard error, and are no error.

Exit code: 0 the chain holds, 1 it does not (a damaged record, another cluster, a hole, a false claim), 2 usage.
"""

import argparse
import base64
import collections
import copy
import json
import re
import struct
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
from signed_heads import VOIDS_LISTED, Head, blake2b_256, is_signed, key_bytes, raw, read_voids  # noqa: E402

SCHEMA = Path(__file__).resolve().parent.parent / "events" / "schema" / "v1"
HEADER = struct.Struct("<4sII16sHHHH")  # magic, length, crc, cluster, rules, min_reader, flags, writer length
SIGNED = 1


# ---- the schema, from the .proto files themselves ----

def words_of(names):
    """A value without its enum's prefix, in small letters ("domain-admin"); of an enum without a prefix the names themselves."""
    prefix = names.get(0, "").removesuffix("UNSPECIFIED")
    if not prefix or not all(name.startswith(prefix) for name in names.values()):
        return names
    return {number: name.removeprefix(prefix).lower().replace("_", "-") for number, name in names.items()}


def read_schema(folder=SCHEMA):
    """{message name: {number: (name, type, repeated)}}, {enum name: {number: word or name}}"""
    messages, enums = {}, {}
    for path in sorted(folder.glob("*.proto")):
        text = re.sub(r"//[^\n]*", "", path.read_text(encoding="utf-8"))
        for kind, name, body in re.findall(r"^(message|enum)\s+(\w+)\s*\{((?:[^{}]|\{[^{}]*\})*)\}", text, re.M):
            if kind == "enum":
                enums[name] = words_of({int(n): v for v, n in re.findall(r"(\w+)\s*=\s*(\d+)\s*;", body)})
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

KEPT_BACK = 65_536  # the window of P12: what lies further back is claimed by nobody
BYTES_BACK = 64 << 20
IGNORED_NAMED = 16


class View:
    """What the walk has come to after some record."""

    def __init__(self, started):
        self.started, self.epoch, self.sequence, self.time, self.dead = started, 0, 0, 0, False
        self.link, self.inputs, self.key, self.head, self.applied = b"", {}, b"", None, 0
        self.counts = {"events": 0, "void": 0, "heads": 0, "ignored": 0}
        self.ignored = []  # the first ones: [offset, epoch, whether it is known that the fold has not forbidden it]

    def copy(self):
        other = copy.copy(self)
        other.inputs, other.counts, other.ignored = dict(self.inputs), dict(self.counts), [list(each) for each in self.ignored]
        return other


class Seen:
    """A record that was read. `void`: why it is void whatever was before it; `now`: why it is void as things stand."""

    def __init__(self, offset, payload, link):
        self.offset, self.size, self.link = offset, len(payload or b""), link
        self.record, self.void, self.suspicion = None, "", ""
        self.now, self.told, self.ignored = "", "", False

    @property
    def header(self):
        return (self.record or {}).get("header", {})

    def bodies(self, name):
        return [event[name] for event in (self.record or {}).get("events", []) if name in event]


class Chain:
    """What every reader checks before it folds a record. Starts in the middle where the export does: then the first record
    is taken as it is. Records are pending until a signed head tells which of them the cluster took as effective (FORMAT.md)."""

    def __init__(self, cluster=None, start=0, kept=None, settled=lambda seen: None):
        self.cluster, self.next, self.start = cluster, start, start
        self.kept, self.kept_found = kept, False
        self.on_settled = settled  # called with each record in order, when nothing changes any more whether it counts
        self.whole = start == 0
        self.settled, self.now = View(self.whole), View(self.whole)
        self.pending, self.pending_bytes = collections.deque(), 0
        self.suspicion = None  # the first since the newest right head
        self.rolling = bytes(32)
        self.rolled = {start: self.rolling}
        self.records = self.claims = 0
        self.problems = []

    def problem(self, offset, text):
        self.problems.append(f"offset {offset}: {text}")

    def suspect(self, offset, text):
        self.suspicion = self.suspicion or (offset, text)

    def take(self, offset, payload, decoder):
        self.records += 1
        if offset != self.next:
            self.problem(offset, f"a hole: {self.next} should follow")
        seen = Seen(offset, payload, bytes(32) if payload is None else blake2b_256(payload))
        self.look(seen, payload, decoder)
        self.next = offset + 1
        self.rolling = blake2b_256(self.rolling + struct.pack("<Q", offset) + seen.link)
        self.rolled[self.next] = self.rolling
        self.rolled.pop(self.next - KEPT_BACK - 1, None)
        self.pending.append(seen)
        self.pending_bytes += seen.size
        if not self.consider(seen):
            self.judge(seen)  # else all that is pending is judged
        while len(self.pending) > KEPT_BACK or self.pending_bytes > BYTES_BACK:
            self.drop_oldest()
        if self.kept and self.whole and self.kept.offset == self.next:
            self.kept_found = self.rolling == self.kept.rolling
            if self.kept_found and self.pending and self.kept.offset > self.pending[0].offset:
                self.settle(self.kept)
            elif not self.kept_found:
                first = self.suspicion[0] if self.suspicion else self.now.head.offset if self.now.head else 0
                self.problem(first, f"the first {self.next} records are not those that the kept head was signed over; from here on they may differ")

    # ---- what a record is whatever was before it ----

    def look(self, seen, payload, decoder):
        if payload is None:
            seen.void = "gap"
            return
        try:
            cluster, body = open_envelope(payload)
            self.cluster = self.cluster or cluster
            if cluster != self.cluster:
                seen.void, seen.suspicion = "other-cluster", f"it belongs to cluster {cluster}, not {self.cluster}"
                return
            seen.record = decoder.message("Record", body)
            if len(payload) > 256 << 10:
                raise ValueError("it is larger than 256 KiB")
        except Damaged as damage:
            seen.void, seen.suspicion = "envelope-malformed", f"no valid envelope: {damage}"
        except ValueError as error:
            seen.void, seen.suspicion = "malformed", f"its body is no record: {error}"
        else:
            seen.void = self.false_claim(seen)
            if seen.void == "claim":
                seen.suspicion = "it claims a rolling hash that this journal does not have"

    def false_claim(self, seen):
        for body in seen.bodies("controller_elected") + seen.bodies("chain_head_recorded"):
            at, claim = body.get("claim", {}).get("offset", 0), body.get("claim", {})
            if not self.whole:
                return ""
            if at <= self.next and (at not in self.rolled or (body.get("signature") and at + VOIDS_LISTED < self.next)):
                return "claim-too-old"
            self.claims += 1
            if at > self.next or self.rolled[at].hex() != claim.get("rolling", ""):
                return "claim"
        return ""

    # ---- what it is after those before it ----

    def continues(self, view, seen):
        header = seen.header
        epoch, sequence = header.get("epoch", 0), header.get("sequence", 0)
        link, ranges, events = header.get("link", ""), header.get("ranges", []), (seen.record or {}).get("events", [])
        if seen.void or not view.started:
            return seen.void
        if sequence == 0 and (epoch != view.epoch + 1 or link):
            return "epoch"
        if sequence:
            if epoch != view.epoch:
                return "epoch"
            if view.dead:
                return "dead-epoch"
            if sequence != view.sequence + 1:
                return "sequence"
            if link != view.link.hex():
                return "link"
            if header.get("time_ns", 0) < view.time:
                return "time"
            for each in ranges:
                key, begin = (each.get("stream"), each.get("partition", 0)), each.get("from", 0)
                if begin != view.inputs.get(key, begin if not self.whole else 0) or each.get("to", 0) <= begin:
                    return "input-range"
        is_election = len(events) == 1 and "controller_elected" in events[0]
        return "malformed" if not (events or ranges) or is_election != (sequence == 0) else ""

    def apply(self, view, seen):
        """Takes the record into the view, or says why the fold forbids it."""
        header = seen.header
        view.started, view.dead = True, False
        view.epoch, view.sequence = header.get("epoch", 0), header.get("sequence", 0)
        view.time, view.link = max(view.time, header.get("time_ns", 0)), seen.link
        for each in header.get("ranges", []):
            view.inputs[each.get("stream"), each.get("partition", 0)] = each.get("to", 0)
        for event in seen.record.get("events", []):
            view.counts["events"] += 1
            rewound, why = event.get("input_rewound"), ""
            if rewound is not None:
                stream = {1: "REQUESTS", 2: "REPORTS"}.get(rewound.get("stream"))
                view.inputs[stream, rewound.get("partition", 0)] = rewound.get("to", 0)
            if "cluster_restored" in event:
                view.epoch, view.dead = view.epoch + 1000, True  # beyond the epochs that a lost tail may have had
            if "head_key_changed" in event:
                why = self.take_key(view, event["head_key_changed"])
            if "chain_head_recorded" in event:
                why = why or self.take_head(view, event["chain_head_recorded"])
            if why:
                return why
        view.applied += 1
        for each in view.ignored:
            each[2] = each[2] or each[1] == header.get("epoch", 0)
        return ""

    def take_key(self, view, event):
        key, right = raw(event.get("public_key", "")), self.follows(view.key, event)
        if not right and (self.whole or view.key):
            return f"the head key {key.hex()[:16]} is not signed by the key before"
        view.key = key
        return ""

    def follows(self, key, event):
        new, previous, signature = (raw(event.get(name, "")) for name in ("public_key", "previous_key", "signature"))
        return previous == key and len(new) == 32 and (not key or is_signed(key, signature, key_bytes(self.cluster, previous, new)))

    def take_head(self, view, event):
        if not event.get("signature"):
            return ""
        head = Head.of_event(self.cluster, event)
        if (self.whole or view.key) and head.key != view.key:
            return f"this chain head is signed by key {head.key.hex()[:16]}, and the log's is {view.key.hex()[:16]}"
        if not head.is_right():
            return "this chain head has a wrong signature"
        if self.whole and head.start != (view.head.offset if view.head else 0):
            return f"this chain head follows one at {head.start} that is not there"
        view.head = head
        view.counts["heads"] += 1
        return ""

    # ---- pending: as things stand ----

    def judge(self, seen):
        view, header = self.now, seen.header
        if seen.suspicion:
            self.suspect(seen.offset, seen.suspicion)
        seen.now = self.continues(view, seen)
        if not seen.now:
            before = view.copy() if seen.bodies("head_key_changed") or seen.bodies("chain_head_recorded") else None
            forbidden = self.apply(view, seen)
            if not forbidden:
                return
            seen.now, self.now = "forbidden", before
            self.suspect(seen.offset, forbidden)
        elif not seen.void and header.get("epoch", 0) >= view.epoch and header.get("sequence", 0) > view.sequence:
            self.suspect(seen.offset, f"it does not continue the record before ({seen.now}): that one was changed, or records were taken out")
        self.now.counts["void"] += 1

    def drop_oldest(self):
        seen = self.pending.popleft()
        self.pending_bytes -= seen.size
        if seen.now:
            self.settled.counts["void"] += 1
        else:
            self.apply(self.settled, seen)
        self.on_settled(seen)

    # ---- settled: by a signed head, in whatever record it stands ----

    def consider(self, seen):
        for event in seen.bodies("chain_head_recorded"):
            if not event.get("signature") or seen.void:
                continue
            head, keys = Head.of_event(self.cluster, event), self.keys_known()
            if head.offset <= self.pending[0].offset or not (head.key in keys or not self.whole and not keys) or not head.is_right():
                continue
            if self.settle(head):
                return True
            seen.void = "claim" if self.whole else ""
        return False

    def keys_known(self):
        keys = {self.settled.key}
        for seen in self.pending:
            keys |= {raw(event["public_key"]) for event in seen.bodies("head_key_changed") if any(self.follows(key, event) for key in keys)}
        return keys - {b""}

    def settle(self, head):
        """False: what it says of the pending records cannot be; such a head is void for every reader."""
        applied = read_voids(head.voids, head.begin, head.offset)
        view, covered = self.settled.copy(), [seen for seen in self.pending if seen.offset < head.offset]
        if applied is None or not all(self.settle_one(view, seen, applied, head.begin) for seen in covered):
            return False
        if self.whole and covered and head.begin <= covered[0].offset and view.applied != head.count:
            return False
        view.applied = head.count  # of what lies before its list, the leaders counted what the fold forbade
        for seen in covered:
            self.pending.popleft()
            self.pending_bytes -= seen.size
            seen.now = seen.told
            self.on_settled(seen)
        self.settled, self.now, self.suspicion = view, view.copy(), None  # it was so when it was signed
        for seen in self.pending:
            self.judge(seen)
        return True

    def settle_one(self, view, seen, applied, begin):
        why, listed = self.continues(view, seen), seen.offset >= begin
        counts = applied[seen.offset - begin] if listed else not why
        if counts:
            seen.told, seen.ignored = "", False
            return not why and not self.apply(view, seen)
        seen.told, seen.ignored = why or "ignored", not why
        view.counts["void"] += 1
        view.counts["ignored"] += seen.ignored
        if seen.ignored and len(view.ignored) < IGNORED_NAMED:
            view.ignored.append([seen.offset, seen.header.get("epoch", 0), False])
        return True

    def finish(self):
        """After the last record: what no signed head covers, and the head that was kept."""
        while self.pending:
            self.drop_oldest()
        if self.kept and self.cluster and self.kept.cluster != self.cluster:
            self.problem(0, f"the kept head is of cluster {self.kept.cluster}, the journal of {self.cluster}")
        elif self.kept and self.kept.offset > self.next:
            self.problem(self.next, f"the journal ends here, the kept head covers {self.kept.offset} records: its tail was cut off")
        if self.suspicion:
            self.problem(self.suspicion[0], self.suspicion[1] + "; no signed head covers it")


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
    settled = (lambda seen: None) if quiet else lambda seen: show(seen.offset, seen.record, seen.now, out_json)
    for offset, payload in entries(lines):
        if offset is None:
            cluster = uuid.UUID(payload["cluster_id"]) if "cluster_id" in payload else None
            continue
        chain = chain or Chain(cluster, offset, kept, settled)
        chain.take(offset, payload, decoder)
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
    for offset, _, certain in chain.now.ignored:
        why = "it has no right MAC" if certain else "it has no right MAC, or the fold forbade it"
        print(f"read_journal: offset {offset}: ignored by the cluster, though it continues the record before: {why}", file=sys.stderr)
    now, c = chain.now, chain.now.counts
    verdict = "the chain holds" if not chain.problems else f"the chain does NOT hold ({len(chain.problems)} problems)"
    if kept and not chain.whole:
        print("read_journal: an export that begins in the middle says nothing about a kept head: export from 0", file=sys.stderr)
        return 2
    heads = f"{c['heads']} signed heads, the newest over {now.head.offset} records" if now.head else "no signed head"
    print(f"{heads}; the kept head: {'extended' if chain.kept_found else 'NOT extended' if kept else 'none given'}", file=sys.stderr)
    print(f"{chain.records} records, {c['events']} events, {c['void']} void, {chain.claims} claims checked; cluster {chain.cluster}, "
          f"epoch {now.epoch}, sequence {now.sequence}, rolling {chain.rolling.hex()[:16]}: {verdict}", file=sys.stderr)
    return 1 if chain.problems else 0


if __name__ == "__main__":
    sys.exit(main())
