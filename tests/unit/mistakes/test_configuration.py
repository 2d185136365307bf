"""Recorded mistakes in configurations are named by lint, or when they are read; correct ones are left in peace."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from condor_py.client.configcheck import check
from condor_py.lang.config import Config, load
from condor_py.lang.config.lint import Finding
from condor_py.model.errors import ConfigError

HERE = Path(__file__).parent


def recorded() -> list[tuple[str, str]]:
    groups = tomllib.loads((HERE / "configuration.toml").read_text())
    return [(text, named) for items in groups.values() for text, named in items.items()]


def findings(path: Path, text: str) -> list[Finding]:
    path.write_text(text + "\n")
    (path.parent / "cycle.conf").write_text("include : $(CONFIG_ROOT)/cycle.conf\n")
    environ = {"CONDOR_CONFIG": str(path), "PATH": "/usr/bin:/bin"}

    def seen(subsystem: str) -> Config:
        return load(environ, subsystem=subsystem)

    return check(seen("TOOL"), seen)


def said(path: Path, text: str) -> list[str]:
    """What a user reads about a configuration."""
    try:
        return [f"{one.knob}: {one.message}" for one in findings(path, text) if "no effect here" not in one.message]
    except ConfigError as error:
        return [str(error)]


def test_each_mistake_is_named(tmp_path: Path) -> None:
    answers = {(text, named): said(tmp_path / "c", text) for text, named in recorded()}
    assert len(answers) > 250
    missed = {key: lines for key, lines in answers.items() if key[1].lower() not in "\n".join(lines).lower()}
    assert missed == {}


@pytest.mark.parametrize("text", tomllib.loads((HERE / "correct.toml").read_text())["configuration"])
def test_what_is_correct_is_left_in_peace(text: str, tmp_path: Path) -> None:
    assert [str(one) for one in findings(tmp_path / "c", text) if one.severity != "note"] == []
