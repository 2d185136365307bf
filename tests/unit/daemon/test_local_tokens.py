"""Tokens that condor_credd signs itself."""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from condor_py.daemons import localtokens
from condor_py.daemons.localtokens import CannotSign, make_key, token_for
from condor_py.lang.config import load
from condor_py.lang.config.builders.credentials import added_services, local_services, local_tokens
from condor_py.model.settings.credentials import LocalTokenSettings
from condor_py.store.fs import replace_file

pytest.importorskip("cryptography")
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import dsa, ec, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import encode_dss_signature


def written(key: Any, path: Path) -> str:
    """The path of a key, in the form that openssl writes."""
    path.write_bytes(
        key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
        )
    )
    return str(path)


def decoded(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def made(**fields: Any) -> LocalTokenSettings:
    return LocalTokenSettings(**{"issuer": "https://lab", "audience": "https://a https://b", **fields})


def parts(content: bytes) -> tuple[dict[str, Any], dict[str, Any], bytes, bytes]:
    """Head, claims, what is signed, and the signature."""
    token = json.loads(content)["access_token"]
    head, claims, signature = token.split(".")
    return json.loads(decoded(head)), json.loads(decoded(claims)), f"{head}.{claims}".encode(), decoded(signature)


def test_a_token_is_signed_with_the_key(tmp_path: Path) -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    settings = made(key=written(key, tmp_path / "key"), key_id="k1", lifetime=100)
    content = token_for("alice", settings, 1000)
    assert json.loads(content)["expires_in"] == 100
    head, claims, signed, signature = parts(content)
    halves = (int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    key.public_key().verify(encode_dss_signature(*halves), signed, ec.ECDSA(hashes.SHA256()))
    assert head == {"alg": "ES256", "kid": "k1", "typ": "JWT"}
    assert len(claims.pop("jti")) == 36
    assert claims == {
        "sub": "alice", "scope": "read:/user/alice write:/user/alice", "ver": "scitoken:2.0", "iss": "https://lab",
        "aud": ["https://a", "https://b"], "iat": 1000, "nbf": 1000, "exp": 1100,
    }  # fmt: skip


def test_a_key_that_is_made_signs_tokens(tmp_path: Path) -> None:
    key, public = tmp_path / "key", tmp_path / "public"
    make_key(str(key), str(public))
    assert (key.stat().st_mode & 0o777, public.stat().st_mode & 0o777) == (0o600, 0o644)
    _, _, signed, signature = parts(token_for("alice", made(key=str(key)), 1000))
    halves = (int.from_bytes(signature[:32], "big"), int.from_bytes(signature[32:], "big"))
    found = serialization.load_pem_public_key(public.read_bytes())
    assert isinstance(found, ec.EllipticCurvePublicKey)
    found.verify(encode_dss_signature(*halves), signed, ec.ECDSA(hashes.SHA256()))
    with pytest.raises(OSError, match="No such file"):
        make_key(str(tmp_path / "other"), str(tmp_path / "none" / "public"))
    assert not (tmp_path / "other").exists()


def test_there_is_no_key_without_its_public_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A daemon that was killed in between left one that no process could check tokens of, and made no other."""
    key, public = tmp_path / "key", tmp_path / "public"

    class Killed(BaseException):
        pass

    def killed(*words: Any, **more: Any) -> None:
        replace_file(*words, **more)
        raise Killed

    with monkeypatch.context() as kill:
        kill.setattr(localtokens, "replace_file", killed)
        with pytest.raises(Killed):
            make_key(str(key), str(public))
    assert public.exists() or not key.exists()


def test_a_key_of_another_kind_is_none_for_rs256(tmp_path: Path) -> None:
    """Its error was no reason in one line, and no other user's token was renewed."""
    path = tmp_path / "key"
    key = dsa.generate_private_key(1024)
    with pytest.raises(CannotSign, match="it is no key for RS256"):
        token_for("alice", made(key=written(key, path), algorithm="RS256"), 0)


def test_rsa_groups_and_bare_tokens(tmp_path: Path) -> None:
    key = rsa.generate_private_key(65537, 2048)
    groups = tmp_path / "groups"
    groups.write_text("# nothing\n* bob x,y\nwrong\n* alice red,blue more\n")
    settings = made(
        key=written(key, tmp_path / "key"), algorithm="RS256", version="wlcg", audience="", groups=str(groups),
        group_template="read:/{groupname}", more='strcat("run:/", Username)', needed_group="red",
    )  # fmt: skip
    _, claims, signed, signature = parts(token_for("alice", settings, 0))
    key.public_key().verify(signature, signed, padding.PKCS1v15(), hashes.SHA256())
    assert claims["scope"] == "read:/user/alice write:/user/alice run:/alice read:/red read:/blue"
    assert claims["wlcg.ver"] == "1.0"
    assert json.loads(token_for("carol", settings, 0))["access_token"] == ""
    bare = made(key=settings.key, algorithm="RS256", as_json=False)
    assert token_for("alice", bare, 0).count(b".") == 2


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"key": "/nowhere/key"}, r"LOCAL_CREDMON_PRIVATE_KEY /nowhere/key: No such file"),
        ({"key": "text"}, "it is no private key in PEM"),
        ({"algorithm": "RS256"}, "it is no key for RS256"),
        ({"algorithm": "none"}, "none is neither ES256 nor RS256"),
        ({"audience": ""}, "LOCAL_CREDMON_TOKEN_AUDIENCE must be set"),
        ({"more": "Username +"}, "LOCAL_CREDMON_AUTHZ_TEMPLATE_EXPR"),
        ({"more": "1"}, "LOCAL_CREDMON_AUTHZ_TEMPLATE_EXPR is no text"),
        ({"needed_group": "red"}, "LOCAL_CREDMON_AUTHZ_GROUP_MAPFILE is not set"),
        ({"group_template": "x", "groups": "/nowhere/map"}, "/nowhere/map: No such file"),
    ],
)
def test_why_there_is_no_token(tmp_path: Path, fields: dict[str, str], why: str) -> None:
    (tmp_path / "text").write_text("nothing\n")
    key = written(ec.generate_private_key(ec.SECP256R1()), tmp_path / "key")
    given = {"key": key, **fields}
    given["key"] = str(tmp_path / given["key"])
    with pytest.raises(CannotSign, match=why):
        token_for("alice", made(**given), 0)


def test_without_the_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.hashes", None)
    with pytest.raises(CannotSign, match="cryptography, which signs tokens, is not installed"):
        token_for("alice", made(key=str(tmp_path)), 0)


def test_settings_of_one_service(tmp_path: Path) -> None:
    def read(text: str) -> Any:
        (tmp_path / "c").write_text(f"LOCAL_CREDMON_ISSUER = https://lab\n{text}")
        return load({"CONDOR_CONFIG": str(tmp_path / "c"), "_CONDOR_LOCAL_DIR": "/nowhere"})

    config = read(
        "LOCAL_CREDMON_TOKEN_LIFETIME = 60\nLOCAL_CREDMON_a_TOKEN_LIFETIME = 30\nLOCAL_CREDMON_a_KEY_ID = x\n"
    )
    found = [(one.lifetime, one.key_id, one.as_json, one.issuer) for one in (local_tokens(config, s) for s in "ab")]
    assert found == [(30, "x", True, "https://lab"), (60, "local", True, "https://lab")]
    assert (local_services(config), added_services(config)) == (("scitokens",), ())
    config = read("LOCAL_CREDMON_PROVIDER_NAMES = a, b\nSUBMIT_ADD_LOCAL_CREDMON_PROVIDER_NAMES = b\n")
    assert (local_services(config), added_services(config)) == (("a", "b"), ("b",))
    config = read("LOCAL_CREDMON_PROVIDER_NAME = c\nSUBMIT_ADD_LOCAL_CREDMON_PROVIDERS = false\n")
    assert (local_services(config), added_services(config)) == (("c",), ())
