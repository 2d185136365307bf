"""Tokens of the IDTOKENS method, as HTCondor's daemons accept them: JSON Web Tokens, signed (HS256) with a key that is
derived from one of the files in SEC_PASSWORD_DIRECTORY.

This pool itself knows its callers from the kernel and asks nobody for a token. Tokens are made here for pools of
HTCondor that share the key.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import pwd
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.model.errors import CondorError, StoreError
from condor_py.model.settings.tokens import TokenSettings
from condor_py.store.signing_keys import read_key

#: The key that every pool has.
POOL = "POOL"
#: Salt and purpose of the key that HTCondor derives, and its bytes.
_SALT, _PURPOSE, _STRENGTH = b"htcondor", b"master jwt", 32
#: Bytes of the random number that names a token.
_NAME = 16
#: Bytes of a file of tokens that are read.
_MOST = 1 << 20


class TokenError(CondorError):
    """No token can be made; the text has HTCondor's source and number (``TOKEN:1:...``)."""

    def __init__(self, source: str, text: str, number: int = 1) -> None:
        super().__init__(f"{source}:{number}:{text}")
        self.number = number


class Wish(NamedTuple):
    """The content of a token: whose it is, the rights that it is limited to (empty for no limit), seconds that it is
    valid (below 0: for ever), and the key that signs it."""

    identity: str
    rights: Sequence[str] = ()
    lifetime: int = -1
    key: str = POOL


def token_settings(config: Config) -> TokenSettings:
    """The settings of tokens. ConfigError."""
    return build(TokenSettings, config)


def key_path(settings: TokenSettings, name: str) -> str:
    """Return the path of a signing key. TokenError."""
    if name in ("", POOL):
        if not settings.pool_key:
            raise TokenError("TOKEN", "No master pool token key setup in SEC_TOKEN_POOL_SIGNING_KEY_FILE")
        return settings.pool_key
    if not settings.keys:
        raise TokenError("TOKEN", "SEC_PASSWORD_DIRECTORY is undefined")
    path = os.path.join(settings.keys, name)
    if "/" in name or "\0" in name or name in (".", ".."):
        raise TokenError("TOKEN", f"Failed to read file {path} securely.")
    return path


def has_key(settings: TokenSettings, name: str) -> bool:
    """Return whether a signing key can be read. TokenError."""
    try:
        read_key(key_path(settings, name))
    except StoreError:
        return False
    return True


def make_token(settings: TokenSettings, wish: Wish, now: int) -> str:
    """Return a signed token. TokenError."""
    try:
        key = read_key(key_path(settings, wish.key))
    except StoreError as error:
        raise TokenError("TOKEN", str(error)) from None
    if not settings.issuer:
        raise TokenError("PASSWD", "Issuer namespace is not set")
    if any(mark in settings.issuer for mark in ", \t"):
        raise TokenError("PASSWD", "Issuer namespace may not contain spaces or commas")
    claims: dict[str, object] = {
        "iat": now, "iss": settings.issuer, "jti": secrets.token_hex(_NAME), "sub": wish.identity,
    }  # fmt: skip
    if wish.lifetime >= 0:
        claims["exp"] = now + wish.lifetime
    if wish.rights:
        claims["scope"] = " ".join(f"condor:/{right}" for right in wish.rights)
    signed = f"{_part({'alg': 'HS256', 'kid': wish.key or POOL})}.{_part(claims)}"
    # HTCondor doubles the bytes of the pool's key, as its older releases did.
    secret = _derived(key * 2 if wish.key in ("", POOL) else key)
    return f"{signed}.{_encoded(hmac.digest(secret, signed.encode(), hashlib.sha256))}"


def _derived(key: bytes) -> bytes:
    """Return the key that signs (HKDF of RFC 5869, one block)."""
    extracted = hmac.digest(_SALT, key, hashlib.sha256)
    return hmac.digest(extracted, _PURPOSE + b"\x01", hashlib.sha256)[:_STRENGTH]


def _part(claims: dict[str, object]) -> str:
    text = json.dumps(claims, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return _encoded(text.replace("/", "\\/").encode("utf-8", "replace"))


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class TokenText(NamedTuple):
    """Header and payload of a token, as JSON texts."""

    header: str
    payload: str


def read_token(line: str) -> TokenText | None:
    """Return the parts of a token; None for a text that is no token. The signature is not checked."""
    parts = line.split(".")
    if len(parts) != 3:
        return None
    try:
        texts = [base64.b64decode(part + "=" * (-len(part) % 4), b"-_", True).decode() for part in parts[:2]]
        if not all(isinstance(json.loads(text), dict) for text in texts):
            return None
    except (ValueError, RecursionError):
        return None
    return TokenText(*texts)


def read_tokens(path: str) -> list[tuple[str, TokenText]]:
    """Return the lines of a file that are tokens, with their parts. OSError."""
    with open(path, encoding="utf-8", errors="replace", opener=_open_file) as file:
        lines = [line.strip() for line in file.read(_MOST).splitlines()]
    found = [(line, read_token(line)) for line in lines if line and not line.startswith("#")]
    return [(line, parts) for line, parts in found if parts is not None]


def _open_file(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOCTTY)


def token_directory(settings: TokenSettings) -> str:
    """Return the directory of the caller's tokens."""
    if settings.user_tokens or os.geteuid() == 0:
        return settings.user_tokens or settings.system_tokens
    try:
        home = pwd.getpwuid(os.geteuid()).pw_dir
    except KeyError:
        return settings.system_tokens
    return os.path.join(home, ".condor", "tokens.d")


def write_token(settings: TokenSettings, token: str, name: str, *, in_directory: bool) -> None:
    """Write a token to a file, which no other account can read: ``name`` itself, or of that name in the directory of
    the caller's tokens. CondorError, in HTCondor's words."""
    path = name
    if in_directory:
        if not name or name != os.path.basename(name):
            raise CondorError("Token name isn't a plain filename")
        directory = token_directory(settings)
        try:
            os.makedirs(directory, 0o700, exist_ok=True)
        except OSError:
            pass  # the file cannot be written then, which is said
        path = os.path.join(directory, name)
    try:
        with open(path, "w", encoding="utf-8", opener=_open_private) as file:
            file.write(token + "\n")
    except (OSError, ValueError) as error:
        number = getattr(error, "errno", None) or 0
        raise CondorError(f"Cannot write token to {path}: {os.strerror(number)} (errno={number})") from None


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOCTTY, 0o600)
