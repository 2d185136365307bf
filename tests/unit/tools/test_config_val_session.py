"""A configuration of three files, and what condor_config_val prints about it (tests/golden/session/config_val.txt).

After a wanted change CONDOR_PY_RECORD=1 writes it again, and the difference is to be read.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import tomllib
from pathlib import Path

import pytest
from tool_runner import Spool

SESSION = Path(__file__).resolve().parents[2] / "golden" / "session" / "config_val.txt"
FILES = {
    "root": "LOCAL_DIR = {here}/local\nLOCAL_CONFIG_FILE = {here}/one, {here}/two\nMY_TEXT = plain\nMY_PATH = /a//b\n",
    "one": "# a remark\nMY_TEXT = $(MY_PATH)/x\nMY_LIST = a, \\\n  b, \\\n  c\nMY_EMPTY =\n"
    "SCHEDD.MY_TEXT = of the schedd\ntwo.MY_TEXT = of two\nMAX_JOBS_RUNNING = 7\n",
    "two": "MY_BLOCK @=end\nfirst\n  second\n@end\nMY_SUM = $(MAX_JOBS_RUNNING) + 1\nMY_ENV = $ENV(MY_VARIABLE)\n"
    "MY_LOOP = $(NOT_THERE:fallback)\nMAX_JOBS_RUNNING = 9\nJOB_START_DELAY = 3\nMY_INT = $INT(MY_SUM)\n",
    "more": "MY_TEXT = of more\n",
    "bad": "MY_TEXT = 1\nthis is no setting\n",
}
COMMANDS = """\
condor_config_val MY_TEXT
condor_config_val my_text MY_LIST MY_EMPTY NOT_THERE MAX_JOBS_RUNNING
condor_config_val -verbose MY_TEXT
condor_config_val -verbose MY_LIST MY_BLOCK MY_SUM MY_INT
condor_config_val -info -verbose MY_TEXT JOB_START_DELAY
condor_config_val -raw MY_TEXT MY_SUM MY_BLOCK
condor_config_val -default MAX_JOBS_RUNNING JOB_START_DELAY MY_TEXT
condor_config_val -subsystem SCHEDD MY_TEXT
condor_config_val -subsystem SCHEDD -verbose MY_TEXT
condor_config_val -local-name two MY_TEXT
condor_config_val -dump ^MY_
condor_config_val -dump -verbose ^MY_
condor_config_val -dump -default ^JOB_START
condor_config_val -dump -info -verbose ^JOB_START
condor_config_val -dump ( ^MY_T
condor_config_val -dump -used ^MY_
condor_config_val -json MY_TEXT MY_LIST NOT_THERE
condor_config_val -config
condor_config_val -macro '$(MY_TEXT) and $(NOT_THERE:x)'
condor_config_val -macro -verbose '$(MY_TEXT) and $(NOT_THERE:x)'
condor_config_val -macro:path '$(MY_TEXT)'
condor_config_val -check-if 'true'
condor_config_val -check-if 'defined MY_TEXT'
condor_config_val -check-if 'version > 8'
condor_config_val -check-if '$(MAX_JOBS_RUNNING) > 3'
condor_config_val -check-if 'odd'
condor_config_val -root-config root MY_TEXT
condor_config_val -root-config more MY_TEXT MY_LIST
condor_config_val -reconfig more MY_TEXT
condor_config_val -reconfig more -config
condor_config_val -root-config bad MY_TEXT
condor_config_val use ROLE
condor_config_val use ROLE:Personal
condor_config_val use ROLE:Nothing
condor_config_val use NOTHING
condor_config_val -evaluate MY_SUM
condor_config_val -trace MY_TEXT
condor_config_val -summary\
""".splitlines()


@pytest.fixture
def files(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    for name, text in FILES.items():
        Path(name).write_text(text.format(here=os.getcwd()) if name == "root" else text)
    monkeypatch.delenv("_CONDOR_LOCAL_DIR")
    monkeypatch.delenv("_CONDOR_UID_DOMAIN")
    monkeypatch.setenv("CONDOR_CONFIG", f"{os.getcwd()}/root")
    monkeypatch.setenv("MY_VARIABLE", "of the environment")
    return spool


def of_session(command: str) -> str:
    text = SESSION.read_text()
    begin = text.index(f"$ {command}\n")
    end = text.find("\n$ condor_config_val", begin)
    return text[begin : end + 1 if end >= 0 else len(text)]


def printed(files: Spool, command: str) -> str:
    """Return what a command prints, its errors and its exit status, without what differs from machine to machine."""
    program, *words = shlex.split(command.replace(" ( ", " '(' "))
    done = files.run(program, *words)
    errors = "".join(f"E| {line}\n" for line in done.err.splitlines())
    told = f"{done.out}{errors}[{done.code}]\n".replace(os.getcwd(), "/HERE")
    return re.sub(r"BuildID: \S+( GitSHA: \w+)? \$", "VERSION $", told).replace(os.uname().nodename, "HOST")


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_printed_of_a_configuration(files: Spool, command: str) -> None:
    told = f"$ {command}\n{printed(files, command)}"
    if os.environ.get("CONDOR_PY_RECORD"):
        before = SESSION.read_text() if command != COMMANDS[0] else ""
        SESSION.write_text(before + told)
    assert told == of_session(command)


@pytest.mark.parametrize(
    ("words", "like"),
    [
        ("-dump -raw ^MY_", "-dump ^MY_"),
        ("-dump -unused ^MY_", "-dump ^MY_"),
        ("-config -verbose", "-config"),
        ("-info MY_TEXT JOB_START_DELAY", "-info -verbose MY_TEXT JOB_START_DELAY"),
        ("-verbose use ROLE:Personal", "use ROLE:Personal"),
    ],
)
def test_options_that_change_nothing_here(files: Spool, words: str, like: str) -> None:
    assert printed(files, f"condor_config_val {words}") == of_session(f"condor_config_val {like}").partition("\n")[2]


#: Knob -> value, as it is written, its place.
KNOBS = {
    "MY_BLOCK": ("first\nsecond", "first\nsecond", "two, line 4"),
    "MY_EMPTY": ("", "", "one, line 6"),
    "MY_ENV": ("of the environment", "$ENV(MY_VARIABLE)", "two, line 6"),
    "MY_INT": ("10", "$INT(MY_SUM)", "two, line 10"),
    "MY_LIST": ("a, b, c", "a, b, c", "one, line 5"),
    "MY_LOOP": ("fallback", "$(NOT_THERE:fallback)", "two, line 7"),
    "MY_PATH": ("/a//b", "/a//b", "root, line 4"),
    "MY_SUM": ("9 + 1", "$(MAX_JOBS_RUNNING) + 1", "two, line 5"),
    "MY_TEXT": ("/a//b/x", "$(MY_PATH)/x", "one, line 2"),
}


def test_a_dump_for_programs(files: Spool) -> None:
    for form, loads in (("-json", json.loads), ("-toml", tomllib.loads)):
        found = loads(files.run("condor_config_val", "-dump", form, "^MY_").out)
        assert {name: tuple(each.values()) for name, each in found.items()} == {
            name: (value, raw, f"{os.getcwd()}/{place}") for name, (value, raw, place) in KNOBS.items()
        }
        assert all(list(each) == ["value", "raw", "at"] for each in found.values())


def test_a_dump_of_values(files: Spool) -> None:
    plain = files.run("condor_config_val", "-dump", "-expanded", "^MY_").out.splitlines()
    verbose = files.run("condor_config_val", "-dump", "-expanded", "-verbose", "^MY_").out.splitlines()
    for name, (value, raw, place) in KNOBS.items():
        if "\n" not in value:
            assert f"{name} = {value}" in plain
            at = verbose.index(f"{name} = {value}")
            assert verbose[at + 1 : at + 3] == [f" # at: {os.getcwd()}/{place}", f" # raw: {raw}"]
    at = verbose.index("MY_BLOCK @=end")
    assert verbose[at + 1 : at + 7] == [
        "   first", "   second", "@end", f" # at: {os.getcwd()}/two, line 4", " # raw: ", " #     first",
    ]  # fmt: skip
    raw_block = printed(files, "condor_config_val -raw -verbose MY_TEXT MY_BLOCK")
    assert raw_block == (
        "MY_TEXT = $(MY_PATH)/x\n # at: /HERE/one, line 2\n\n"
        "MY_BLOCK @=end\n   first\n   second\n@end\n # at: /HERE/two, line 4\n\n[0]\n"
    )


@pytest.mark.parametrize(
    ("word", "counted"), [("use", True), ("usage", True), ("us", True), ("u", False), ("terse", False)]
)
def test_how_often_knobs_are_used(files: Spool, word: str, counted: bool) -> None:
    """``:use`` is what the help names, and did nothing."""
    told = files.run("condor_config_val", f"-verbose:{word}", "MY_PATH", "MAX_JOBS_RUNNING").out
    assert [line.split()[:2] for line in told.splitlines() if "use_count" in line] == [
        ["#", "use_count:"]
    ] * 2 * counted


def test_a_template_with_templates_in_it(files: Spool) -> None:
    told = printed(files, "condor_config_val -expanded use FEATURE:GPUs").splitlines()
    assert told[0] == "use FEATURE:GPUs expands to"
    assert "\tSTARTD_CRON_GPUs_MONITOR_METRICS = SUM:GPUs, PEAK:GPUsMemory" in told
    assert told[-2:] == ["", "[0]"]
