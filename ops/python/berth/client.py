"""How calls are sent: signed, retried, read. The generated classes in operations.py add a method for every operation: what
`call`, `pages` and `stream` make of a call of calls.py."""

import asyncio
import json
import time
import uuid
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import aclosing, closing
from datetime import UTC, datetime
from functools import update_wrapper
from inspect import Parameter, Signature, signature
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

import httpx

from berth.call import IDEMPOTENCY_KEY, LAST_EVENT_ID, MIN_POSITION, Call, Pages, Stream, T
from berth.config import Settings
from berth.errors import ApiError, BerthError, ConfigError, Unreachable, error_of
from berth.events import EventParser, ServerEvent
from berth.signing import Unsigned, signed_headers

RETRIES_MAX = 5
PAUSE_MAX = 30.0  # seconds
TIMEOUT = 45.0  # seconds without a byte: a read waits for its position at most 30, a quiet stream has a comment every 15
JSON = "application/json"
BINARY = "application/octet-stream"
P = ParamSpec("P")
Sent = TypeVar("Sent")
Answer = TypeVar("Answer")
Sender = TypeVar("Sender")
STREAM_BROKE = "the event stream broke, again and again"


class Core:
    """What both clients share: how a call becomes a request, how an answer is read, and the position of the newest write."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.verify = settings.tls() if settings.endpoint.startswith("https:") else True
        self.position: int | None = None

    def completed(self, call: Call[T]) -> Call[T]:
        """A write gets a key of its own, so that it may be repeated; a read is of a state that has the writes of this client."""
        if IDEMPOTENCY_KEY in call.headers and call.headers[IDEMPOTENCY_KEY] is None:
            call = call.with_header(IDEMPOTENCY_KEY, str(uuid.uuid4()))
        if call.signed and MIN_POSITION in call.query and call.query[MIN_POSITION] is None:
            call = call.with_query(MIN_POSITION, self.position)
        return call

    def request(self, call: Call[Any]) -> httpx.Request:
        binary = isinstance(call.body, bytes)
        body = call.body if isinstance(call.body, bytes) else b"" if call.body is None else json.dumps(call.body).encode()
        headers = {name: value for name, value in call.headers.items() if value is not None}
        if body:
            headers["Content-Type"] = BINARY if binary else JSON
        request = httpx.Request(
            call.method, self.settings.endpoint + call.target, headers=headers, content=body,
            extensions={"timeout": httpx.Timeout(TIMEOUT).as_dict()})
        if call.signed:
            self._sign(request, body)
        return request

    def _sign(self, request: httpx.Request, body: bytes) -> None:
        if self.settings.key is None:
            raise ConfigError("this operation needs a key pair, and the settings have none")
        request.headers.update(signed_headers(self.settings.key, Unsigned(
            method=request.method, target=request.url.raw_path.decode(), date=datetime.now(UTC).isoformat().replace("+00:00", "Z"),
            host=request.headers["Host"], content_type=request.headers.get("Content-Type", ""),
            idempotency_key=request.headers.get(IDEMPOTENCY_KEY, ""), body=body)))

    def answer(self, call: Call[T], response: httpx.Response) -> T:
        kind = response.headers.get("Content-Type", "")
        content: Any = response.content if kind else None
        if kind.startswith(JSON):
            content = response.json()
        elif kind.startswith("text/"):
            content = response.text
        if call.method != "GET" and isinstance(content, dict) and "position" in content:
            self.position = max(self.position or 0, content["position"])
        answer: T = content
        return answer

    def unreachable(self, error: httpx.TransportError) -> Unreachable:
        return Unreachable(f"{self.settings.endpoint} does not answer: {error!r}")


class Attempts:
    """The attempts of one call, counted. `call` is what to send next; nothing is sent here."""

    def __init__(self, call: Call[Any]) -> None:
        self.call = call
        self.failed = 0

    def pause(self, failure: BerthError) -> float:
        """Seconds until the next attempt. Raises the failure where another attempt would not help, or might do the thing twice."""
        self.failed += 1
        may_pass = isinstance(failure, Unreachable) or (
            isinstance(failure, ApiError) and (failure.status in (429, 503) or failure.code == "outcome-unknown"))
        if not may_pass or not self.call.repeatable or self.failed > RETRIES_MAX:
            raise failure
        asked = failure.retry_after if isinstance(failure, ApiError) else None
        return min(asked or 0.1 * 2**self.failed, PAUSE_MAX)


class StreamAttempts(Attempts):
    """A stream that broke goes on where it was cut. Events `end` and `restart` are the server's word that it is over."""

    def __init__(self, call: Stream) -> None:
        super().__init__(call.with_header("Accept", "text/event-stream"))
        self.over = False

    def events(self, parser: EventParser, data: bytes) -> Iterator[ServerEvent]:
        self.failed = 0
        for event in parser.feed(data):
            self._go_on_behind(event)
            self.over |= event.name in ("end", "restart")
            if event.name != "end":
                yield event

    def _go_on_behind(self, event: ServerEvent) -> None:
        """A watch says up to where all was told; the journal's stream goes on behind any of its events."""
        if event.name == "position":
            self.call = self.call.with_query("after", event.data["position"])
        elif event.id and LAST_EVENT_ID in self.call.headers:
            self.call = self.call.with_header(LAST_EVENT_ID, event.id)


class BaseClient:
    """Good for several threads. Close it, or use it in a `with`. `settings`: those of the environment unless given."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._core = Core(settings or Settings.from_environment())
        self._http = httpx.Client(verify=self._core.verify, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def _send(self, call: Call[T]) -> T:
        attempts = Attempts(self._core.completed(call))
        while True:
            failure: BerthError
            try:
                response = self._http.send(self._core.request(attempts.call))
                if response.is_success:
                    return self._core.answer(call, response)
                failure = error_of(response)
            except httpx.TransportError as error:
                failure = self._core.unreachable(error)
            time.sleep(attempts.pause(failure))

    def _each(self, call: Pages[T]) -> Iterator[T]:
        token: str | None = ""
        while token is not None:
            page = self._send(call)
            yield from page[call.items]
            token = page["next_page_token"]
            call = call.with_query("page_token", token)

    def _stream(self, call: Stream) -> Iterator[ServerEvent]:
        attempts = StreamAttempts(call)
        while not attempts.over:
            failure: BerthError = Unreachable(STREAM_BROKE)
            try:
                with closing(self._http.send(self._core.request(attempts.call), stream=True)) as response:
                    if not response.is_success:
                        response.read()
                        failure = error_of(response)
                    else:
                        parser = EventParser()
                        for data in response.iter_bytes():
                            yield from attempts.events(parser, data)
            except httpx.TransportError as error:
                failure = self._core.unreachable(error)
            if not attempts.over:
                time.sleep(attempts.pause(failure))


class BaseAsyncClient:
    """The same for asyncio: one event loop; `async with`."""

    def __init__(self, settings: Settings | None = None) -> None:
        self._core = Core(settings or Settings.from_environment())
        self._http = httpx.AsyncClient(verify=self._core.verify, trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def _send(self, call: Call[T]) -> T:
        attempts = Attempts(self._core.completed(call))
        while True:
            failure: BerthError
            try:
                response = await self._http.send(self._core.request(attempts.call))
                if response.is_success:
                    return self._core.answer(call, response)
                failure = error_of(response)
            except httpx.TransportError as error:
                failure = self._core.unreachable(error)
            await asyncio.sleep(attempts.pause(failure))

    async def _each(self, call: Pages[T]) -> AsyncIterator[T]:
        token: str | None = ""
        while token is not None:
            page = await self._send(call)
            for item in page[call.items]:
                yield item
            token = page["next_page_token"]
            call = call.with_query("page_token", token)

    async def _stream(self, call: Stream) -> AsyncIterator[ServerEvent]:
        attempts = StreamAttempts(call)
        while not attempts.over:
            failure: BerthError = Unreachable(STREAM_BROKE)
            try:
                async with aclosing(await self._http.send(self._core.request(attempts.call), stream=True)) as response:
                    if not response.is_success:
                        await response.aread()
                        failure = error_of(response)
                    else:
                        parser = EventParser()
                        async for data in response.aiter_bytes():
                            for event in attempts.events(parser, data):
                                yield event
            except httpx.TransportError as error:
                failure = self._core.unreachable(error)
            if not attempts.over:
                await asyncio.sleep(attempts.pause(failure))


def _method(make: Callable[P, Sent], send: Callable[[Sender, Sent], Answer]) -> Callable[Concatenate[Sender, P], Answer]:
    """The method of a client that sends what `make` makes of its arguments. Its name, text and parameters are those of `make`."""
    def method(self: Sender, /, *args: P.args, **kwargs: P.kwargs) -> Answer:
        return send(self, make(*args, **kwargs))

    update_wrapper(method, make)
    own = signature(make)
    parameters = [Parameter("self", Parameter.POSITIONAL_ONLY), *own.parameters.values()]
    setattr(method, "__signature__", own.replace(parameters=parameters, return_annotation=Signature.empty))
    return method


def call(make: Callable[P, Call[T]]) -> Callable[Concatenate[BaseClient, P], T]:
    return _method(make, BaseClient._send)


def pages(make: Callable[P, Pages[T]]) -> Callable[Concatenate[BaseClient, P], Iterator[T]]:
    return _method(make, BaseClient._each)


def stream(make: Callable[P, Stream]) -> Callable[Concatenate[BaseClient, P], Iterator[ServerEvent]]:
    return _method(make, BaseClient._stream)


def async_call(make: Callable[P, Call[T]]) -> Callable[Concatenate[BaseAsyncClient, P], Coroutine[Any, Any, T]]:
    return _method(make, BaseAsyncClient._send)


def async_pages(make: Callable[P, Pages[T]]) -> Callable[Concatenate[BaseAsyncClient, P], AsyncIterator[T]]:
    return _method(make, BaseAsyncClient._each)


def async_stream(make: Callable[P, Stream]) -> Callable[Concatenate[BaseAsyncClient, P], AsyncIterator[ServerEvent]]:
    return _method(make, BaseAsyncClient._stream)
