"""The settings of condor_adstash: their values without any configuration, and where each may be set."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tool_runner import Spool, run

from condor_py.cli import adstash
from condor_py.cli.adstash import _SPEC, documents, settings
from condor_py.cli.options import parse
from condor_py.client.pool import open_pool
from condor_py.model.errors import CondorError

#: What HTCondor's is without configuration as ADSTASH, and what another name has instead.
USUAL: dict[str, Any] = {
    "sample_interval": 1200, "checkpoint_file": "{log}/adstash_checkpoint.json", "log_file": "{log}/adstash.log",
    "log_level": "WARNING", "threads": 1, "interface": "elasticsearch", "schedd_history": False,
    "startd_history": False, "schedd_job_epoch_history": False, "schedd_transfer_epoch_history": False, "ad_file": "",
    "collectors": "{host}", "schedds": "*", "startds": "*", "schedd_history_max_ads": 10000,
    "startd_history_max_ads": 10000, "schedd_history_timeout": 240, "startd_history_timeout": 240,
    "schedd_history_projection": "", "startd_history_projection": "", "se_host": "{full}:9200", "se_url_prefix": "",
    "se_username": "", "se_use_https": False, "se_timeout": 240, "se_bunch_size": 250,
    "se_index_name": "htcondor-000001", "se_ca_certs": "", "se_log_mappings": True, "json_dir": "{log}",
    "se_password": "", "standalone": False,
}  # fmt: skip
OTHER = {
    "interface": "null", "schedd_history_timeout": 120, "startd_history_timeout": 120, "se_host": "localhost:9200",
    "se_timeout": 120, "json_dir": "{here}",
}  # fmt: skip


def read(*words: str, **environment: str) -> dict[str, Any]:
    return settings.read(parse(_SPEC, list(words)), open_pool().config, environment)


def filled(values: dict[str, Any], spool: Spool) -> dict[str, Any]:
    config = open_pool().config
    places = {"log": config.path("LOG"), "host": config.string("CONDOR_HOST"), "full": config.string("FULL_HOSTNAME"),
              "here": str(spool.path.parents[2])}  # fmt: skip
    return {name: value.format(**places) if isinstance(value, str) else value for name, value in values.items()}


def test_without_configuration(spool: Spool) -> None:
    found = read()
    assert found | {"log_level": "WARNING"} == filled(USUAL, spool)
    assert found["log_level"] in ("WARNING", "INFO", "DEBUG", "ERROR", "CRITICAL")
    other = read("--process_name", "OWN")
    assert other | {"log_level": "WARNING"} == filled(USUAL | OTHER, spool)


def text_for(value: Any, row: settings.Row) -> tuple[str, Any]:
    """A text that sets a setting, and the value that it becomes."""
    if row.name == "interface":
        return "jsonfile", "jsonfile"
    if row.name == "log_level":
        return "ERROR", "ERROR"
    if row.is_number:
        return "77", 77
    return (str(not value), not value) if isinstance(value, bool) else ("some", "some")


@pytest.mark.parametrize("row", settings.ROWS, ids=lambda row: row.name)
def test_each_setting_by_knob_environment_and_option(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, row: settings.Row
) -> None:
    text, value = text_for(USUAL[row.name], row)
    assert read(**{f"ADSTASH_{row.knob}": text})[row.name] == value
    if row.engine:
        assert read(**{f"ADSTASH_{row.knob.replace('SE_', 'ES_', 1)}": text})[row.name] == value
    if row.name != "log_level":
        monkeypatch.setenv(f"_CONDOR_ADSTASH_{row.knob}", text)
        assert read()[row.name] == value
        monkeypatch.delenv(f"_CONDOR_ADSTASH_{row.knob}")
    if row.name == "se_log_mappings":
        assert read("--se_no_log_mappings")[row.name] is False
    elif row.value:
        assert read(f"--{row.name}", text)[row.name] == value
    else:
        assert read(f"--{row.name}")[row.name] is True


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--threads", "x"], "condor_adstash: --threads must be an integer (got: x)"),
        (["--interface", "paper"], "condor_adstash: --interface: Unknown interface selected: paper."),
    ],
)
def test_values_that_are_refused(spool: Spool, words: list[str], said: str) -> None:
    with pytest.raises(CondorError) as error:
        read(*words)
    assert str(error.value).startswith(said)
    with pytest.raises(CondorError, match="ADSTASH_SCHEDD_HISTORY must be a boolean"):
        read(ADSTASH_SCHEDD_HISTORY="perhaps")


#: Ends of the names of knobs and variables, where they are not the name of the option.
ENDS = {
    "log_file": "LOG", "threads": "NUM_THREADS", "collectors": "READ_POOLS", "schedds": "READ_SCHEDDS",
    "startds": "READ_STARTDS",
}  # fmt: skip
#: What may be called as elasticsearch calls it, too.
OF_ENGINES = (
    "se_host", "se_username", "se_use_https", "se_timeout", "se_bunch_size", "se_index_name", "se_ca_certs",
)  # fmt: skip


@pytest.mark.parametrize("name", [name for name in USUAL if name != "se_password"])
def test_the_variable_and_the_option_of_each_setting(spool: Spool, name: str) -> None:
    value = USUAL[name]
    text, wanted = {bool: (str(not value), not value), int: ("77", 77)}.get(type(value), ("some", "some"))
    if name in ("interface", "log_level"):
        text = wanted = {"interface": "jsonfile", "log_level": "ERROR"}[name]
    end = ENDS.get(name, name.upper())
    usual = read()
    assert read(**{f"ADSTASH_{end}": text}) == usual | {name: wanted}
    if name != "se_log_mappings":
        words = [f"--{name}"] if wanted is True else [f"--{name}", text]
        assert read(*words) == usual | {name: wanted}
    if name in OF_ENGINES:
        assert read(**{f"ADSTASH_{end.replace('SE_', 'ES_', 1)}": text}) == usual | {name: wanted}


@pytest.mark.parametrize(
    ("debug", "level"),
    [
        ("", "WARNING"), ("D_FULLDEBUG", "INFO"), ("D_ALL", "INFO"), ("D_FULLDEBUG:2", "DEBUG"), ("D_ALL:2", "DEBUG"),
        ("D_COMMAND,D_ALL:2", "DEBUG"), ("D_COMMAND D_FULLDEBUG", "INFO"), ("D_COMMAND", "WARNING"),
    ],
)  # fmt: skip
def test_the_level_of_a_debug_knob(spool: Spool, monkeypatch: pytest.MonkeyPatch, debug: str, level: str) -> None:
    """HTCondor's flags of ADSTASH_DEBUG; a level that is named counts more."""
    monkeypatch.setenv("_CONDOR_ADSTASH_DEBUG", debug)
    assert read()["log_level"] == level
    assert read("--log_level", "error")["log_level"] == "ERROR"
    monkeypatch.setenv("_CONDOR_ADSTASH_LOG_LEVEL", "CRITICAL")  # of no effect, as in HTCondor
    assert read()["log_level"] == level


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("YES", True), ("1", True), (" True ", True), ("false", False), ("No", False), ("0", False)],
)
def test_words_for_yes_and_no(spool: Spool, text: str, value: bool) -> None:
    assert read(ADSTASH_SCHEDD_HISTORY=text)["schedd_history"] is value
    assert read(ADSTASH_SE_LOG_MAPPINGS=text)["se_log_mappings"] is value


def test_where_a_password_comes_from(spool: Spool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The command line, the environment, a file; SE_ before ES_ in the environment, ES_ first among files."""
    for name in ("se", "es"):
        (tmp_path / name).write_text(f"of {name}\nnot this\n")
    monkeypatch.setenv("_CONDOR_ADSTASH_SE_PASSWORD_FILE", str(tmp_path / "se"))
    assert read()["se_password"] == "of se"
    monkeypatch.setenv("_CONDOR_ADSTASH_ES_PASSWORD_FILE", str(tmp_path / "es"))
    assert read()["se_password"] == "of es"
    assert read(ADSTASH_ES_PASSWORD="b")["se_password"] == "b"
    assert read(ADSTASH_ES_PASSWORD="b", ADSTASH_SE_PASSWORD="a")["se_password"] == "a"
    assert read("--se_password", "c", ADSTASH_SE_PASSWORD="a")["se_password"] == "c"
    assert read("--es_password", "d")["se_password"] == "d"
    (tmp_path / "es").write_text("\nsecond line\n")
    with pytest.raises(CondorError, match=r"^condor_adstash: Got empty string from password file .*/es$"):
        read()
    (tmp_path / "es").unlink()
    with pytest.raises(CondorError, match=r"cannot read the password file .*/es: No such file or directory$"):
        read()


@pytest.mark.parametrize(
    ("words", "understood"),
    [
        (["--sample=5"], ["--sample_interval", "5"]),
        (["--sample_interval=5=6"], ["--sample_interval", "5=6"]),
        (["--thr", "2"], ["--threads", "2"]),
        (["--schedd"], ["--schedd"]),  # of several
        (["--schedds", "x"], ["--schedds", "x"]),
        (["--schedd_history"], ["--schedd_history"]),  # others begin so, too
        (["--stand"], ["--standalone"]),
        (["--nothing=1"], ["--nothing", "1"]),
        (["-h", "--", "x=y"], ["-h", "--", "x=y"]),
    ],
)
def test_how_options_may_be_written(words: list[str], understood: list[str]) -> None:
    assert adstash._split(words) == understood


@pytest.mark.parametrize(("words", "prefix"), [([], "ADSTASH"), (["--process_name", "OWN"], "OWN")])
def test_knobs_of_one_process(spool: Spool, monkeypatch: pytest.MonkeyPatch, words: list[str], prefix: str) -> None:
    """A knob may be set for it alone, as for every daemon."""
    monkeypatch.setenv(f"_CONDOR_{prefix}.{prefix}_SAMPLE_INTERVAL", "77")
    assert "time between two looks; at least 20 [default: 77]" in " ".join(
        run("condor_adstash", *words, "-h").out.split()
    )


class Told(list[tuple[str, str]]):
    """In place of the log."""

    def tell(self, level: str, text: str) -> None:
        self.append((level, text))


@pytest.mark.parametrize(
    ("collectors", "names", "is_here", "others"),
    [
        ("{host}", "*", True, []),
        ("{host}", "", True, []),
        ("{HOST}:9618", "*", True, []),
        ("localhost:9618", "*", True, []),
        ("cm.example.net", "*", True, []),  # CONDOR_HOST
        ("far, {host}", "*", True, ["far"]),
        ("far,near", "*", False, ["far", "near"]),
        ("", "*", True, []),
        ("{host}", "other, {NAME}", True, []),
        ("{host}", "other", False, []),
        ("{host}", "other, *", False, []),
        ("far", "{NAME}", False, ["far"]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("number", [0, 1])
def test_which_pools_and_daemons_are_read(
    spool: Spool, monkeypatch: pytest.MonkeyPatch, number: int, collectors: str, names: str, is_here: bool,
    others: list[str],
) -> None:  # fmt: skip
    """Those of this machine, if they are in both lists; pools that cannot be read are named in the log."""
    monkeypatch.setenv("_CONDOR_CONDOR_HOST", "cm.example.net:9618")
    monkeypatch.setenv("_CONDOR_SCHEDD_NAME", "night@vm.example.net")
    pool, told = open_pool(), Told()
    source, daemon = adstash._SOURCES[number], ("schedd", "startd")[number]
    host = pool.settings.host
    name = ("night@vm.example.net", host)[number]
    places = {"host": host, "HOST": host.upper(), "NAME": name.upper()}
    wanted = {"collectors": collectors.format(**places), f"{daemon}s": names.format(**places)}
    assert adstash._is_here(pool, source, wanted, told) == is_here  # type: ignore[arg-type]
    assert told == [
        *(("WARNING", f"{word} is another pool, which cannot be read from here") for word in others),
        ("WARNING", f"There are {int(is_here)} {daemon}s to query."),
    ]


@pytest.mark.parametrize(("size", "parts"), [(2, [2, 2, 1]), (5, [5]), (6, [5]), (0, [5]), (-1, [5]), (1, [1] * 5)])
def test_documents_are_sent_in_bunches(size: int, parts: list[int]) -> None:
    found: list[documents.Document] = [(str(number), {}) for number in range(5)]
    bunches = list(adstash._bunches(found, {"se_bunch_size": size}))
    assert [len(bunch) for bunch in bunches] == parts
    assert [document for bunch in bunches for document in bunch] == found


def test_without_a_size_250_documents_are_sent_together() -> None:
    bunches = adstash._bunches([("x", {})] * 251, {"se_bunch_size": 0})
    assert [len(bunch) for bunch in bunches] == [250, 1]


def test_which_of_two_names_counts(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Among knobs that of Elasticsearch, in the environment the general one; the environment before the knobs."""
    monkeypatch.setenv("_CONDOR_ADSTASH_SE_HOST", "knob-se")
    monkeypatch.setenv("_CONDOR_ADSTASH_ES_HOST", "knob-es")
    assert read()["se_host"] == "knob-es"
    assert read(ADSTASH_ES_HOST="es")["se_host"] == "es"
    assert read(ADSTASH_ES_HOST="es", ADSTASH_SE_HOST="se")["se_host"] == "se"
    assert read("--es_host", "word", ADSTASH_SE_HOST="se")["se_host"] == "word"
