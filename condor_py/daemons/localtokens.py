"""Tokens that condor_credd signs itself (LOCAL_CREDMON_PROVIDER_NAMES): SciTokens, which are signed JSON (JWT).

The package cryptography signs; it is imported when the first token is made.
"""

from __future__ import annotations

import base64
import json
import uuid
from collections.abc import Mapping
from typing import Any

from condor_py.lang.classad import ClassAd, ClassAdParseError
from condor_py.model.later import loaded
from condor_py.model.packages import make_known
from condor_py.model.settings.credentials import LocalTokenSettings
from condor_py.store.fs import RealFs, replace_file

#: Bytes of each of the two numbers of a signature of ES256.
_HALF = 32
_NO_PACKAGE = "the Python package cryptography, which signs tokens, is not installed (pip install 'condor_py[tokens]')"


class CannotSign(Exception):
    """Why there is no token, in one line."""


def token_for(user: str, settings: LocalTokenSettings, now: int) -> bytes:
    """Return the content of a user's access token that is valid from ``now`` on. CannotSign."""
    text = ""
    if not settings.needed_group or settings.needed_group in _groups(user, settings):
        text = _signed(_claims(user, settings, now), settings)
    if settings.as_json:
        return json.dumps({"access_token": text, "expires_in": settings.lifetime}).encode()
    return text.encode() + b"\n"


def _claims(user: str, settings: LocalTokenSettings, now: int) -> dict[str, Any]:
    scopes = [settings.template.replace("{username}", user)]
    if settings.more:
        ad = ClassAd()
        ad.set_str("Username", user)
        try:
            value = ad.eval_text(settings.more)
        except ClassAdParseError as error:
            raise CannotSign(f"LOCAL_CREDMON_AUTHZ_TEMPLATE_EXPR: {error}") from None
        if not isinstance(value, str):
            raise CannotSign("LOCAL_CREDMON_AUTHZ_TEMPLATE_EXPR is no text")
        scopes.append(value)
    if settings.group_template:
        scopes += [settings.group_template.replace("{groupname}", group) for group in _groups(user, settings)]
    claims: dict[str, Any] = {"sub": user, "scope": " ".join(scopes)}
    if settings.version in ("wlcg", "wlcg:1.0"):
        claims["wlcg.ver"] = "1.0"
    elif settings.version:
        claims["ver"] = settings.version
    if audiences := settings.audience.split():
        claims["aud"] = audiences
    elif settings.version.lower() == "scitoken:2.0":
        raise CannotSign("LOCAL_CREDMON_TOKEN_AUDIENCE must be set for a token of the version scitoken:2.0")
    times = {"iat": now, "nbf": now, "exp": now + settings.lifetime}
    return {**claims, "iss": settings.issuer, **times, "jti": str(uuid.uuid4())}


def _groups(user: str, settings: LocalTokenSettings) -> list[str]:
    """The groups of a user by LOCAL_CREDMON_AUTHZ_GROUP_MAPFILE."""
    if not settings.groups:
        raise CannotSign("LOCAL_CREDMON_AUTHZ_GROUP_MAPFILE is not set")
    try:
        with open(settings.groups, encoding="utf-8", errors="surrogateescape") as file:
            lines = [line.split() for line in file]
    except OSError as error:
        raise CannotSign(f"LOCAL_CREDMON_AUTHZ_GROUP_MAPFILE {settings.groups}: {error.strerror}") from None
    return next((words[2].split(",") for words in lines if len(words) > 2 and words[:2] == ["*", user]), [])


def _signed(claims: Mapping[str, Any], settings: LocalTokenSettings) -> str:
    head = {"alg": settings.algorithm, "kid": settings.key_id, "typ": "JWT"}
    text = f"{_encoded(json.dumps(head).encode())}.{_encoded(json.dumps(claims).encode())}"
    return f"{text}.{_encoded(_signature(text.encode(), settings))}"


def _encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _signature(data: bytes, settings: LocalTokenSettings) -> bytes:
    make_known()
    try:
        hashes = loaded("cryptography.hazmat.primitives.hashes")
        serialization = loaded("cryptography.hazmat.primitives.serialization")
        asymmetric = "cryptography.hazmat.primitives.asymmetric"
        ec, padding, rsa, utils = (loaded(f"{asymmetric}.{name}") for name in ("ec", "padding", "rsa", "utils"))
    except ModuleNotFoundError:
        raise CannotSign(_NO_PACKAGE) from None
    key = _key(settings, serialization.load_pem_private_key)
    if settings.algorithm == "RS256" and isinstance(key, rsa.RSAPrivateKey):
        return bytes(key.sign(data, padding.PKCS1v15(), hashes.SHA256()))
    if settings.algorithm == "ES256" and getattr(getattr(key, "curve", None), "name", "") == "secp256r1":
        numbers = utils.decode_dss_signature(key.sign(data, ec.ECDSA(hashes.SHA256())))
        return b"".join(number.to_bytes(_HALF, "big") for number in numbers)
    if settings.algorithm in ("RS256", "ES256"):
        raise CannotSign(f"LOCAL_CREDMON_PRIVATE_KEY {settings.key}: it is no key for {settings.algorithm}")
    raise CannotSign(f"LOCAL_CREDMON_PRIVATE_KEY_ALGORITHM: {settings.algorithm} is neither ES256 nor RS256")


def make_key(key: str, public: str) -> None:
    """Write a new key for ES256, for our account alone, and before it its public part: where there is a key, those who
    check tokens have its part. CannotSign, OSError."""
    make_known()
    try:
        serialization = loaded("cryptography.hazmat.primitives.serialization")
        ec = loaded("cryptography.hazmat.primitives.asymmetric.ec")
    except ModuleNotFoundError:
        raise CannotSign(_NO_PACKAGE) from None
    made = ec.generate_private_key(ec.SECP256R1())
    pem, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    text = made.public_key().public_bytes(pem, serialization.PublicFormat.SubjectPublicKeyInfo)
    files = RealFs()
    replace_file(files, public, text, 0o644, durable=True)
    replace_file(files, key, made.private_bytes(pem, form, serialization.NoEncryption()), 0o600, durable=True)


def _key(settings: LocalTokenSettings, load: Any) -> Any:
    try:
        with open(settings.key, "rb") as file:
            return load(file.read(), password=None)
    except OSError as error:
        raise CannotSign(f"LOCAL_CREDMON_PRIVATE_KEY {settings.key}: {error.strerror}") from None
    except Exception:  # the package has exceptions of its own
        raise CannotSign(f"LOCAL_CREDMON_PRIVATE_KEY {settings.key}: it is no private key in PEM") from None
