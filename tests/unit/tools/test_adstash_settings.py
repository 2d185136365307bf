"""The settings of condor_adstash: their values without any configuration, and where each may be set."""

from __future__ import annotations

from typing import Any

import pytest
from tool_runner import Spool

from condor_py.cli.adstash import _SPEC, settings
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
    "se_password": "",
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
