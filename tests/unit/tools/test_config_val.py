"""condor_config_val: what HTCondor's does not have (lint, JSON, TOML, help about knobs, suggestions)."""

from __future__ import annotations

import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import tool_runner
from tool_runner import Spool

from condor_py.cli.entry import main
from condor_py.client.wire import WireError
from condor_py.lang.config import Config
from condor_py.model.messages import common
from condor_py.model.messages.codec import Refused, answer_of

Run = Callable[..., tuple[int, str, str]]
CONFIG = """MAX_JOB_RUNNING = 10
NUM_CPUS = four
START = (Owner == "me"
SPOOL = $(LOCAL_DIR)/spool2
LOCAL_DIR = /pool
SCHEDD.SPOOL = /elsewhere
"""


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    (tmp_path / "root").write_text(CONFIG)
    monkeypatch.setenv("CONDOR_CONFIG", str(tmp_path / "root"))

    def call(*argv: str) -> tuple[int, str, str]:
        code = main("condor_config_val", list(argv))
        out, err = capsys.readouterr()
        return code, out.replace(str(tmp_path), "DIR"), err.replace(str(tmp_path), "DIR")

    return call


def test_lint_shows_file_by_file_what_is_wrong(run: Run) -> None:
    code, out, err = run("-lint")
    lines = out.splitlines()
    assert code == 1
    assert lines[0] == "DIR/root"
    assert lines[1].split()[:3] == ["1", "warning", "MAX_JOB_RUNNING"]
    assert "MAX_JOBS_RUNNING" in lines[1]
    assert [line.split()[:3] for line in lines[2:]] == [["2", "error", "NUM_CPUS"], ["3", "error", "START"]]
    assert err == "2 errors, 1 warning\n"
    assert len({line.index(line.split()[3]) for line in lines[1:]}) == 1, "the columns are aligned"
    code, out, err = run("-lint", "MAX_JOB_RUNNING")
    assert (code, len(out.splitlines()), err) == (0, 2, "1 warning\n")
    assert run("-lint", "SPOOL") == (0, "", "nothing found\n")


def test_lint_for_programs(run: Run) -> None:
    code, out, err = run("-lint", "-json")
    found = json.loads(out)
    assert (code, err) == (1, "")
    assert [(one["severity"], one["knob"], one["line"]) for one in found[1:]] == [
        ("error", "NUM_CPUS", 2),
        ("error", "START", 3),
    ]
    assert found[0].keys() == {"severity", "knob", "file", "line", "message"}
    assert tomllib.loads(run("-lint", "-toml")[1])["finding"] == json.loads(run("-lint", "-json")[1])


def test_values_for_programs(run: Run) -> None:
    code, out, _ = run("-json", "spool", "NOSUCH")
    default = "$(LOCAL_DIR)/spool"
    spool = {"value": "/pool/spool2", "raw": "$(LOCAL_DIR)/spool2", "at": "DIR/root, line 4", "default": default}
    assert (code, json.loads(out)) == (1, {"SPOOL": spool, "NOSUCH": None})
    dump = json.loads(run("-dump", "-json")[1])
    assert dump["SPOOL"] == spool
    assert dump["SCHEDD.SPOOL"]["value"] == "/elsewhere"
    assert len(dump) > 400
    assert tomllib.loads(run("-dump", "-toml", "SPOOL$")[1])["SCHEDD.SPOOL"]["raw"] == "/elsewhere"


def test_many_patterns_look_at_the_names_once(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    names, looks = Config.names, []

    def look(config: Config) -> list[str]:
        looks.append(config)
        return names(config)

    monkeypatch.setattr(Config, "names", look)
    for form in ("-json", "-toml"):
        looks.clear()
        assert run("-dump", form, "SPOOL$", "^SPOOL", "SPOOL$") == run("-dump", form, "SPOOL$|^SPOOL")
        assert len(looks) == 2


def test_help_about_a_knob(run: Run) -> None:
    code, out, err = run("-help-knob", "num_cpus")
    assert (code, err) == (0, "")
    assert out.startswith("NUM_CPUS\n  ")
    assert "\n  default: " in out
    assert "\n  type:    an integer" in out
    assert "\n  change:  with a restart of startd\n" in out
    assert "\n  change:  with condor_reconfig\n" in run("-help-knob", "NEGOTIATOR_INTERVAL")[1]
    assert run("-help-knob", "MAX_JOB_RUNNING") == (
        1,
        "",
        "Not a knob: MAX_JOB_RUNNING; did you mean MAX_JOBS_RUNNING?\n",
    )


def test_misspelled_names_and_options(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    assert run("SPOOLL") == (1, "", "Not defined: SPOOLL\n")
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert run("SPOOLL") == (1, "", "Not defined: SPOOLL\nDid you mean SPOOL?\n")
    code, _, err = run("-dmup")
    assert (code, err.splitlines()[:2]) == (1, ["-dmup is not a valid argument", "Did you mean -dump?"])


def test_one_more_file_for_a_trial(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trial").write_text("SPOOL = $(SPOOL)/trial\n")
    assert run("-reconfig", str(tmp_path / "trial"), "SPOOL")[1] == "/pool/spool2/trial\n"
    assert run("-reconfig", "/no/such/file", "SPOOL") == (1, "", "ERROR: Can't read config source /no/such/file\n")


#: What a daemon holds: name, value, raw text, place, default, uses, references.
HELD = {
    "foo": ["Foo", "7", "$(X)", "/etc/c, line 3", "5", 2, 1],
    "start": ["START", "TRUE", "TRUE", "<Default>", "TRUE", 0, 0],
    "e": ["E", "1+2", "1+2", "/etc/c, line 4", None, 0, 1],
}
ADDRESS = "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=vm.example.net&noUDP&sock=condor_py>"
HEAD = f"# Configuration from schedd on vm.example.net {ADDRESS}\n"
FILES = "# Contributing configuration file(s):\n"


@pytest.fixture
def asked(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What daemons are asked, each of which holds the same."""

    def ask(path: str, request: Any, body: bytes = b"", timeout: float = 0) -> Any:
        found.append(f"{Path(path).name} {request}")
        match request:
            case common.ConfigGet(names):
                return common.ConfigValues([HELD.get(name.lower()) for name in names])
            case common.ConfigList():
                return common.ConfigNames(["E", "Foo", "START"])
            case common.ConfigSummary():
                return common.ConfigSources([["/etc/c", [["Foo", "$(X)"], ["E", "1+2"]]]])
            case common.ConfigStats():
                return common.ConfigNumbers({"Macros": 3, "Files": 1})
        return answer_of(request)()

    found: list[str] = []
    monkeypatch.setenv("_CONDOR_FULL_HOSTNAME", "vm.example.net")
    monkeypatch.setenv("_CONDOR_NETWORK_HOSTNAME", "vm.example.net")
    monkeypatch.setenv("_CONDOR_IP_ADDRESS", "127.0.0.1")
    monkeypatch.setattr("condor_py.client.wire.ask", ask)
    monkeypatch.setattr("condor_py.client.wire.connect", lambda path, timeout=None: SimpleNamespace(close=list))
    return found


def remote(words: str) -> tuple[str, str, int | None]:
    """What condor_config_val prints of a daemon."""
    return tool_runner.run("condor_config_val", *words.split())


@pytest.mark.parametrize(
    ("words", "daemon", "printed"),
    [
        ("-schedd Foo", "schedd", "7\n"),
        ("-schedd foo nothing", "schedd", "7\nNot defined\n"),
        ("-raw Foo -startd", "startd", "$(X)\n"),
        ("-default Foo -master", "master", "5\n"),
        ("-collector Foo", "master", "7\n"),
        ("-name vm -schedd Foo", "schedd", "7\n"),
        ("-evaluate -schedd E", "schedd", "3\n"),
        ("-schedd -v Foo", "schedd", "FOO = 7\n # at: /etc/c, line 3\n # raw: FOO = $(X)\n # default: 5\n\n"),
    ],
)
def test_a_daemon_tells_its_values(asked: list[str], words: str, daemon: str, printed: str) -> None:
    assert remote(words) == (printed, "", 0)
    names = [word for word in words.split() if word.lower() in ("foo", "nothing", "e")]
    assert asked == [f"{daemon} ConfigGet(names={names})"]


def test_what_a_daemon_does_not_have(asked: list[str]) -> None:
    assert remote("-startd -v Nothing") == ("\n", "Not defined: NOTHING\n", 1)
    assert remote("-startd -raw Nothing")[2] == 1
    assert json.loads(remote("-startd -json Foo Nothing")[0]) == {
        "Foo": {"value": "7", "raw": "$(X)", "at": "/etc/c, line 3", "default": "5"},
        "Nothing": None,
    }


@pytest.mark.parametrize(
    ("words", "printed"),
    [
        ("", f"{HEAD}E = 1+2\nFoo = $(X)\nSTART = TRUE\n{FILES}#\t/etc/c\n#\t<Default>\n"),
        ("-expanded", f"{HEAD}E = 1+2\nFoo = 7\nSTART = TRUE\n{FILES}#\t/etc/c\n#\t<Default>\n"),
        ("-default", f"{HEAD}E = 1+2\nFoo = 5\nSTART = TRUE\n{FILES}#\t/etc/c\n#\t<Default>\n"),
        ("-used", f"{HEAD}E = 1+2\nFoo = $(X)\n{FILES}#\t/etc/c\n"),
        ("-unused", f"{HEAD}START = TRUE\n{FILES}#\t<Default>\n"),
        ("-v fo", f"{HEAD}\n# Parameters with names that match fo:\n"
                  "Foo = $(X)\n # at: /etc/c, line 3\n # expanded: 7\n # default: 5\n"),
        ("none", f"{HEAD}\n# Parameters with names that match none:\n"),
    ],
)  # fmt: skip
@pytest.mark.usefixtures("asked")
def test_the_whole_configuration_of_a_daemon(words: str, printed: str) -> None:
    assert remote(f"-schedd -dump {words}") == (printed, "", 0)


@pytest.mark.usefixtures("asked")
def test_figures_and_sources_of_a_daemon() -> None:
    assert remote("-schedd -stats")[0] == "Files = 1\nMacros = 3\n\n"
    told = remote("-schedd -summary -v")[0]
    assert told.splitlines()[1] == f"#  at vm.example.net {ADDRESS}"
    assert told.partition(ADDRESS)[2] == (
        "\n\n#\n# from /etc/c\n#\nFoo = $(X)\n # at: /etc/c, line 3\n # expanded: 7\n # default: 5\n"
        "E = 1+2\n # at: /etc/c, line 4\n # expanded: 1+2\n\n"
    )
    assert remote("-schedd -dump (")[1] == "error:regex:0: missing ), unterminated subpattern\n"


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        ("-set Foo=3", "ConfigSet(key='foo', text='Foo=3', persistent=True)"),
        ("-rset Foo=3", "ConfigSet(key='foo', text='Foo=3', persistent=False)"),
        ("-unset Foo", "ConfigUnset(key='foo', text='', persistent=True)"),
        ("-runset Foo", "ConfigUnset(key='foo', text='', persistent=False)"),
        ("-mixedcase -set Foo=3", "ConfigSet(key='Foo', text='Foo=3', persistent=True)"),
    ],
)
def test_a_daemon_is_told_a_setting(asked: list[str], words: str, request_: str) -> None:
    how, text = words.split()[-2:]
    verb = "unset" if "unset" in how else "set"
    assert remote(f"-schedd {words}") == (
        f'Successfully {verb} configuration "{text}" on schedd vm.example.net {ADDRESS}. '
        "The change will take effect on the next condor_reconfig.\n", "", 0,
    )  # fmt: skip
    assert asked == [f"schedd {request_}"]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-schedd -set Foo", 'You must specify "macro_name = value" or "use category:option"'),
        ("-schedd -unset Foo=3", "To unset, you only specify the name of the attribute"),
        ("-schedd -set a-b=3", "Configuration variable name (a-b) is not valid, alphanumeric and _ only"),
        ("-name other -schedd Foo", "Can't find address for schedd 'other' in local pool"),
        ("-address <1.2.3.4:5> -schedd Foo", "Can't connect to schedd on  <1.2.3.4:5>"),
        ("-address x -schedd Foo", "condor_config_val: invalid address x"),
        ("-schedd use role:personal", "remote query not supported for use role:personal"),
    ],
)
def test_what_no_daemon_is_asked(asked: list[str], words: str, told: str) -> None:
    out, err, code = remote(words)
    assert (out, code, asked) == ("", 1, [])
    assert told in err


@pytest.mark.usefixtures("asked")
def test_more_of_what_a_daemon_holds() -> None:
    """How often a setting is used, its description, where an expanded one comes from, and a dump for programs."""
    assert remote("-schedd -v:use Foo")[0] == (
        "FOO = 7\n # at: /etc/c, line 3\n # raw: FOO = $(X)\n # default: 5\n # use_count: 2 / 1\n\n"
    )
    assert remote("-schedd -dump -expanded -v:use fo")[0].splitlines()[-5:] == [
        "Foo = 7", " # at: /etc/c, line 3", " # raw: FOO = $(X)", " # default: 5", " # use_count: 2 / 1",
    ]  # fmt: skip
    told = remote("-schedd -v -info START")[0].splitlines()
    assert (told[0], told[1].startswith(" # description: "), told[-2].startswith(" # expected values : ")) == (
        "START = TRUE", True, True,
    )  # fmt: skip
    assert json.loads(remote("-schedd -dump -json fo")[0]) == {
        "Foo": {"value": "7", "raw": "$(X)", "at": "/etc/c, line 3", "default": "5"}
    }
    assert remote("-evaluate -schedd START Nothing")[0] == "true\nundefined\n"


@pytest.mark.usefixtures("asked")
def test_a_daemon_that_refuses_or_does_not_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    for error, told in (
        (Refused("you may not"), 'Attempt to set configuration "Foo=3" on schedd vm.example.net '
         f"{ADDRESS} failed.\nyou may not\n"),
        (WireError("nobody is there"), "Can't receive reply from schedd on vm.example.net "),
    ):  # fmt: skip

        def ask(path: str, request: object, body: bytes = b"", timeout: float = 0, said: Any = error) -> Any:
            if isinstance(said, Exception):
                raise said
            return said

        monkeypatch.setattr("condor_py.client.wire.ask", ask)
        done = remote("-schedd -set Foo=3")
        assert (done[0], done[2], done[1].startswith(told)) == ("", 1, True), done
    monkeypatch.setattr("condor_py.client.wire.ask", lambda *words, **more: Refused("you may not read it"))
    assert remote("-schedd Foo")[1].splitlines()[0] == "you may not read it"
