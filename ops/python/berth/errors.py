"""Everything that this package raises for a reason of its own is a BerthError."""

from typing import Any

import httpx


class BerthError(Exception):
    pass


class ConfigError(BerthError):
    """The settings name no server or no key pair."""


class Unreachable(BerthError):
    """No answer. A write may have been taken: send it again with the same idempotency_key to know."""


class ApiError(BerthError):
    """The server refused: a problem of RFC 9457. `code` is stable; the texts are for people."""

    def __init__(self, status: int, problem: dict[str, Any], retry_after: float | None = None) -> None:
        self.status = status
        self.retry_after = retry_after  # seconds
        self.code: str = problem.get("code", f"http-{status}")
        self.detail: str = problem.get("detail", f"the server answered {status} without a reason")
        self.hint: str | None = problem.get("hint")
        self.request_id: str | None = problem.get("request_id")
        self.errors: list[dict[str, str]] = problem.get("errors", [])
        self.position: int | None = problem.get("position")
        super().__init__(f"{self.code}: {self.detail}" + (f" ({self.hint})" if self.hint else ""))


class BadRequest(ApiError):
    """400"""


class Unauthenticated(ApiError):
    """401"""


class Denied(ApiError):
    """403"""


class NotFound(ApiError):
    """404: it is not there, or it is not yours."""


class Conflict(ApiError):
    """409"""


class TooManyRequests(ApiError):
    """429, after the retries"""


class Unavailable(ApiError):
    """503, after the retries"""


_CLASSES: dict[int, type[ApiError]] = {
    400: BadRequest, 401: Unauthenticated, 403: Denied, 404: NotFound, 409: Conflict, 429: TooManyRequests, 503: Unavailable}


def error_of(response: httpx.Response) -> ApiError:
    """Also of an answer that is no problem: a proxy's page, say."""
    status, seconds = response.status_code, response.headers.get("Retry-After", "")
    try:
        problem = response.json()
    except ValueError:
        problem = None
    return _CLASSES.get(status, ApiError)(status, problem if isinstance(problem, dict) else {},
                                          float(seconds) if seconds.isdecimal() else None)
