"""The knobs of the startd: from configuration text to settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders.startd import startd
from condor_py.model.errors import ConfigError
from condor_py.model.settings.startd import MachineResource, StartdSettings


def configuration(tmp_path: Path, text: str) -> Config:
    path = tmp_path / "condor_config"
    path.write_text(f"LOCAL_DIR = {tmp_path}\n{text}\n")
    return load({"CONDOR_CONFIG": str(path)}, subsystem="STARTD")


def read(tmp_path: Path, text: str = "") -> StartdSettings:
    return startd(configuration(tmp_path, text))


def test_defaults_are_one_partitionable_slot_of_everything(tmp_path: Path) -> None:
    found = read(tmp_path)
    assert [(t.type_id, t.count, t.partitionable, t.share) for t in found.types] == [(0, 1, True, "auto")]
    assert (found.num_cpus, found.memory_mb, found.disk_kb) == (None, None, None)
    assert (found.claim_worklife, found.killing_timeout, found.polling_interval) == (1200, 30, 5)
    policy = found.types[0].policy
    assert policy.start.lower() == "true"
    assert policy.is_owner.lower() == "false"
    assert policy.slot_weight == "Cpus"
    assert dict(policy.modify_request)["RequestMemory"] == "quantize(RequestMemory,{128})"


def test_amounts(tmp_path: Path) -> None:
    found = read(tmp_path, "NUM_CPUS = 8\nMEMORY = 16000\nRESERVED_MEMORY = 512\nRESERVED_DISK = 3")
    assert (found.num_cpus, found.memory_mb) == (8, 16000)
    assert (found.reserved_memory_mb, found.reserved_disk_kb) == (512, 3072)


def test_number_of_slots_alone_makes_partitionable_ones(tmp_path: Path) -> None:
    assert [(t.count, t.partitionable) for t in read(tmp_path, "NUM_SLOTS = 4").types] == [(4, True)]


def test_static_slots_default_to_one_a_cpu(tmp_path: Path) -> None:
    found = read(tmp_path, "NUM_CPUS = 6\nSLOT_TYPE_0_PARTITIONABLE = False")
    assert [(t.count, t.partitionable) for t in found.types] == [(6, False)]


def test_types_replace_type_zero(tmp_path: Path) -> None:
    text = "NUM_SLOTS_TYPE_1 = 1\nSLOT_TYPE_1 = 75%\nSLOT_TYPE_1_PARTITIONABLE = True\n"
    text += "NUM_SLOTS_TYPE_2 = 2\nSLOT_TYPE_2 = 1/8"
    found = read(tmp_path, text)
    assert [(t.type_id, t.count, t.partitionable, t.share) for t in found.types] == [
        (1, 1, True, "75%"),
        (2, 2, False, "1/8"),
    ]


def test_policy_by_type_and_by_slot(tmp_path: Path) -> None:
    text = """
    START = TARGET.Owner != "eve"
    PREEMPT = $(Hot)
    Hot = LoadAvg > 5
    SUSPEND_VANILLA = false
    NUM_SLOTS_TYPE_1 = 2
    NUM_SLOTS_TYPE_2 = 1
    SLOT_TYPE_2_START = false
    SLOT2_RANK = TARGET.JobPrio
    STARTD_ATTRS = Colour, Age
    Colour = "red"
    Age = 7
    SLOT2_Age = 8
    """
    found = read(tmp_path, text)
    by_slot = [found.policy(n, t) for n, t in ((1, 1), (2, 1), (3, 2))]
    assert [p.start for p in by_slot] == ['TARGET.Owner != "eve"', 'TARGET.Owner != "eve"', "false"]
    assert [p.preempt for p in by_slot] == ["LoadAvg > 5"] * 3
    assert by_slot[1].rank == "TARGET.JobPrio"
    assert by_slot[0].vanilla == (("SUSPEND", "false"),)
    assert by_slot[0].attrs == (("Colour", '"red"'), ("Age", "7"))
    assert by_slot[1].attrs == (("Colour", '"red"'), ("Age", "8"))


def test_custom_resources(tmp_path: Path) -> None:
    text = "MACHINE_RESOURCE_Tokens = 16\nMACHINE_RESOURCE_wafers = w0 w1, w2"
    assert set(read(tmp_path, text).resources) == {
        MachineResource("Tokens", 16),
        MachineResource("wafers", 3, ("w0", "w1", "w2")),
    }
    chosen = read(tmp_path, text + "\nMACHINE_RESOURCE_NAMES = tokens")
    assert [resource.name for resource in chosen.resources] == ["Tokens"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [("KILLING_TIMEOUT = soon", "KILLING_TIMEOUT"), ("SLOT_CONFIG_FAILURE_MODE = PRAY", "SLOT_CONFIG_FAILURE_MODE")],
)
def test_bad_knob_is_named(text: str, complaint: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=complaint):
        read(tmp_path, text)
