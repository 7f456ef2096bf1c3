#!/usr/bin/env python3
"""Compares two files of `berth-sim --dump`: compare_dumps.py BEFORE AFTER [RENAMED]

Every event and row of every seed must be equal, but for what follows of the bytes themselves (links, hashes, signatures) and for
what RENAMED says: a JSON file {"words": {SET: {OLD: [NEW, NUMBER]}}, "events": {PATH: SET}, "rows": {PATH: SET}, "moved": {BODY.FIELD: FIELD}}.
A path in an event is of names ("events.controller_elected.rules"), one in a row of the table's and the fields' numbers ("13.7"):
a SET may be the path of the table of codes;
there the word OLD has become the enum's value NEW, in a row its number. What moved was a field of the event's body and is one of the event.
Ids that follow of other bytes are the same as long as each one before stands for one after, and the other way round.
Exit code 0: no difference; 1: some, of which the first twenty are printed; 2: usage.
"""

import base64
import json
import os
import re
import sys

# Follow of the bytes of records as written.
OF_BYTES = {
    "events": {"header.link", "header.ranges.last_crc", "events.controller_elected.claim.rolling",
               "events.chain_head_recorded.claim.rolling", "events.chain_head_recorded.state_hash",
               "events.chain_head_recorded.signature"},
    "rows": {"13.3", "14.3", "32.9", "32.10", "32.11"},
}
MOST_TOLD = 20
TOLD_OF_EACH = 200  # characters


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields_of(data):
    """[(number, int or bytes)], or None: these bytes are no message."""
    at, found = 0, []
    try:
        while at < len(data):
            tag, at = varint(data, at)
            if tag >> 3 == 0:
                return None
            if tag & 7 == 0:
                value, at = varint(data, at)
            elif tag & 7 == 2:
                length, at = varint(data, at)
                value = data[at : at + length]
                if len(value) != length:
                    return None
                at += length
            elif tag & 7 in (1, 5):
                length = 8 if tag & 7 == 1 else 4
                value, at = int.from_bytes(data[at : at + length], "little"), at + length
            else:
                return None
            found.append((tag >> 3, value))
    except IndexError:
        return None
    return found


def codes_of(path):
    """The words of the table of codes, with their names and numbers in the schema."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", path), encoding="utf-8") as file:
        rows = re.findall(r'^CODE\((\d+), "([^"]+)"', file.read(), re.M)
    return {word: [f"CODE_{re.sub('[-.]', '_', word.upper())}", int(number)] for number, word in rows}


class Comparison:
    def __init__(self, renamed):
        words = {name: known if isinstance(known, dict) else codes_of(known) for name, known in renamed.get("words", {}).items()}
        self.renamed = {kind: {path: words[name] for path, name in renamed.get(kind, {}).items()} for kind in ("events", "rows")}
        self.left_out = OF_BYTES
        self.moved = [(*old.split("."), new) for old, new in renamed.get("moved", {}).items()]
        self.ids, self.ids_back = {}, {}
        self.differences = self.compared = 0
        self.seed = 0

    def differs(self, kind, path, before, after):
        self.differences += 1
        if self.differences <= MOST_TOLD:
            print(f"seed {self.seed}: {kind} {path}: {repr(before)[:TOLD_OF_EACH]} -> {repr(after)[:TOLD_OF_EACH]}")

    def is_same_id(self, before, after):
        return len(before) == len(after) == 16 and self.ids.setdefault(before, after) == after and self.ids_back.setdefault(after, before) == before

    def events(self, path, before, after):
        if path in self.left_out["events"]:
            return
        if isinstance(before, dict) and isinstance(after, dict):
            for name in before.keys() | after.keys():
                self.events(f"{path}.{name}".lstrip("."), before.get(name), after.get(name))
        elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
            for one, other in zip(before, after):
                self.events(path, one, other)
        elif before != after:
            new = self.renamed["events"].get(path, {}).get(str(before))
            if new is not None and new[0] == after:
                return
            if isinstance(before, str) and isinstance(after, str):
                try:
                    if self.is_same_id(base64.b64decode(before, validate=True), base64.b64decode(after, validate=True)):
                        return
                except ValueError:
                    pass
            self.differs("event", path, before, after)

    def bytes_of_row(self, path, before, after):
        if path in self.left_out["rows"] or before == after or self.is_same_id(before, after):
            return
        one, other = fields_of(before), fields_of(after)
        if one is None or other is None:
            self.differs("row", path, before, after)
            return
        numbers = {number for number, _ in one} | {number for number, _ in other}
        for number in sorted(numbers):
            self.field(f"{path}.{number}", [v for n, v in one if n == number], [v for n, v in other if n == number])

    def field(self, path, before, after):
        if path in self.left_out["rows"]:
            return
        if len(before) != len(after):
            self.differs("row", path, before, after)
            return
        for one, other in zip(before, after):
            if isinstance(one, bytes) and isinstance(other, bytes):
                self.bytes_of_row(path, one, other)
            elif one != other:
                word = one.decode("utf-8", "replace") if isinstance(one, bytes) else str(one)
                if self.renamed["rows"].get(path, {}).get(word, [None, None])[1] != other:
                    self.differs("row", path, one, other)

    def move(self, record):
        for event in record.get("events", []):
            for body, field, new in self.moved:
                if field in event.get(body, {}):
                    event[new] = event[body].pop(field)

    def line(self, before, after):
        self.compared += 1
        if "seed" in before or "seed" in after:
            self.seed = before.get("seed")
            self.ids, self.ids_back = {}, {}
            if before != after:
                self.differs("run", "seed", before, after)
        elif "table" in before and "table" in after:
            if before["table"] != after["table"]:
                self.differs("row", "table", before, after)
                return
            self.bytes_of_row(str(before["table"]), bytes.fromhex(before["row"]), bytes.fromhex(after["row"]))
        else:
            self.move(before)
            self.events("", before, after)


def main(arguments):
    if len(arguments) not in (2, 3):
        print(__doc__, file=sys.stderr)
        return 2
    renamed = {}
    if len(arguments) == 3:
        with open(arguments[2], encoding="utf-8") as file:
            renamed = json.load(file)
    comparison = Comparison(renamed)
    with open(arguments[0], encoding="utf-8") as before, open(arguments[1], encoding="utf-8") as after:
        while True:
            one, other = before.readline(), after.readline()
            if not one and not other:
                break
            if not one or not other:
                comparison.differs("file", "length", one[:80], other[:80])
                break
            comparison.line(json.loads(one), json.loads(other))
    print(f"{comparison.compared} lines of events and rows compared, {comparison.differences} differences")
    return 1 if comparison.differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
