"""BERTH-HMAC-SHA256, the signature of a request: controller/api/README.md has the recipe. Pure: the caller names the date."""

import hashlib
import hmac
from dataclasses import dataclass, field

SCHEME = "BERTH-HMAC-SHA256"
VERSION = "2"


@dataclass(frozen=True)
class KeyPair:
    access_key: str
    secret_key: str = field(repr=False)


@dataclass(frozen=True)
class Unsigned:
    """What of a request is signed, as it will be sent. `date`: RFC 3339 in UTC. Absent headers are empty."""

    method: str
    target: str
    date: str
    host: str
    content_type: str
    idempotency_key: str
    body: bytes

    @property
    def body_hash(self) -> str:
        return hashlib.sha256(self.body).hexdigest()

    @property
    def string_to_sign(self) -> str:
        return "\n".join((self.method, self.target, self.date, self.host, self.content_type, VERSION, self.idempotency_key,
                          self.body_hash))


def _hmac(key: bytes, text: str) -> bytes:
    return hmac.digest(key, text.encode(), "sha256")


def signature(secret_key: str, request: Unsigned) -> str:
    day = request.date[:10].replace("-", "")
    key = _hmac(_hmac(secret_key.encode(), day), request.host)
    return _hmac(key, request.string_to_sign).hex()


def signed_headers(key: KeyPair, request: Unsigned) -> dict[str, str]:
    """The headers that a signature adds to those of the request."""
    return {
        "X-Berth-Date": request.date,
        "X-Berth-Version": VERSION,
        "X-Berth-Content-SHA256": request.body_hash,
        "Authorization": f"{SCHEME} key={key.access_key}, signature={signature(key.secret_key, request)}",
    }
