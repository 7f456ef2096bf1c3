"""Which server, which key pair, whose certificate: from the environment and the files that `berth` uses too."""

import hashlib
import json
import os
import re
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from berth.errors import ConfigError
from berth.signing import KeyPair

DEFAULT_ENDPOINT = "http://127.0.0.1:7410"
DEFAULT_DATA = "/var/lib/berth"


@dataclass(frozen=True)
class Settings:
    """Without a key pair only open operations can be called. `ca`: a PEM file; `fingerprint`: "sha256:" and hex, of the server's
    own certificate; without both, https trusts this machine's authorities."""

    endpoint: str = DEFAULT_ENDPOINT
    key: KeyPair | None = None
    ca: str | None = None
    fingerprint: str | None = None

    def __post_init__(self) -> None:
        if not re.fullmatch(r"https?://[^/?#@\s]+", self.endpoint):
            raise ConfigError(f"{self.endpoint!r} is no endpoint: write http://HOST:PORT or https://HOST:PORT")
        if (self.ca or self.fingerprint) and not self.endpoint.startswith("https:"):
            raise ConfigError(f"a certificate is named, but {self.endpoint} is not https")

    @classmethod
    def from_key_file(cls, path: str, endpoint: str | None = None) -> "Settings":
        """`endpoint` goes before the one that the file may name."""
        key, noted = _read_key_file(path)
        return cls(endpoint or noted or DEFAULT_ENDPOINT, key)

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> "Settings":
        """BERTH__API__ENDPOINT, _CA, _FINGERPRINT; BERTH_ACCESS_KEY and BERTH_SECRET_KEY, or BERTH__API__KEY_FILE; what
        these leave open is read from the data folder of a server of this user: BERTH_DATA."""

        def first(*names: str) -> str | None:
            return next((environment[name] for name in names if environment.get(name)), None)

        data = first("BERTH_DATA", "BERTH__DATA__DIR") or DEFAULT_DATA
        access_key = first("BERTH_ACCESS_KEY", "BERTH__API__ACCESS_KEY")
        secret_key = first("BERTH_SECRET_KEY", "BERTH__API__SECRET_KEY")
        if bool(access_key) != bool(secret_key):
            raise ConfigError("of access key and secret key only one is set")
        if access_key and secret_key:
            key, noted = KeyPair(access_key, secret_key), None
        else:
            key, noted = _read_key_file(first("BERTH__API__KEY_FILE") or f"{data}/keys/admin.json")
        if endpoint := first("BERTH__API__ENDPOINT"):
            return cls(endpoint, key, first("BERTH__API__CA"), first("BERTH__API__FINGERPRINT"))
        endpoint, fingerprint = _read_endpoint_file(f"{data}/berth.endpoint")
        return cls(endpoint or noted or DEFAULT_ENDPOINT, key, fingerprint=fingerprint)

    def tls(self) -> ssl.SSLContext:
        """With a fingerprint it asks the server for its certificate, and trusts that one alone."""
        if not self.fingerprint:
            return ssl.create_default_context(cafile=self.ca)
        server = urlsplit(self.endpoint)
        try:
            certificate = ssl.get_server_certificate((server.hostname or "", server.port or 443), timeout=10)
        except OSError as error:
            raise ConfigError(f"no certificate from {self.endpoint}: {error}") from error
        found = "sha256:" + hashlib.sha256(ssl.PEM_cert_to_DER_cert(certificate)).hexdigest()
        if found != self.fingerprint:
            raise ConfigError(f"the certificate of {self.endpoint} is {found}, not {self.fingerprint}")
        context = ssl.create_default_context(cadata=certificate)
        context.check_hostname = False
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # it may have a chain: the certificate itself is enough
        return context


def _read_key_file(path: str) -> tuple[KeyPair, str | None]:
    """The key pair, and the endpoint if it names one. Only a file that is this user's alone: another's key would be obeyed too."""
    try:
        with open(os.open(path, os.O_RDONLY | os.O_NOFOLLOW), encoding="utf-8") as file:
            owner = os.fstat(file.fileno())
            text = file.read()
    except OSError as error:
        raise ConfigError(f"cannot read the key file {path}: {error.strerror}; name one by BERTH__API__KEY_FILE, or set "
                          "BERTH_ACCESS_KEY and BERTH_SECRET_KEY") from error
    if owner.st_uid != os.geteuid() or owner.st_mode & 0o077:
        raise ConfigError(f"{path} is not this user's alone: chmod 600 it, if you trust what is in it")
    try:
        content = json.loads(text)
        return KeyPair(content["access_key"], content["secret_key"]), content.get("endpoint")
    except (ValueError, KeyError, TypeError) as error:
        raise ConfigError(f"{path} is no key file: it is not JSON with access_key and secret_key") from error


def _read_endpoint_file(path: str) -> tuple[str | None, str | None]:
    """Address and fingerprint of the server that runs on a data folder; None where none does."""
    try:
        with open(path, encoding="utf-8") as file:
            address, *fingerprint = file.read().split()
    except (OSError, ValueError):
        return None, None
    return address, fingerprint[0] if fingerprint else None
