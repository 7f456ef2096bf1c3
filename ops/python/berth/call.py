"""One request of an operation, as data: the generated methods make it, a client sends it."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Self, TypeVar
from urllib.parse import quote, urlencode

T = TypeVar("T")
Value = str | int | bool | None

IDEMPOTENCY_KEY = "Idempotency-Key"
LAST_EVENT_ID = "Last-Event-ID"
MIN_POSITION = "min_position"


@dataclass(frozen=True)
class Call(Generic[T]):
    """T is the type of the answer. Parameters that are None are not sent; a client may put its own there."""

    method: str
    path: str
    query: Mapping[str, Value] = field(default_factory=dict)
    headers: Mapping[str, str | None] = field(default_factory=dict)
    body: object = None
    signed: bool = True

    @property
    def target(self) -> str:
        """Path and query, as they are sent and signed."""
        sent = {name: str(value).lower() if isinstance(value, bool) else value for name, value in self.query.items() if value is not None}
        return self.path + ("?" + urlencode(sent, quote_via=quote) if sent else "")

    @property
    def repeatable(self) -> bool:
        """May be sent again when nobody knows what became of it."""
        return self.method == "GET" or self.headers.get(IDEMPOTENCY_KEY) is not None

    def with_query(self, name: str, value: Value) -> Self:
        return replace(self, query={**self.query, name: value})

    def with_header(self, name: str, value: str) -> Self:
        return replace(self, headers={**self.headers, name: value})


@dataclass(frozen=True)
class Pages(Call[Any], Generic[T]):
    """A call whose answer is a page; T is the type of its items, which stand in the field `items`."""

    items: str = ""


class Stream(Call[Any]):
    """A call whose answer is a stream of events."""


def segment(value: Any) -> str:
    """A value as one segment of a path: an image's reference may hold slashes."""
    return quote(str(value), safe="")
