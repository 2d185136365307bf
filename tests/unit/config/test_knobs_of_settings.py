"""Settings whose fields name their knobs: declared once, in the table that users see, and read as they are declared."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from condor_py.lang.config import fieldtable, load
from condor_py.lang.config.build import build, read
from condor_py.lang.config.params import FIELDS, FOLDER
from condor_py.lang.config.settings import OVERRIDE
from condor_py.model.errors import ConfigError
from condor_py.model.settings.knob import Knob, Settings, boolean, expression, integer, path, real, string, words

KNOBS = [knob for kind in fieldtable.classes() for knob in kind.knobs()]


class Some(Settings, group="Negotiator"):
    count: int = integer("SOME_COUNT", 20, "How many.", least=1, most=50)
    limited: int = integer("SOME_LIMITED", 3, "Brought between its limits.", at_least=1, at_most=6)
    kilobytes: int = integer("SOME_MB", None, "In another unit.", factor=1024)
    rate: float = real("SOME_RATE", "1e3", "How fast.")
    wanted: bool = boolean("SOME_WANTED", None, "Whether.", without=True)
    name: str = string("SOME_NAME", None, "Its name.", empty="nothing")
    needed: str = expression("SOME_EXPR", "true", "When.", needed=True, checked=True)
    place: str = path("SOME_PLACE", "$(LOG)/there", "Where.")
    names: tuple[str, ...] = words("SOME_NAMES", None, "Which.")
    other: int = 5
    host: str


def some(tmp_path: Path, text: str) -> Some:
    (tmp_path / "c").write_text(f"LOG = /log\n{text}\n")
    return build(Some, load({"CONDOR_CONFIG": str(tmp_path / "c")}), host="here")


def test_the_table_of_the_users_is_that_of_the_classes() -> None:
    with open(os.path.join(FOLDER, FIELDS), encoding="utf-8") as file:
        assert file.read() == fieldtable.table(), "write it anew: python -m condor_py.lang.config.fieldtable"


def test_a_knob_is_declared_once() -> None:
    names = {knob.name: knob for knob in KNOBS}
    assert [knob.name for knob in KNOBS if names[knob.name] is not knob] == []


def test_without_a_configuration_the_declared_values_count() -> None:
    made = Some(host="here")
    assert (made.count, made.limited, made.kilobytes, made.rate, made.wanted) == (20, 3, 0, 1000.0, True)
    assert (made.name, made.needed, made.place, made.names, made.other) == ("nothing", "true", "", (), 5)


def test_what_is_set_is_read_as_declared(tmp_path: Path) -> None:
    made = some(
        tmp_path,
        "SOME_COUNT = 7 * 6\nSOME_LIMITED = 99\nSOME_MB = 2\nSOME_RATE = 0.5\nSOME_WANTED = False\nSOME_NAME = x y"
        "\nSOME_EXPR = Cpus > 1\nSOME_PLACE = $(LOG)//a\nSOME_NAMES = a, b c",
    )
    assert (made.count, made.limited, made.kilobytes, made.rate, made.wanted) == (42, 6, 2048, 0.5, False)
    assert (made.name, made.needed, made.place, made.names) == ("x y", "Cpus > 1", "/log/a", ("a", "b", "c"))


def test_an_empty_text_counts_as_declared(tmp_path: Path) -> None:
    made = some(tmp_path, "SOME_NAME =\nSOME_EXPR =\nSOME_LIMITED = -4\nSOME_NAMES =")
    assert (made.name, made.needed, made.limited, made.names) == ("nothing", "true", 1, ())


def test_settings_say_what_they_lack_and_do_not_change() -> None:
    with pytest.raises(TypeError, match="Some needs host"):
        Some()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Some has no cuont"):
        Some(host="", cuont=1)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="Some has two values of count"):
        Some(1, count=2, host="")
    with pytest.raises(TypeError, match="Some has 11 fields, not 12"):
        Some(*range(12))  # type: ignore[call-arg, arg-type]
    made = Some(host="a")
    with pytest.raises(AttributeError, match="count cannot be changed"):
        made.count = 1  # type: ignore[misc]
    assert made.changed(count=4) == Some(count=4, host="a") != made


@pytest.mark.parametrize("text", ["many", "1 2", "-", "\x00", "\u00a0", "undefined", '"7"', "0/0"])
@pytest.mark.parametrize("form", ["integer", "real", "boolean"])
def test_what_is_no_value_is_named(form: str, text: str) -> None:
    """Each number and truth value of each daemon refuses what it cannot be, with its name."""
    config = load({"CONDOR_CONFIG": "ONLY_ENV"})
    tried = [knob for knob in KNOBS if knob.form == form]
    assert len(tried) > 5
    for knob in tried:
        config.macros.set(knob.name, text, OVERRIDE)
        with pytest.raises(ConfigError, match=knob.name):
            read(config, knob)


def test_numbers_outside_of_their_range_are_named() -> None:
    config = load({"CONDOR_CONFIG": "ONLY_ENV"})
    bounded = [knob for knob in KNOBS if knob.form == "integer" and knob.least is not None and knob.default is not None]
    assert len(bounded) > 40
    for knob in bounded:
        config.macros.set(knob.name, str(int(knob.least or 0) - 1), OVERRIDE)
        with pytest.raises(ConfigError, match=knob.name):
            read(config, knob)


def test_every_knob_says_what_it_is_for() -> None:
    assert [knob.name for knob in KNOBS if not knob.meaning.endswith(".") or len(knob.meaning) < 8] == []


def test_knobs_are_told_from_plain_values() -> None:
    assert isinstance(Some.declared["count"], Knob)
    assert Some.declared["other"] == 5
    assert [knob.name for knob in Some.knobs()][:2] == ["SOME_COUNT", "SOME_LIMITED"]
