"""Settings that promise an isolation which does not exist here are told loudly, and others are not."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders import isolation
from condor_py.lang.config.builders.isolation import missing_isolation
from condor_py.lang.config.builders.startd import startd
from condor_py.lang.config.builders.starter import starter
from condor_py.lang.config.lint import lint
from condor_py.model.errors import ConfigError
from condor_py.model.settings.starter import BackingFile, ScratchVolume


def configured(**knobs: str) -> Config:
    return load({"CONDOR_CONFIG": "ONLY_ENV", **{f"_CONDOR_{name}": value for name, value in knobs.items()}})


def test_what_is_asked_for_and_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    knob = "ENCRYPT_EXECUTE_DIRECTORY"
    mapper = tmp_path / "device-mapper"
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(isolation, "_MAPPER", str(mapper))
    config = configured(**{knob: "True"})
    assert missing_isolation(config) == (knob,)
    assert startd(config).missing_isolation == (knob,)
    told = [(found.severity, found.message) for found in lint(config) if found.knob == knob]
    assert any(severity == "warning" and "what it asks for does not exist here" in text for severity, text in told)
    mapper.touch()
    assert missing_isolation(config) == ()


@pytest.mark.parametrize("knob", ["USE_PID_NAMESPACES", "NO_JOB_NETWORKING", "STARTD_ENFORCE_DISK_LIMITS"])
def test_namespaces_are_for_root_or_for_all(knob: str, monkeypatch: pytest.MonkeyPatch) -> None:
    config = configured(**{knob: "true"})
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert missing_isolation(config) == ()
    assert startd(config).job_networking is (knob != "NO_JOB_NETWORKING")
    assert (starter(config).scratch_volume is not None) is (knob == "STARTD_ENFORCE_DISK_LIMITS")
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    monkeypatch.setattr(isolation, "_users_allowed", lambda: False)
    assert missing_isolation(config) == (knob,)
    monkeypatch.setattr(isolation, "_users_allowed", lambda: True)
    assert missing_isolation(config) == ((knob,) if knob == "STARTD_ENFORCE_DISK_LIMITS" else ())


def test_a_machine_may_keep_namespaces_for_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    setting = tmp_path / "max_user_namespaces"
    monkeypatch.setattr(isolation, "_FORBIDDING", ((str(setting), "0"), (str(tmp_path / "none"), "0")))
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    config = configured(NO_JOB_NETWORKING="true")
    assert missing_isolation(config) == ()
    setting.write_text("0\n")
    assert missing_isolation(config) == ("NO_JOB_NETWORKING",)
    setting.write_text("100\n")
    assert missing_isolation(config) == ()


@pytest.mark.parametrize(("more", "method"), [({}, ""), ({"ALLOW_COMMON_FILES_ON_LVS": "true"}, "Copy")])
def test_common_files_are_not_linked_into_file_systems_of_jobs(
    more: dict[str, str], method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert startd(configured(STARTD_ENFORCE_DISK_LIMITS="true", **more)).mapping_method == method


def test_groups_that_track_processes_are_for_root(monkeypatch: pytest.MonkeyPatch) -> None:
    knobs = {"USE_GID_PROCESS_TRACKING": "true", "MIN_TRACKING_GID": "750", "MAX_TRACKING_GID": "757"}
    config = configured(**knobs)
    monkeypatch.setattr("os.geteuid", lambda: 0)
    assert missing_isolation(config) == ()
    assert starter(config).tracking_gids == (750, 757)
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    assert missing_isolation(config) == ("USE_GID_PROCESS_TRACKING",)
    assert starter(config).tracking_gids is None


@pytest.mark.parametrize(
    ("lowest", "highest", "complaint"),
    [
        ("0", "757", "USE_GID_PROCESS_TRACKING enabled, but MIN_TRACKING_GID is 0"),
        ("750", "0", "USE_GID_PROCESS_TRACKING enabled, but MAX_TRACKING_GID is 0"),
        ("750", "749", "invalid tracking gid range: 750 - 749"),
    ],
)
def test_a_range_without_groups_is_an_error(
    lowest: str, highest: str, complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    knobs = {"USE_GID_PROCESS_TRACKING": "true", "MIN_TRACKING_GID": lowest, "MAX_TRACKING_GID": highest}
    with pytest.raises(ConfigError, match=complaint):
        starter(configured(**knobs))


@pytest.mark.parametrize(("knob", "value"), [("USE_PID_NAMESPACES", "false")])
def test_what_is_switched_off_is_not(knob: str, value: str) -> None:
    config = configured(**{knob: value})
    assert missing_isolation(config) == ()
    assert not [finding for finding in lint(config) if finding.severity == "warning"]


@pytest.mark.parametrize(
    ("knobs", "pattern"),
    [
        ({}, ""),
        ({"EXECUTE_LOGIN_IS_DEDICATED": "true"}, ".*"),
        ({"EXECUTE_LOGIN_IS_DEDICATED": "true", "DEDICATED_EXECUTE_ACCOUNT_REGEXP": "slot.*"}, "slot.*"),
    ],
)
def test_dedicated_accounts(knobs: dict[str, str], pattern: str) -> None:
    """The older knob means every account, where the newer one says nothing."""
    assert starter(configured(**knobs)).accounts.dedicated == pattern


def test_the_peak_of_the_kernel_is_taken_where_page_cache_counts() -> None:
    assert not starter(configured()).cgroup_use_peak_memory
    assert starter(configured(CGROUP_USE_PEAK_MEMORY="true")).cgroup_use_peak_memory
    assert starter(configured(CGROUP_IGNORE_CACHE_MEMORY="false")).cgroup_use_peak_memory


def test_disks_lie_in_a_group_of_the_site_or_on_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)

    def disk(**knobs: str) -> ScratchVolume:
        found = starter(configured(STARTD_ENFORCE_DISK_LIMITS="true", SPOOL="/spool", **knobs)).scratch_volume
        assert found is not None
        return found

    assert disk().file == BackingFile("/spool/startd_disk.img", 10240, "condor_STARTD")
    assert disk(LVM_VOLUME_GROUP_NAME="site") == ScratchVolume(group="site")
    named = disk(LVM_BACKING_FILE="/disk", LVM_BACKING_FILE_SIZE_MB="7", LVM_AUTO_VG_NAME="mine")
    assert named == ScratchVolume(file=BackingFile("/disk", 7, "mine"))
    assert disk(LVM_BACKING_FILE="") == ScratchVolume()
    thin = {"LVM_USE_THIN_PROVISIONING": "true", "LVM_VOLUME_GROUP_NAME": "site"}
    assert disk(**thin, LVM_THINPOOL_NAME="pool") == ScratchVolume(True, group="site", pool="pool", extra_mb=2000)
    assert disk(**thin).file is not None, "as in HTCondor, where no pool is named"


def test_the_example_of_disks_is_right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    monkeypatch.setattr(isolation, "_MAPPER", str(tmp_path))
    example = Path(__file__).parents[3] / "etc" / "examples" / "disks.config"
    config = load({"CONDOR_CONFIG": str(example)})
    assert [found.message for found in lint(config) if found.severity in ("error", "warning")] == []
    found = starter(config)
    assert found.encrypt_execute_directory
    assert found.scratch_volume is not None
    assert found.scratch_volume.file is not None
    assert (found.scratch_volume.file.size_mb, found.scratch_volume.extra_mb) == (102400, 1000)


@pytest.mark.parametrize("word", ["", "0", "0.0", "f", "False", "n", "No", "none", '"none"', "undefined"])
def test_what_is_switched_off_promises_nothing(word: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    for text, missing in ((word, ()), ("1", ("DISABLE_SETUID",))):
        assert missing_isolation(configured(DISABLE_SETUID=text)) == missing
