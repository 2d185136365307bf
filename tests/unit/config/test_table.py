"""The table of knobs: complete, in agreement with HTCondor's own, and cheap to have."""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest
from sources import nodes_of

from condor_py.lang.config import load, table
from condor_py.lang.config.params import PARAMS
from condor_py.lang.config.settings import DEFAULT

#: Its tests share what was parsed.
pytestmark = pytest.mark.xdist_group("sources")
#: The page about knobs without effect, which the script beside it makes.
PAGE = Path(__file__).resolve().parents[3] / "docs" / "knobs.md"
#: Knobs whose default differs on purpose or by the machine, and why.
DIFFERENT = {
    "daemon_list": "there is no collector process",
    "daemon_socket_dir": "HTCondor resolves auto later",
    "collector_name": "the oracle has no host name here",
    "collector_host_string": "the oracle has no host name here",
    "enable_kernel_tuning": "condor_py changes no settings of the kernel",
    "submit_prevent_multi_queue": "several queue statements stay allowed",
    "mount_under_scratch": "jobs see the directories of their machine unless somebody says otherwise",
    "modify_request_expr_requestdisk": "catalogs of common files are not there",
    "catalog_space": "catalogs of common files are not there",
    "sum_of_catalogs": "catalogs of common files are not there",
    "periodic_checkpoint": "a random number",
    "runbenchmarks": "benchmarks run when they are asked for",
    "sec_default_authentication_methods": "depends on the libraries that the oracle was built with",
    "starter_debug": "a blank at the end",
    "system_startd_attrs": "put in by the startd itself",
    "transfer_job_attrs": "given twice by the oracle",
    "adstash_se_index_name": "given twice by the oracle",
    "add_windows_firewall_exception": "for Windows",
    "enable_classad_caching": "differs between the oracle's programs",
}
_ASK = """
import json, htcondor2
print(json.dumps({name: str(htcondor2.param[name]) if not isinstance(htcondor2.param[name], (bool, int, float))
                  else htcondor2.param[name] for name in list(htcondor2.param)}))
"""


@pytest.fixture(scope="module")
def theirs() -> dict[str, object]:
    """Every knob with a default in HTCondor, with its expanded value."""
    pytest.importorskip("htcondor2", reason="the HTCondor bindings are not installed here")
    done = subprocess.run(
        [sys.executable, "-c", _ASK], env=_environment(), capture_output=True, text=True, check=True, timeout=60
    )
    found: dict[str, object] = json.loads(done.stdout.splitlines()[-1])
    return found


def _environment() -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", "/usr/bin:/bin"), "HOME": "/nowhere", "CONDOR_CONFIG": "ONLY_ENV",
        "_CONDOR_LOCAL_DIR": "/local", "_CONDOR_RELEASE_DIR": "/release",
    }  # fmt: skip


def test_defaults_are_those_of_htcondor(theirs: dict[str, object]) -> None:
    config = load(_environment(), subsystem="TOOL")
    compared, different = 0, {}
    for name, value in theirs.items():
        found = table.knob(name)
        source = config.source(name)
        if found is None or name.lower() in DIFFERENT or source is None or source != DEFAULT:
            continue
        read = {bool: config.boolean, int: config.integer, float: config.real}.get(type(value), config.string)
        compared += 1
        if read(name) != value:  # type: ignore[operator]
            different[name] = (value, read(name))  # type: ignore[operator]
    assert not different
    assert compared > 850


@pytest.fixture(scope="module")
def census() -> ModuleType:
    spec = importlib.util.spec_from_file_location("knobs", PAGE.with_suffix(".py"))
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def test_every_knob_of_htcondor_is_known(theirs: dict[str, object], census: ModuleType) -> None:
    assert census.unknown(theirs) == []


def test_the_page_about_knobs_without_effect_is_made_from_the_table(census: ModuleType) -> None:
    assert census.page(table.all_knobs()) == PAGE.read_text(encoding="utf-8"), "run python docs/knobs.py"


def test_every_knob_is_described_in_few_words() -> None:
    knobs = list(table.all_knobs())
    assert len(knobs) > 1500
    assert len({knob.name.lower() for knob in knobs}) == len(knobs)
    assert [knob.name for knob in knobs if "." in knob.name and knob.name.lower() not in PARAMS] == []
    for knob in knobs:
        assert knob.description.endswith(".") or knob.group == "Built in", knob.name
        assert len(knob.description) < 200, knob.name


def test_every_documented_knob_is_known() -> None:
    """With CONDOR_PY_HTCONDOR_DOCS, the folder of HTCondor's manual: every knob that it defines."""
    folder = os.environ.get("CONDOR_PY_HTCONDOR_DOCS")
    if not folder:
        pytest.skip("CONDOR_PY_HTCONDOR_DOCS does not name HTCondor's docs folder")
    names = set()
    for path in Path(folder).rglob("*.rst"):
        names.update(re.findall(r":macro-def:`([^`\[]+?)(?:\[[^`]*)?`", path.read_text(encoding="utf-8")))
    missing = [
        name for name in sorted(names)
        if re.fullmatch(r"[A-Z0-9_.]+", name) and table.knob(name) is None and table.family(name) is None
    ]  # fmt: skip
    assert len(names) > 1000
    assert not missing


@pytest.mark.parametrize(
    ("name", "family"),
    [
        ("SLOT_TYPE_3", "SLOT_TYPE_<N>"),
        ("slot_type_12_partitionable", "SLOT_TYPE_<N>_PARTITIONABLE"),
        ("NUM_SLOTS_TYPE_2", "NUM_SLOTS_TYPE_<N>"),
        ("GROUP_QUOTA_DYNAMIC_physics.hep", "GROUP_QUOTA_DYNAMIC_<groupname>"),
        ("JOB_TRANSFORM_Memory", "JOB_TRANSFORM_<Name>"),
        ("MATLAB_LIMIT", "<NAME>_LIMIT"),
        ("MACHINE_RESOURCE_bandwidth", "MACHINE_RESOURCE_<name>"),
        ("STARTD_CRON_temperature_PERIOD", "STARTD_CRON_<JobName>_<SETTING>"),
    ],
)
def test_names_with_a_chosen_part_belong_to_a_family(name: str, family: str) -> None:
    found = table.family(name)
    assert found is not None
    assert found.name == family


def test_what_is_only_accepted_says_so() -> None:
    assert "no condor_" not in table.knob("START").no_effect  # type: ignore[union-attr]
    assert table.knob("START").no_effect == ""  # type: ignore[union-attr]
    assert "condor_dagman" in table.knob("dagman_use_old_file_parser").no_effect  # type: ignore[union-attr]
    assert table.knob("NO_SUCH_KNOB") is None
    assert (table.knob("POLLING_INTERVAL").unit, table.knob("POLLING_INTERVAL").readers) == (  # type: ignore[union-attr]
        "Seconds",
        "startd",
    )


def test_a_knob_without_effect_has_its_default_all_the_same() -> None:
    config = load({**_environment(), "_CONDOR_MINE": "$(DAGMAN_MAX_JOBS_IDLE) $(FLOCK_TO:none)"}, subsystem="TOOL")
    assert config.string("MINE") == "1000 none"
    assert config.setting("FLOCK_NEGOTIATOR_HOSTS") is None or config.string("FLOCK_NEGOTIATOR_HOSTS") == ""
    assert config.setting("WANT_HOLD") is None


def _asked_with_default() -> Iterator[tuple[str, str, str, object]]:
    """File, kind, knob and constant default of every question of the kind ``config.integer("KNOB", 5)``."""
    package = Path(table.__file__).resolve().parents[2]
    for path in package.rglob("*.py"):
        for node in nodes_of(path):
            match node:
                case ast.Call(
                    func=ast.Attribute(attr="integer" | "boolean" | "real" as kind),
                    args=[ast.Constant(value=str(name)), ast.Constant(value=standard)],
                ) if standard is not None:
                    yield path.relative_to(package).as_posix(), kind, name, standard


def test_defaults_in_the_code_are_those_of_the_table() -> None:
    """The table wins; a constant that says something else misleads whoever reads the code."""
    config = load(_environment())
    wrong = [
        f"{file}: {name} is {standard} in the code, {known} in the table"
        for file, kind, name, standard in _asked_with_default()
        if (known := config.default(name)) and getattr(config, kind)(name) != standard
    ]
    assert wrong == []


def test_a_default_stands_in_one_place() -> None:
    """Where settings are made, a knob has a default in the code only if the table has none, or one made of others."""
    twice = [
        f"{file}: {name}"
        for file, _, name, _ in _asked_with_default()
        if file.startswith("lang/config/") and (default := PARAMS.get(name.lower(), ("", ""))[1]) and "$" not in default
    ]
    assert twice == []


@pytest.mark.parametrize("text", ["", "  "])
def test_a_knob_set_to_nothing_has_its_default(text: str) -> None:
    config = load({**_environment(), "_CONDOR_NEGOTIATOR_CYCLE_DELAY": text, "_CONDOR_PREEMPTION_RANK_STABLE": text})
    assert config.integer("NEGOTIATOR_CYCLE_DELAY") == 20
    assert config.boolean("PREEMPTION_RANK_STABLE") is True
