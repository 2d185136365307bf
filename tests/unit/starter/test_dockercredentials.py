"""docker_send_credentials: images that need a password are pulled with the owner's, which nobody else sees."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from base64 import b64encode
from pathlib import Path

import containers
import pytest
from registry import Registry

from condor_py.machine.run import dockercredentials
from condor_py.machine.run.dockercredentials import bring, forget, variables
from condor_py.machine.run.dockerimages import Images
from condor_py.machine.run.engine import Engine
from condor_py.machine.run.identity import account
from condor_py.machine.run.process import StartError
from condor_py.model.settings.containers import DockerSettings
from condor_py.model.states import HoldCode

SECRET = "ann:a good password"


def keep(home: Path, auths: object, **more: object) -> None:
    (home / ".docker").mkdir()
    (home / ".docker" / "config.json").write_text(json.dumps({"auths": auths, **more}))


def test_an_image_is_pulled_with_the_password_of_the_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if reason := containers.why_not():
        pytest.skip(reason)
    registry = Registry()
    registry.secret = SECRET
    image = registry.add("lab/secret", {"data": b"x"})
    top = Path(tempfile.mkdtemp(prefix="engine."))
    engine = Engine(containers.make_engine(top, registry.address))
    images = Images(engine, DockerSettings(engine.argv[0]))
    monkeypatch.setenv("HOME", str(tmp_path))
    keep(tmp_path, {registry.address: {"auth": b64encode(SECRET.encode()).decode()}})
    try:
        with pytest.raises(StartError, match="Cannot pull image"):
            images.pull(image)
        bring("", None, str(top))
        engine.environment.update(variables(str(top)))
        images.pull(image)
        assert images.architecture(image) == "amd64"
        forget(str(top))
        assert not (top / ".docker").exists()
    finally:
        registry.close()
        containers.remove_engine(engine.argv[0])
        shutil.rmtree(top, ignore_errors=True)


def brought(root: Path) -> object:
    path = Path(variables(str(root))["REGISTRY_AUTH_FILE"])
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.parent.stat().st_mode & 0o777 == 0o700
    return json.loads(path.read_text())


def test_only_what_is_for_repositories_is_taken(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    keep(tmp_path, {"example.net": {"auth": "x"}}, credsStore="a program of the user's")
    (tmp_path / "root").mkdir()
    bring("", None, str(tmp_path / "root"))
    assert brought(tmp_path / "root") == {"auths": {"example.net": {"auth": "x"}}}


def test_bytes_that_are_no_text_are_no_mistake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    keep(tmp_path, {})
    (tmp_path / ".docker" / "config.json").write_bytes(b'{"auths": {"example.net": {}}, "note": "\xff"}')
    (tmp_path / "root").mkdir()
    bring("", None, str(tmp_path / "root"))
    assert brought(tmp_path / "root") == {"auths": {"example.net": {}}}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root acts for others")
def test_they_are_those_of_the_owner_read_with_his_rights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """His home is that of the password database, whatever we have in HOME."""
    monkeypatch.setenv("HOME", str(tmp_path / "ours"))
    top = Path(tempfile.mkdtemp(prefix="home."))  # others may not enter what lies above tmp_path
    top.chmod(0o755)
    owner = account("nobody")._replace(home=str(top))
    try:
        keep(top, {"example.net": {"auth": "his"}})
        bring("", owner, str(tmp_path))
        assert brought(tmp_path) == {"auths": {"example.net": {"auth": "his"}}}
        (top / ".docker" / "config.json").chmod(0o600)  # it is root's
        with pytest.raises(StartError, match=r"config.json: Permission denied"):
            bring("", owner, str(tmp_path))
    finally:
        shutil.rmtree(top)


@pytest.mark.parametrize("text", ["[" * 100_000, '{"auths": {}}' + " " * (1 << 20) + "x", "{"])
def test_a_file_of_any_kind_is_told_as_what_is_wrong(
    text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    keep(tmp_path, {})
    (tmp_path / ".docker" / "config.json").write_text(text)
    with pytest.raises(StartError, match=r"Error fetching docker credentials: .*config\.json: "):
        bring("", None, str(tmp_path / "root"))


def program(path: Path, text: str) -> str:
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def test_a_program_of_the_site_tells_them(tmp_path: Path) -> None:
    bring(program(tmp_path / "tell", """echo '{"auths": {"example.net": {}}}'"""), None, str(tmp_path))
    assert brought(tmp_path) == {"auths": {"example.net": {}}}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("""echo '{"HTCondorError": "not today"}'; exit 1""", "not today"),
        ("echo sorry >&2; exit 1", "sorry"),
        ("echo nothing", "they are no JSON object"),
    ],
)
def test_what_cannot_be_had_holds_the_job(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(StartError, match=f"Error fetching docker credentials: {reason}") as caught:
        bring(program(tmp_path / "tell", text), None, str(tmp_path))
    assert caught.value.code == HoldCode.INVALID_DOCKER_IMAGE
    assert not (tmp_path / ".docker").exists()


def test_without_a_file_there_are_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(StartError, match=r"config.json: No such file"):
        bring("", None, str(tmp_path))


@pytest.mark.skipif(os.geteuid() != 0, reason="only root acts for others")
def test_a_program_of_the_site_knows_whose_they_are(tmp_path: Path) -> None:
    top = Path(tempfile.mkdtemp(prefix="home."))  # others may not enter what lies above tmp_path
    top.chmod(0o755)
    owner = account("nobody")._replace(home="/home/nobody's")
    told = program(top / "tell", """printf '{"auths": {"%s %s": {}}}' "$(id -u)" "$HOME" """)
    try:
        bring(told, owner, str(tmp_path))
        assert brought(tmp_path) == {"auths": {f"{owner.uid} /home/nobody's": {}}}
    finally:
        shutil.rmtree(top)


def test_a_file_may_have_a_megabyte(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    keep(tmp_path, {})
    (tmp_path / "root").mkdir()
    text = '{"auths": {"example.net": {}}}'
    (tmp_path / ".docker" / "config.json").write_text(text.ljust(1 << 20))
    bring("", None, str(tmp_path / "root"))
    assert brought(tmp_path / "root") == {"auths": {"example.net": {}}}
    (tmp_path / ".docker" / "config.json").write_text(text.ljust((1 << 20) + 1))
    with pytest.raises(StartError, match="it is too large"):
        bring("", None, str(tmp_path / "root"))
    (tmp_path / ".docker" / "config.json").write_text("[1]")
    with pytest.raises(StartError, match="they are no JSON object"):
        bring("", None, str(tmp_path / "root"))


def test_what_was_brought_before_is_replaced_and_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    keep(tmp_path, {"a": {}})
    root = tmp_path / "root"
    (root / ".docker").mkdir(parents=True)
    (root / ".docker" / "config.json").write_text("old")
    bring("", None, str(root))
    assert brought(root) == {"auths": {"a": {}}}
    forget(str(root))
    assert os.listdir(root) == []
    forget(str(root))
    place = f"{root}/.docker"
    assert variables(str(root)) == {"DOCKER_CONFIG": place, "REGISTRY_AUTH_FILE": f"{place}/config.json"}


@pytest.mark.parametrize("code", [0, 3])
def test_what_a_program_of_the_site_says_is_an_error_in_one_line(tmp_path: Path, code: int) -> None:
    told = program(tmp_path / "tell", f"""echo '{{"HTCondorError": "not\\\\ntoday"}}'; exit {code}""")
    with pytest.raises(StartError, match="Error fetching docker credentials: not today"):
        bring(told, None, str(tmp_path))
    with pytest.raises(StartError, match=r"cannot run /no/program: "):
        bring("/no/program", None, str(tmp_path))
    with pytest.raises(StartError, match=r"/silent failed"):
        bring(program(tmp_path / "silent", "exit 3"), None, str(tmp_path))


def test_a_program_of_the_site_that_does_not_answer_is_not_waited_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dockercredentials, "_PATIENCE", 0.1)
    told = program(tmp_path / "tell", "exec sleep 1000")
    with pytest.raises(StartError, match=f"{told} took more than 0 seconds"):
        bring(told, None, str(tmp_path))


def test_a_program_of_the_site_has_no_variables_of_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "x")
    told = program(tmp_path / "tell", f"env >{tmp_path}/env; echo '{{}}'")
    bring(told, None, str(tmp_path))
    names = {line.partition("=")[0] for line in (tmp_path / "env").read_text().splitlines()}
    assert "PATH" in names
    assert not {"SECRET", "HOME"} & names
