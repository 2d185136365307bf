"""The manual of the submit language tells of every command."""

from __future__ import annotations

import importlib.util
import os
import re
from pathlib import Path

import pytest

import condor_py
from condor_py.lang.submit.commands import SIMPLE, Kind, Simple
from condor_py.lang.submit.manual import commands, entries

#: Of HTCondor's table: macros and attributes that no description sets, and what has had no effect for long.
NO_COMMANDS = {
    "cluster", "process", "nodecount", "wantnametag", "_container_port", "exit_requirements", "project_name",
    "transform_body_", "remote_grid_resource", "remote_remote_grid_resource",
}  # fmt: skip


def explained(name: str) -> bool:
    """Whether a command is in the manual, also as one of a family (``request_<name>``)."""
    heads = [entry.command.partition("<")[0] for entry in entries() if "<" in entry.command]
    return name.lower() in commands() or any(head and name.lower().startswith(head) for head in heads)


def test_every_command_that_becomes_an_attribute_is_explained() -> None:
    missing = [row.command for row in SIMPLE if not explained(row.command)]
    assert [name for name in missing if name.lower() not in NO_COMMANDS] == []


@pytest.mark.parametrize("row", SIMPLE, ids=lambda row: str(row.command))
def test_a_line_of_the_manual_is_all_that_a_simple_command_needs(alice, row: Simple) -> None:  # type: ignore[no-untyped-def]
    value, text = {
        Kind.EXPR: ("1 + x", "1 + x"), Kind.BOOL: ("1 > 2", "false"), Kind.INT: ("2 + 3", "5"), Kind.UINT: ("7", "7"),
        Kind.LIST: ("a , b", '"a,b"'), Kind.FILE: ("f", f'"{alice.directory}/f"'), Kind.UNQUOTED: ('"u"', '"u"'),
        Kind.UNQUOTED_FILE: ('"g"', f'"{alice.directory}/g"'), Kind.STRING: ("Word", '"Word"'),
    }[row.kind]  # fmt: skip
    if row.command == "cuda_version":  # a version, which becomes a number later
        value, text = "1.5", "1005"
    job = alice.job(f"{row.command} = {value}")
    assert job[row.attribute] == text


def test_every_command_of_htcondor_is_explained() -> None:
    source = os.environ.get("CONDOR_PY_HTCONDOR_SUBMIT_KEYS")
    if not source:
        pytest.skip("CONDOR_PY_HTCONDOR_SUBMIT_KEYS does not name HTCondor's list of submit commands")
    names = re.findall(r'#define\s+SUBMIT_KEY_\w+\s+"([^"]+)"', Path(source).read_text())
    assert len(names) > 200
    assert [name for name in names if not explained(name) and name.lower() not in NO_COMMANDS] == []


def test_the_census_of_commands_is_that_of_the_manual() -> None:
    """``python docs/commands.py`` writes it."""
    docs = Path(__file__).parents[3] / "docs"
    spec = importlib.util.spec_from_file_location("commands_of_docs", docs / "commands.py")
    assert spec is not None
    assert spec.loader is not None
    census = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(census)
    assert census.page() == (docs / "submit-commands.md").read_text()
    assert census.missing_of('#define SUBMIT_KEY_Rank "rank"\n#define SUBMIT_KEY_New  "brand_new"\n') == {"brand_new"}


#: Attributes that are all that their commands have to do here: submit uses them, they say what is so
#: anyway, or they are for another schedd.
READ_BY_SUBMIT = {
    "CUDAVersion", "JarFiles", "TransferContainer", "ContainerIsCommon", "DontEncryptInputFiles",
    "DontEncryptOutputFiles", "Remote_GridResource", "Remote_Remote_GridResource",
}  # fmt: skip


def test_an_attribute_of_a_command_with_an_effect_is_read_somewhere() -> None:
    package = Path(condor_py.__file__).parent
    lists = (package / "lang" / "submit", package / "bindings", package / "model" / "attributes.py")
    texts = [
        path.read_text().lower()
        for path in package.rglob("*.py")
        if not {*path.parents, path} & set(lists) and "__pycache__" not in path.parts
    ]
    source = "\n".join(texts)
    idle = {name.lower() for entry in entries() if entry.no_effect for name in entry.spellings}
    unread = {row.attribute for row in SIMPLE if row.command not in idle and row.attribute.lower() not in source}
    assert unread <= READ_BY_SUBMIT


def test_each_is_explained_once_in_a_sentence() -> None:
    names = [name.lower() for entry in entries() for name in entry.spellings]
    assert len(names) == len(set(names))
    for entry in entries():
        assert entry.text.endswith("."), entry.command
        assert entry.value.strip() == entry.value != "", entry.command


def test_a_misspelled_command_is_recognised(alice) -> None:  # type: ignore[no-untyped-def]
    file = alice.parse("executable = /bin/true\nreqest_memory = 1\npublic_inputs_files = x\nqueue\n")
    assert file.meant("reqest_memory") == "request_memory"
    assert file.meant("public_inputs_files") == "public_input_files"
