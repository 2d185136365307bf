"""Remarks that a person at a terminal gets in addition, and a few rules of single options."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli import drain, entry, suggest
from condor_py.cli.complete import words as complete
from condor_py.cli.config_val import main as config_val
from condor_py.cli.config_val import remote
from condor_py.cli.config_val.show import look_of, used
from condor_py.cli.config_val.spec import SPEC as CONFIG_VAL
from condor_py.cli.config_val.write import _filter
from condor_py.cli.control import COMMANDS
from condor_py.cli.options import EXACT, Opt, ToolSpec, UsageError, parse
from condor_py.lang.config.lint import Finding
from condor_py.model.errors import CondorError
from condor_py.model.texts import leading_number


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def on_terminal(monkeypatch: pytest.MonkeyPatch) -> _Terminal:
    """Make standard error a terminal that keeps what it shows."""
    screen = _Terminal()
    monkeypatch.setattr(sys, "stderr", screen)
    return screen


TRY = ToolSpec(
    name="try",
    usage="",
    summary="",
    options=(
        Opt("limit", 2, "N", convert=leading_number),
        Opt("wide", 1, colon="N"),
        Opt("wait", EXACT, colon="SECONDS"),
        Opt("form", 1, colon="FORM"),
        Opt("format", 5, "FMT EXPR", dash_value=True),
        Opt("quiet", 1, help="accepted; it is quiet anyway"),
        Opt("silent", 1, same_as="quiet"),
        Opt("optional", 1, "WORD", optional=True),
        Opt("two", 1, "ONE TWO"),
        Opt("many", 1, "X", variadic=True),
    ),
    numbers=True,
)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-limit 5", ""), ("-limit -5", ""), ("-limit +5", ""), ("-limit  5", ""),
        ("-li 5x", "try: -li takes a whole number: 5x counts as 5\n"),
        ("-limit x", "try: -limit takes a whole number: x counts as 0\n"),
        ("-limit 0x5", "try: -limit takes a whole number: 0x5 counts as 0\n"),
        ("-wide", ""), ("-wide:", ""), ("-wide:80", ""), ("-w:x", "try: -w:x: x is no number\n"),
        ("-wait:x", "try: -wait:x: x is no number\n"), ("-form:x", ""),
        ("-quiet -quiet", "try: -quiet does nothing: it is quiet anyway\n"), ("-two a b", ""),
    ],
)  # fmt: skip
def test_remarks_about_options(monkeypatch: pytest.MonkeyPatch, words: str, said: str) -> None:
    terminal = on_terminal(monkeypatch)
    if words.startswith("-limit -"):
        with pytest.raises(UsageError):
            parse(TRY, words.split())
    else:
        parse(TRY, words.split())
    assert terminal.getvalue() == said


def test_nothing_is_said_to_programs(capsys: pytest.CaptureFixture[str]) -> None:
    parse(TRY, ["-limit", "x", "-wide:x", "-quiet"])
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("text", "number"), [("5", 5), (" -7x", -7), ("+3", 3), ("x5", 0), ("", 0), ("5.9", 5), ("- 5", 0)]
)
def test_numbers_are_read_as_c_reads_them(text: str, number: int) -> None:
    assert leading_number(text) == number


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("-optional x", [("optional", ("x",))]),
        ("-optional", [("optional", ())]),
        ("-optional -quiet", [("optional", ()), ("quiet", ())]),
        ("-two a b c", [("two", ("a", "b")), ("", ("c",))]),
        ("-two a -", [("two", ("a", "-"))]),
        ("-many a b -quiet c", [("many", ("a", "b")), ("quiet", ()), ("", ("c",))]),
        ("-many a - b", [("many", ("a",)), ("", ("b",))]),
        ("-format -1 -x", [("format", ("-1", "-x"))]),
        ("-5 - -silent", [("", ("-5",)), ("", ("-",)), ("quiet", ())]),
    ],
)
def test_values_of_options(words: str, found: list[tuple[str, tuple[str, ...]]]) -> None:
    args = parse(TRY, words.split())
    assert [(use.name, use.values) for use in args.uses] == found
    assert [words.split()[use.position] for use in args.uses] == [use.spelling for use in args.uses]


@pytest.mark.parametrize(
    ("words", "kind", "said"),
    [
        ("-two a", "missing", "try: -two requires another argument"),
        ("-two a -b", "missing", "try: -two requires another argument"),
        ("-many", "missing", "try: -many requires another argument"),
        ("-many -", "missing", "try: -many requires another argument"),
        ("-x", "unknown", "Error: unrecognized argument -x"),
        ("-5x", "unknown", "Error: unrecognized argument -5x"),
        ("-limit:3 5", "unknown", "Error: unrecognized argument -limit:3"),
    ],
)
def test_command_lines_that_are_wrong(words: str, kind: str, said: str) -> None:
    with pytest.raises(UsageError) as refused:
        parse(TRY, words.split())
    assert (str(refused.value), refused.value.kind) == (said, kind)


def test_the_last_of_several_counts() -> None:
    args = parse(TRY, ["-limit", "1", "-wide:3", "-limit", "2", "a", "-form:x", "-form", "b"])
    assert (args.number("limit"), args.text("limit"), args.texts("limit")) == (2, "2", ["1", "2"])
    assert (args.number("two", 9), args.text("two", "none"), args.text("two")) == (9, "none", None)
    assert (args.colon("wide"), args.colon("form"), args.colon("wait")) == ("3", None, None)
    assert args.positional == ("a", "b")
    last = args.last("wide", "limit")
    assert last is not None
    assert last.name == "limit"
    assert args.last("two") is None


# -- what was probably meant


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("queue 5", ""), ("queu 5", "queue 5"), ("Queue x form list", "queue x from list"), ("queue form x", ""),
        ("queue x from form", ""), ("queue x in a b", ""), ("queue x in fiels", ""),
        ("qeueu x matchng files *.c", "queue x matching files *.c"),
        ("executable = x", ""), ("", ""), ("queue x from a fiels", ""), ("QUEUE x FROM a", ""),
    ],
)  # fmt: skip
def test_queue_lines(line: str, meant: str) -> None:
    """What follows from or in is free text, and so is the first word, which may be a variable."""
    assert suggest.meant_by_queue_line(line) == meant


def test_commands_of_a_submit_description() -> None:
    text = """executible = /bin/true
requst_memory = 1
my_own = $(my_own)
arguments = $(requst_disk)
requst_disk = 2
+exectuable = 3
MY.exectuable = 4
request_cpus = 5
zzzzzzzz = 6
"""
    assert dict(suggest.meant_by_commands(text)) == {"executible": "executable", "requst_memory": "request_memory"}


def test_words_of_a_dag() -> None:
    report = "'JBO' is not a valid DAG command\n'JBO' is not a valid DAG command\n'zzzzzz' is not a valid DAG command"
    assert suggest.meant_by_dag_commands(report) == ["JBO: did you mean JOB?"]
    assert suggest.nearest_option("--limt:5", ["limit", "wide"]) == "-limit"
    assert suggest.nearest_option("-zzzz", ["limit", "wide"]) == ""


def test_what_is_not_in_the_queue(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    from condor_py.client.pool import open_pool

    spool.add(1, owner="Ann")
    view = open_pool().read_queue()
    suggest.hint_at_absent(view, ["1", "1.0", "ann", "ANN@x"])
    assert terminal.getvalue() == ""
    suggest.hint_at_absent(view, ["1", "2", "1.1", "bob", "ann"])
    assert terminal.getvalue() == "Not in the queue: 2, 1.1, bob\n"


def test_names_in_expressions(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    spool.add(1, MyOwnThing="1")
    suggest.warn_of_names(
        ["ImageSiz > 1", "RequestFpgas > 1", "("], ["MyOwnThing", "!NoSuchThing", "true", "sizee(x) == 1"]
    )
    assert terminal.getvalue().splitlines() == [
        "ImageSiz: did you mean ImageSize?", "NoSuchThing: no ad has this attribute", "sizee(): did you mean size?",
    ]  # fmt: skip


def test_the_culprit_is_named_once(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = on_terminal(monkeypatch)
    suggest.name_culprit("tool", "-x", "Error: -x is unknown")
    suggest.name_culprit("tool", "", "Error")
    assert terminal.getvalue() == ""
    suggest.name_culprit("tool", "-x", "Error")
    assert terminal.getvalue() == "tool: not understood: -x\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("JobStatus 5", "JobStatus is changed by condor_hold, condor_release and condor_rm\n"),
        ("request_memory 5", "request_memory is a submit command: its attribute is RequestMemory\n"),
        ("RequestMemry 5", "RequestMemry: did you mean RequestMemory?\n"),
        ("RequestMemory 5", ""),
        ("RequestFooBars 5", ""),
        ("JobPrio 5", ""),
    ],
)
def test_attributes_that_are_called_otherwise(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, said: str
) -> None:
    terminal = on_terminal(monkeypatch)
    spool.add(1)
    assert entry.main("condor_qedit", ["-dry-run", "1.0", *words.split()]) == 0
    told = terminal.getvalue()
    assert told.endswith(said)
    if not said:
        assert "did you mean" not in told
        assert "submit command" not in told


@pytest.mark.parametrize(
    ("words", "unit"),
    [("RequestMemory 2GB", "MB"), ("requestdisk 2.5k", "KB"), ("ImageSize 2GB", "the attribute's own unit")],
)
def test_sizes_with_units(spool: Spool, monkeypatch: pytest.MonkeyPatch, words: str, unit: str) -> None:
    terminal = on_terminal(monkeypatch)
    spool.add(1)
    assert entry.main("condor_qedit", ["1.0", *words.split()]) == 1
    name, value = words.split()
    assert f"Not an expression: {value}\n" in terminal.getvalue()
    assert f"An attribute takes a number without a unit: {name} counts in {unit}\n" in terminal.getvalue()


# -- condor_drain and its like


@pytest.mark.parametrize(
    ("words", "what"),
    [
        ("", "nothing"), ("-resume-on-completion", "resume"), ("-ex", "exit"), ("-rest", "restart"),
        ("-rec", "reconfig"),
    ],
)  # fmt: skip
def test_what_follows_a_drain(words: str, what: str) -> None:
    assert drain._on_completion(parse(drain.SPECS[0], words.split())) == what


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("a b", "ERROR: must specify one target machine"),
        ("a -fast", "ERROR: must specify one target machine"),
        ("-reason x a -fast", "ERROR: must specify one target machine"),
        ("-request-id 5 a", "ERROR: -request-id may only be used with -cancel"),
        ("-cancel -check x a", "ERROR: -check may not be used with -cancel"),
        ("-cancel -resume a", "ERROR: cannot use an -on-completion option with -cancel"),
        ("-cancel -reason x a", "ERROR: cannot use -reason with -cancel"),
        ("-cancel -request-id 5 a", ""),
        ("-fast a", ""),
        ("-reason x a", ""),
        ("-reason x", ""),
        ("-cancel", ""),
    ],
)
def test_what_goes_together(words: str, said: str) -> None:
    args = parse(drain.SPECS[0], words.split())
    if not said:
        drain._check(args, len(words.split()), drain._on_completion(args))
        return
    with pytest.raises(CondorError) as refused:
        drain._check(args, len(words.split()), drain._on_completion(args))
    assert (str(refused.value), refused.value.exit_code) == (said, 2)


@pytest.mark.parametrize("program", COMMANDS)
def test_ambiguous_options(spool: Spool, program: str) -> None:
    """As HTCondor says it, with its spelling of the first."""
    hint = 'Use "-help" to see usage information\n'
    for word, text in {
        "-co": 'ERROR: ambigous parameter: "-co"\nPlease specify "-collector" or "-constraint"\n',
        "-s": 'ERROR: ambiguous argument "-s"\nPlease specify "-subsystem", "-startd" or "-schedd"\n',
        "-f": 'ERROR: ambiguous parameter: "-f"\nPlease specify "-full" or "-fast"\n',
        "-a": 'ERROR: ambiguous parameter: "-a"\nPlease specify "-addr" or "-all"\n',
        "-n": 'ERROR: ambiguous parameter: "-n"\nPlease specify "-name" or "-negotiator"\n',
    }.items():
        assert spool.run(program, word) == ("", text + hint, 1)


# -- condor_config_val


@pytest.mark.parametrize(
    ("words", "kinds", "comments", "forms"),
    [
        (None, "environment file same", "same", ""),
        ("", "environment file", "", ""),
        ("only", "file", "", ""),
        ("only,file", "environment file", "", ""),
        ("file,only", "file", "", ""),
        ("only,dup", "", "", ""),
        ("only,du", "file", "", ""),
        ("only:env", "environment", "", ""),
        ("only,en", "file", "", ""),
        ("default", "default detected environment file", "", ""),
        ("def", "default detected environment file", "", ""),
        ("de", "environment file", "", ""),
        ("only,default", "default detected", "", ""),
        ("only,comment,default", "default detected", "default detected:default", ""),
        ("only,default,comment", "default detected", "", ""),
        ("only,com,default,detected", "default detected", "default detected", ""),
        ("only,det", "detected", "", ""),
        ("only,match", "same", "", ""),
        ("only,matc", "file", "", ""),
        ("only,comm,matches_default", "same", "same", ""),
        ("source,sort", "environment file", "", "source sort"),
        ("sou", "environment file", "", "source"),
        ("sor", "environment file", "", "sort"),
        ("so", "environment file", "", ""),
    ],
)
def test_what_is_written(words: str | None, kinds: str, comments: str, forms: str) -> None:
    found = _filter(words)
    assert sorted(found.kinds) == kinds.split()
    assert sorted(found.comments) == comments.split()
    assert [name for name in ("source", "sort") if getattr(found, name)] == forms.split()


@pytest.mark.parametrize(
    ("words", "verbose", "uses", "info", "form"),
    [
        ("A", False, False, False, ""), ("-verbose A", True, False, False, ""), ("-v:use A", True, True, False, ""),
        ("-v:usage A", True, True, False, ""), ("-v:us A", True, True, False, ""), ("-v:u A", True, False, False, ""),
        ("-v:terse A", False, False, False, ""), ("-v:terse,use A", False, True, False, ""),
        ("-v:x:use A", True, True, False, ""), ("-v:use -v A", True, True, False, ""),
        ("-info A", True, False, True, ""),
        ("-json A", False, False, False, "json"), ("-json -toml A", False, False, False, "toml"),
    ],
)  # fmt: skip
def test_how_values_are_shown(words: str, verbose: bool, uses: bool, info: bool, form: str) -> None:
    look = look_of(parse(CONFIG_VAL, words.split()))
    assert (look.verbose, look.uses, look.info, look.form) == (verbose, uses, info, form)


def test_counts_of_use() -> None:
    assert (used(2, 3), used(0, 3), used(2, 0)) == ("2 / 3", "0 / 3", "2")


def test_findings_are_aligned_below_their_files(capsys: pytest.CaptureFixture[str]) -> None:
    def finding(line: int, severity: Any, knob: str, file: str) -> Finding:
        return Finding(severity=severity, knob=knob, file=file, line=line, message="text")

    config_val._print(
        [finding(3, "error", "AB", "f"), finding(120, "note", "C" * 40, "f"), finding(0, "note", "D", "g")]
    )
    done = capsys.readouterr()
    assert done.out.splitlines() == [
        "f", f"    3  error    {'AB':<32}  text", f"  120  note     {'C' * 40}  text", "g",
        f"       note     {'D':<32}  text",
    ]  # fmt: skip
    assert done.err == "1 error, 2 notes\n"
    config_val._print([finding(3, "warning", "AB", "f")])
    assert capsys.readouterr() == ("f\n  3  warning  AB  text\n", "1 warning\n")


@pytest.mark.parametrize(
    ("knob", "rows"),
    [
        ("NEGOTIATOR_INTERVAL", ["default: 60", "unit:    Seconds"]),
        ("NEGOTIATOR_MAX_TIME_PER_CYCLE", ["default: 1200"]),
        ("STARTD_ATTRS", ["default: (empty)"]),
    ],
)
def test_defaults_in_the_help_about_a_knob(spool: Spool, knob: str, rows: list[str]) -> None:
    out = spool.run("condor_config_val", "-help-knob", knob).out
    for row in rows:
        assert any(line.strip().startswith(row) for line in out.splitlines()), out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("-default -verbose A", "-verbose cannot be used with -default"),
        ("-verbose -default A", "-default cannot be used with -verbose"),
        ("-summary -writeconfig:x f", "-writeconfig:x cannot be used with -summary"),
        ("-writeconfig f -sum", "-sum cannot be used with -writeconfig"),
    ],
)
def test_options_of_condor_config_val_that_exclude_each_other(spool: Spool, words: str, said: str) -> None:
    done = spool.run("condor_config_val", *words.split())
    assert (done.code, done.err.splitlines()[0]) == (1, said)


def test_the_configuration_of_a_daemon_is_asked_for_by_names(spool: Spool) -> None:
    """Files are written without asking it, but for the master, where HTCondor refuses that."""
    assert spool.run("condor_config_val", "-schedd").out == ""
    assert "Usage: condor_config_val" in spool.run("condor_config_val", "-schedd").err
    absent = "Can't find address for schedd 'default' in local pool\n"
    assert absent in spool.run("condor_config_val", "-schedd", "-config").err
    assert absent in spool.run("condor_config_val", "-schedd", "SPOOL").err
    assert spool.run("condor_config_val", "-schedd", "-writeconfig", "file") == ("", "", 0)
    assert "LOCAL_DIR" in Path("file").read_text()
    refused = spool.run("condor_config_val", "-master", "-writeconfig", "file")
    assert refused == ("-writeconfig is not currently supported with -master\n", "", 1)


@pytest.mark.parametrize(
    ("text", "sets", "key"),
    [
        ("Foo=3", True, "Foo"), ("Foo = 3", True, "Foo"), ("Foo", False, "Foo"), ("Foo and more", False, "Foo"),
        ("Foo", True, "You must specify"), ("use role", False, "You must specify"),
        ("=5", True, "name () is not valid"),
        ("a-b=5", True, "name (a-b) is not valid"), ("a:b", False, "To unset, you only specify"),
        ("a=b", False, "To unset, you only specify"), ("a-b", False, "name (a-b) is not valid"),
    ],
)  # fmt: skip
def test_settings_that_a_daemon_is_told(text: str, sets: bool, key: str) -> None:
    try:
        found = remote._key(text, sets=sets)
    except CondorError as error:
        found = str(error)
    assert key in found
    assert (found == key) is (" " not in key)


def test_a_person_who_names_no_job(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    spool.add(1)
    terminal = on_terminal(monkeypatch)
    said = "condor_prio: no job is named: give job ids, clusters or users, or -a for all jobs\n"
    assert entry.main("condor_prio", ["-p", "5"]) == 0
    assert terminal.getvalue() == said
    for words in (["-p", "5", "1.0"], ["-p", "5", "-a"]):
        assert entry.main("condor_prio", words) == 0
    assert terminal.getvalue() == said


def test_the_version_of_the_master(spool: Spool) -> None:
    done = spool.run("condor_master", "-version")
    assert (done.out.startswith("$CondorVersion: "), done.err, done.code) == (True, "", 0)


def test_addresses_of_daemons(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    from condor_py.client.pool import open_pool

    ours = open_pool().settings.address.partition("?")[0].strip("<>")
    for address in (f"<{ours}>", f"<{ours}?other>"):
        done = spool.run("condor_config_val", "-address", address, "SPOOL")
        assert done.err.startswith("Can't find address for master 'default'"), "it does not run"
    done = spool.run("condor_config_val", "-address", "<1.2.3.4:5>", "SPOOL")
    assert done.err == "Can't connect to master on  <1.2.3.4:5>\n"
    for address in (ours, f"<{ours}", "<1.2.3.4>", "<:5>", "<1.2.3.4:x>"):
        done = spool.run("condor_config_val", "-address", address, "SPOOL")
        assert done.err.startswith(f"condor_config_val: invalid address {address}\n"), address


# -- condor_complete


def test_the_memory_of_a_configuration_is_for_one_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever changes the configuration makes another key, and nothing else does."""
    before = complete._environment()
    for name in ("CONDOR_CONFIG", "HOME", "USER", "_CONDOR_X", "_condor_y"):
        with monkeypatch.context() as changed:
            changed.setenv(name, "another")
            assert complete._environment() != before, name
    monkeypatch.setenv("EDITOR", "another")
    monkeypatch.setenv("XCONDOR_A", "another")
    assert complete._environment() == before
    monkeypatch.setattr("os.geteuid", lambda: 12345)
    assert complete._environment() != before


def test_the_files_that_a_configuration_comes_from_are_watched(
    spool: Spool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    complete.places()
    form, key, spooled, _, _, knobs, *files = (tmp_path / "cache/condor_py/complete").read_text().split("\n")
    assert (form, key, spooled) == ("condor_complete 2", complete._environment(), str(spool.path.parent))
    assert "LOCAL_DIR" in knobs.split()
    names = [line.partition("\t")[2] for line in files]
    assert names[:3] == [
        "/etc/condor/condor_config", "/usr/local/etc/condor_config", f"{tmp_path}/.condor/user_config",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("found", "word", "offered"),
    [
        (["a", "ab", "-ax"], "a", ["a", "ab"]),
        (["a", "-ax", "-b"], "-", ["-ax", "-b"]),
        (["a", "-ax"], "", ["a"]),
        (["=attributes", "-ax"], "requestmem", ["RequestMemory"]),
        (["=attributes", "-ax"], "-a", ["-ax"]),
    ],
)
def test_what_follows_a_verb(found: list[str], word: str, offered: list[str]) -> None:
    assert complete._of_verb(found, word) == offered


def test_a_word_too_many(spool: Spool) -> None:
    said = "condor_complete: say one of jobs, mine, "
    assert spool.run("condor_complete", "knobs", "SCHEDD_", "x").err.startswith(said)
    assert spool.run("condor_complete").err.startswith(said)
    assert spool.run("condor_complete", "bogus").err.startswith(said)
    assert spool.run("condor_complete", "attributes", "requestmem").out == "RequestMemory\n"
    assert "RequestMemory\n" in spool.run("condor_complete", "attributes").out
