"""The table of knobs: complete, described, and the same as the annotated file."""

from __future__ import annotations

import re
from pathlib import Path

import condor_py
from condor_py.config import load
from condor_py.config.annotate import annotated
from condor_py.config.descriptions import DESCRIPTIONS
from condor_py.config.detected import names
from condor_py.config.params import PARAMS
from condor_py.config.rooms.starter import starter
from condor_py.config.templates import TEMPLATES

ROOT = Path(condor_py.__file__).parent


def described() -> dict[str, str]:
    return {name.lower(): text for group in DESCRIPTIONS.values() for name, text in group.items()}


def test_every_knob_is_described_in_one_line() -> None:
    texts = described()
    assert [name for name in PARAMS if name not in texts] == []
    assert [name for name, text in texts.items() if "\n" in text or not text.endswith(".")] == []
    assert len(texts) == sum(len(group) for group in DESCRIPTIONS.values())


def test_every_knob_that_the_program_names_is_in_the_table() -> None:
    known = {*described(), *(name.lower() for name in names())}
    asked = re.compile(r"config\.(?:string|integer|boolean|real|list|path|expression|size|expanded)\(\s*\"(\w+)\"")
    used = {name for path in ROOT.rglob("*.py") for name in asked.findall(path.read_text())}
    assert {name for name in used if name.lower() not in known} == set()
    assert len(used) > 100


def test_defaults_are_of_their_kind() -> None:
    config = load({"CONDOR_CONFIG": "ONLY_ENV"})
    for name, default, kind, _, _ in PARAMS.values():
        if not default:
            continue
        read = {"i": config.integer, "r": config.real, "b": config.boolean, "z": config.size, "p": config.path}.get(
            kind
        )
        assert read is None or read(name) is not None


def test_defaults_refer_only_to_what_there_is() -> None:
    known = {*PARAMS, *described(), *(name.lower() for name in names()), "update_collector_with_tcp"}
    referred = {
        (param[0], name.lower()) for param in PARAMS.values() for name in re.findall(r"\$\((\w+)[):]", param[1])
    }
    assert {pair for pair in referred if pair[1] not in known} == set()


def test_the_annotated_file_is_current() -> None:
    path = ROOT.parent / "etc" / "condor_config"
    assert path.read_text() == annotated(), "run: python -m condor_py.config.annotate > etc/condor_config"


def test_the_annotated_file_sets_nothing_and_with_all_its_lines_set_it_still_loads(tmp_path: Path) -> None:
    path = tmp_path / "c"
    path.write_text(annotated())
    assert len(load({"CONDOR_CONFIG": str(path)}).macros) == 0
    lines = re.sub(r"^#(?=[A-Za-z_.0-9]+ =|use )", "", annotated(), flags=re.MULTILINE)
    path.write_text(lines)
    config = load({"CONDOR_CONFIG": str(path), "XDG_STATE_HOME": str(tmp_path)})
    assert config.string("PREEMPTION_REQUIREMENTS") == "False"


def test_every_template_loads() -> None:
    for category, templates in TEMPLATES.values():
        for name in templates:
            text = f"T = x > 1\nuse {category} : {name}(T, 1, c, d, e, f)\n"
            load({}, root="/c", read={"/c": text}.__getitem__, run=lambda _command: (0, ""))


def test_starter_settings() -> None:
    text = "STARTER_JOB_ENVIRONMENT = \"A=1 B='x ''y'''\"\n"
    text += "JOB_INHERITS_STARTER_ENVIRONMENT = PATH LC_*\nEXECUTE = /e//f\n"
    settings = starter(load({}, root="/c", read={"/c": text}.__getitem__))
    assert settings.job_environment == (("A", "1"), ("B", "x 'y'"))
    assert settings.inherited == ("PATH", "LC_*")
    assert settings.execute == "/e/f"
    assert settings.mount_under_scratch == '"/tmp,/var/tmp"'
