"""Server-sent events: the parser of a stream."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from berth.errors import BerthError

LINE_BYTES_MAX = 16 << 20


@dataclass(frozen=True)
class ServerEvent:
    """`id` is what a stream goes on behind (empty: it has none), `name` the kind, `data` the JSON."""

    id: str
    name: str
    data: Any


@dataclass
class EventParser:
    """Takes the bytes of one stream in pieces of any size. Berth writes data as one line of JSON; a comment is no event."""

    _rest: bytes = b""
    _fields: dict[str, str] = field(default_factory=dict)

    def feed(self, data: bytes) -> Iterator[ServerEvent]:
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > LINE_BYTES_MAX:
            raise BerthError(f"a line of the event stream is longer than {LINE_BYTES_MAX} bytes")
        for line in lines:
            yield from self._take(line.removesuffix(b"\r").decode())

    def _take(self, line: str) -> Iterator[ServerEvent]:
        name, _, value = line.partition(":")
        if name:
            self._fields[name] = value.removeprefix(" ")
        elif not line:
            fields, self._fields = self._fields, {}
            if "data" in fields:
                yield ServerEvent(fields.get("id", ""), fields.get("event", "message"), json.loads(fields["data"]))
