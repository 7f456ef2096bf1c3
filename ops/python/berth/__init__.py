"""A typed client of Berth, sync and async. README.md has an example; models has the JSON of the API as types."""

from berth.config import Settings
from berth.errors import (
    ApiError, BadRequest, BerthError, ConfigError, Conflict, Denied, NotFound, TooManyRequests, Unauthenticated, Unavailable,
    Unreachable)
from berth.events import ServerEvent
from berth.operations import AsyncClient, Client
from berth.signing import KeyPair

__all__ = [
    "ApiError", "AsyncClient", "BadRequest", "BerthError", "Client", "ConfigError", "Conflict", "Denied", "KeyPair", "NotFound",
    "ServerEvent", "Settings", "TooManyRequests", "Unauthenticated", "Unavailable", "Unreachable"]
