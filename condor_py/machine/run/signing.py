"""Signing of ``s3://`` and ``gs://`` URLs: the result is an ``https://`` URL that gets or puts one object for an hour
and needs no key (Signature Version 4 of AWS, with the signature in the query).

The keys stay in the files of the job's owner, who alone reads them: neither a plugin nor the job gets them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from time import gmtime, strftime
from typing import NamedTuple

from condor_py.machine.run.failures import scheme_of
from condor_py.machine.run.job import KeyFiles
from condor_py.machine.run.userfiles import user_file

SCHEMES = ("s3", "gs")
#: Seconds for which a URL is good, and by which the clock of the server may be behind ours.
_LIFE, _SKEW = 3600, 5
_AMAZON, _GOOGLE, _REGION = ".amazonaws.com", "storage.googleapis.com", "us-east-1"
_PLAIN = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")
#: Characters of a file with a key that are read.
_MOST_OF_A_KEY = 64 << 10


class SigningError(Exception):
    """A URL that cannot be signed; ``code`` is HTCondor's number of the reason."""

    def __init__(self, code: int, text: str) -> None:
        super().__init__(text)
        self.code = code


class Keys(NamedTuple):
    """The contents of the files that a job names; ``token`` is that of temporary keys, "" without."""

    access: str
    secret: str
    token: str = ""


def read_keys(files: KeyFiles, directory: str) -> Keys:
    """Return the keys in the files of a job, whose relative names are below ``directory``. SigningError."""
    access = _content(directory, files.access, 7, "access key")
    secret = _content(directory, files.secret, 9, "secret key")
    if not files.token:
        return Keys(access, secret)
    return Keys(access, secret, _content(directory, files.token, 10, "security token"))


def _content(directory: str, name: str, code: int, what: str) -> str:
    """Return the text of a small file without white space around it. SigningError ``code`` without a name, the next
    number for a file that cannot be read."""
    if not name:
        raise SigningError(code, f"{what} file not defined")
    try:
        with user_file(os.path.join(directory, name), links=True) as file:
            text: str = file.read(_MOST_OF_A_KEY).strip()
    except (OSError, ValueError):
        raise SigningError(code + 1, f"unable to read from {what} file") from None
    return text


class _Place(NamedTuple):
    """An object as a server knows it: host (with a port, if the URL has one), region, and encoded path."""

    host: str
    region: str
    path: str


def signed(url: str, keys: Keys, region: str, verb: str, now: float, life: int = _LIFE) -> str:
    """Return the ``https`` URL with which ``verb`` (GET, PUT) may be done to an object. SigningError.

    ``now`` is in seconds since 1970, ``life`` in seconds.
    """
    place = _place_of(url, region)
    moment = gmtime(now - _SKEW)
    stamp, day = strftime("%Y%m%dT%H%M%SZ", moment), strftime("%Y%m%d", moment)
    scope = f"{day}/{place.region}/s3/aws4_request"
    query = {
        "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
        "X-Amz-Credential": f"{keys.access}/{scope}",
        "X-Amz-Date": stamp,
        "X-Amz-Expires": str(life),
        "X-Amz-SignedHeaders": "host",
        **({"X-Amz-Security-Token": keys.token} if keys.token else {}),
    }
    text = _query(query)
    request = f"{verb}\n{place.path}\n{text}\nhost:{place.host}\n\nhost\nUNSIGNED-PAYLOAD"
    signature = _signature(keys.secret, (day, place.region, "s3", "aws4_request"), stamp, scope, request)
    return f"https://{place.host}{place.path}?{text}&X-Amz-Signature={signature}"


def _place_of(url: str, region: str) -> _Place:
    """The server of a URL: a bucket of Amazon (a name without dots, or BUCKET.s3.REGION.amazonaws.com), that of Google,
    or any host with a dot."""
    scheme, rest = scheme_of(url), url.partition("://")[2]
    if scheme not in SCHEMES:
        raise SigningError(1, "an S3 URL must begin with s3://")
    if scheme == "gs":
        rest = f"{_GOOGLE}/{rest}"
    where, slash, key = rest.partition("/")
    if not slash:
        raise SigningError(
            2,
            "an S3 URL must be of the form s3://<bucket>/<object>, s3://<bucket>.s3.<region>.amazonaws.com/<object>, "
            "or s3://.../... for non-AWS endpoints",
        )
    name, colon, port = where.partition(":")
    host, above = name, "/"
    if "." not in name and region:
        host = f"{name}.s3.{region}{_AMAZON}"
    elif "." not in name and _is_host_name(name):
        host = f"{name}.s3{_AMAZON}"
    elif "." not in name:
        host, region, above = f"s3{_AMAZON}", _REGION, f"/{_encoded(name)}/"
    elif name.endswith(_AMAZON):
        _, dot, region = name.removesuffix(_AMAZON).rpartition(".s3.")
        if not dot:
            raise SigningError(
                3,
                "invalid format for domain-based buckets; must be of the form "
                "s3://<bucket>.s3.<region>.amazonaws.com/<object>",
            )
    return _Place(f"{host}{colon}{port}", region or _REGION, above + _encoded(key, "/"))


def _is_host_name(bucket: str) -> bool:
    """Whether the name of a bucket may be a part of a host's name. Old names are not."""
    return "_" not in bucket and not any(char.isupper() for char in bucket)


def _encoded(text: str, plain: str = "") -> str:
    """``text`` with all but letters, digits, ``-_.~`` and ``plain`` as %XY."""
    octets = text.encode("utf-8", "surrogateescape")
    return "".join(char if (char := chr(octet)) in _PLAIN or char in plain else f"%{octet:02X}" for octet in octets)


def _query(items: Mapping[str, str]) -> str:
    return "&".join(f"{_encoded(name)}={_encoded(items[name])}" for name in sorted(items))


def _signature(secret: str, steps: tuple[str, ...], stamp: str, scope: str, request: str) -> str:
    """The signature of a request by a key that each of ``steps`` narrows down."""
    import hashlib
    import hmac

    key = f"AWS4{secret}".encode("utf-8", "surrogateescape")
    for step in steps:
        key = hmac.digest(key, step.encode("utf-8", "surrogateescape"), "sha256")
    digest = hashlib.sha256(request.encode("utf-8", "surrogateescape")).hexdigest()
    return hmac.digest(key, f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}".encode(), "sha256").hex()
