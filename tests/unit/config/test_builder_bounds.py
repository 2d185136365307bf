"""Values at the bounds of what builders take, empty ones, and settings of one subsystem."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.lang.config import Config, ConfigError, detected, load
from condor_py.lang.config.builders import daemon, negotiator, router, schedd, startd, starter, submit, usermaps
from condor_py.lang.config.dynamic import Dynamic
from condor_py.lang.config.summary import statistics

Read = Callable[..., Config]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def config(text: str, subsystem: str = "TOOL") -> Config:
        path = tmp_path / "condor_config"
        path.write_text(f"LOCAL_DIR = /pool\nUSER_CONFIG_FILE =\nNETWORK_HOSTNAME = h.d\n{text}\n")
        return load({"CONDOR_CONFIG": str(path)}, subsystem=subsystem)

    return config


def test_ranks_that_are_empty_rank_nothing(read: Read) -> None:
    """A negotiator of HTCondor has no expression then, which leaves all slots alike."""
    found = negotiator.negotiator(read("NEGOTIATOR_PRE_JOB_RANK =\nNEGOTIATOR_POST_JOB_RANK =\nPREEMPTION_RANK ="))
    assert (found.pre_job_rank, found.post_job_rank, found.preemption_rank) == ("", "", "")
    found = negotiator.negotiator(read(""))
    assert "My.Rank" in found.pre_job_rank
    assert "KFlops" in found.post_job_rank
    assert "RemoteUserPrio" in found.preemption_rank


def test_limits_for_the_negotiator_alone(read: Read) -> None:
    text = "A_LIMIT = 1\nB_LIMIT = 1\nNEGOTIATOR.B_LIMIT = 2\nnegotiator.C_limit = 3\nSCHEDD.D_LIMIT = 4\n"
    text += "NEGOTIATOR.CONCURRENCY_LIMIT_DEFAULT_S = 5"
    found = negotiator.negotiator(read(text, "NEGOTIATOR")).concurrency
    limits = dict(found.limits)
    assert [limits.get(name) for name in "abcd"] == [1.0, 2.0, 3.0, None]
    assert dict(found.set_defaults) == {"s": 5.0}


def test_what_daemons_have_where_a_knob_is_empty(read: Read) -> None:
    made = daemon.daemon(read("SCHEDD.UID_DOMAIN =\nSCHEDD.FILESYSTEM_DOMAIN =", "SCHEDD"), "SCHEDD")
    assert (made.uid_domain, made.file_system_domain) == ("h.d", "h.d")
    made = daemon.daemon(read("DETECTED_CPUS =\nDETECTED_MEMORY =\nUPDATE_INTERVAL = 0"), "STARTD")
    assert (made.detected_cpus, made.detected_memory, made.update_interval) == (0, 0, 1)
    assert daemon.daemon(read("UPDATE_INTERVAL = 2"), "STARTD").update_interval == 2
    assert starter.starter(read("JOB_EXECDIR_PERMISSIONS =")).job_execdir_permissions == "user"
    assert starter.starter(read("CGROUP_MEMORY_LIMIT_POLICY =")).cgroup_memory_limit_policy == "hard"
    assert starter.starter(read("JOB_INHERITS_STARTER_ENVIRONMENT =")).inherited == ()
    assert daemon.most_auto_memory(read("MEMORY =\nDETECTED_MEMORY =\nRESERVED_MEMORY = 0")) == 0


@pytest.mark.parametrize("text", ["", '""', '" "', "  "])
def test_the_usual_form_of_times_in_logs(read: Read, text: str) -> None:
    form = daemon.log(read(f"DEBUG_TIME_FORMAT = {text}"), "SCHEDD").time_format
    assert form.strip() == ("" if text == '" "' else "%m/%d/%y %H:%M:%S")


def test_the_age_of_the_log_of_any_program(read: Read) -> None:
    """A program without a limit of its own has the common one, as a size or as an age."""
    made = daemon.log(read("MAX_DEFAULT_LOG = 2 days"), "MYPROGRAM")
    assert (made.max_bytes, made.max_age) == (0, 2 * 86400)
    made = daemon.log(read("MAX_DEFAULT_LOG = 2 Kb"), "MYPROGRAM")
    assert (made.max_bytes, made.max_age) == (2048, 0)
    made = daemon.log(read("MAX_MYPROGRAM_LOG = 7"), "MYPROGRAM")
    assert (made.max_bytes, made.max_age) == (7, 0)


@pytest.mark.parametrize(
    ("knobs", "gids"),
    [
        ("MIN_TRACKING_GID = 1\nMAX_TRACKING_GID = 1", (1, 1)),
        ("MIN_TRACKING_GID = 1\nMAX_TRACKING_GID = 0", "MAX_TRACKING_GID"),
        ("MIN_TRACKING_GID = 0\nMAX_TRACKING_GID = 1", "MIN_TRACKING_GID"),
        ("MIN_TRACKING_GID = 3\nMAX_TRACKING_GID = 2", "MIN_TRACKING_GID"),
    ],
)
def test_groups_at_their_bounds(
    read: Read, monkeypatch: pytest.MonkeyPatch, knobs: str, gids: tuple[int, int] | str
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    config = read(f"USE_GID_PROCESS_TRACKING = true\n{knobs}")
    if isinstance(gids, tuple):
        assert starter.starter(config).tracking_gids == gids
        return
    with pytest.raises(ConfigError) as caught:
        starter.starter(config)
    assert caught.value.knob == gids


def test_volumes_at_their_bounds(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    on = "STARTD_ENFORCE_DISK_LIMITS = true\n"
    backed = f"{on}LVM_BACKING_FILE = /f\nLVM_BACKING_FILE_SIZE_MB = 1\nLVM_HIDE_MOUNT = "
    for word, hidden in (("false", False), ("True", True), ("auto", False)):
        made = starter.starter(read(backed + word)).scratch_volume
        assert made is not None
        assert made.file is not None
        assert (made.hidden, made.file.size_mb, made.thin, made.extra_mb) == (hidden, 1, False, 0)
    named = load(
        {"CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_STARTD_ENFORCE_DISK_LIMITS": "true", "_CONDOR_LVM_BACKING_FILE": "/f"},
        local_name="two",
    )
    made = starter.starter(named).scratch_volume
    assert made is not None
    assert made.file is not None
    assert made.file.group == "condor_two_STARTD"


def test_the_directory_of_a_pool_with_an_account_condor(monkeypatch: pytest.MonkeyPatch) -> None:
    def local_dir(root: str, home: str | None) -> str | None:
        monkeypatch.setitem(detected._FIXED, "tilde", lambda _: home)
        return detected.Detected("TOOL", "", {"XDG_STATE_HOME": "/x"}, lambda _: "", root).initial("local_dir")

    assert local_dir("/c", "/home/condor") is None  # the default, which is below that home, counts
    assert local_dir("", "/home/condor") == "/x/condor_py"
    assert local_dir("/c", None) == "/x/condor_py"


def test_tables_of_routes_that_are_empty(read: Read, tmp_path: Path) -> None:
    (tmp_path / "routes").write_text(" \n")
    made = router.job_router(read(f"JOB_ROUTER_ENTRIES_FILE = {tmp_path}/routes\nJOB_ROUTER_DEFAULTS = [ a = 1 ]"))
    assert (made.old, made.enabled) == ((), False)
    assert made.notes[0].startswith("WARNING: JOB_ROUTER_ENTRIES_FILE, JOB_ROUTER_DEFAULTS: the syntax of ClassAds")


def test_routes_written_as_ads_are_expanded_at_once(read: Read) -> None:
    made = router.job_router(
        read(
            "X = 1\nJOB_ROUTER_ROUTE_NAMES = a b c\nJOB_ROUTER_ROUTE_a = [ N = $(X) ]\n"
            "JOB_ROUTER_ROUTE_c = SET N $(X)\n"
            "JOB_ROUTER_ROUTE_b @=end\n /* text */ [ N = $(X) ]\n@end"
        )
    )
    assert made.routes == (("a", "[ N = 1 ]"), ("b", "/* text */ [ N = 1 ]"), ("c", "SET N $(X)"))


def test_keywords_of_hooks_at_the_access_point(read: Read) -> None:
    made = schedd.shadow_hooks(read("SHADOW_JOB_HOOK_KEYWORD = a\nSHADOW_DEFAULT_JOB_HOOK_KEYWORD = b"))
    assert (made.hooks, made.job_keyword, made.default_keyword) == ((), "a", "b")


def test_settings_of_slots_for_the_startd_alone(read: Read) -> None:
    made = startd.startd(
        read(
            "NUM_SLOTS_TYPE_1 = 1\nNUM_SLOTS_TYPE_2 = 1\nSTARTD.SLOT_TYPE_1_START = x\nSTARTD.SLOT2_START = y\n"
            "START = z\n"
            "SLOT_TYPE_1_NAME_PREFIX = big\nSTARTD_RESOURCE_PREFIX = node",
            "STARTD",
        )
    )
    first, second = made.types
    assert (first.policy.start, second.policy.start, dict(made.overrides)[2].start) == ("x", "z", "y")
    assert (first.prefix, second.prefix) == ("big", "node")
    assert startd.startd(read("STARTD_RESOURCE_PREFIX =")).types[0].prefix == "slot"


def test_resources_that_a_match_takes_in_order(read: Read) -> None:
    text = (
        "MACHINE_RESOURCE_b = 1\nMACHINE_RESOURCE_C = 1\nMACHINE_RESOURCE_INVENTORY_a = /x\nCONSUMPTION_POLICY = true"
    )
    policy = startd.startd(read(text)).types[0].policy
    assert [name for name, _ in policy.consumption] == ["Cpus", "Memory", "Disk", "a", "b", "C", "GPUs"]


def test_counts_of_slots(read: Read) -> None:
    made = startd.startd(read("NUM_SLOTS_TYPE_1 = 0\nNUM_SLOTS_TYPE_10 = 2\nNUM_SLOTS_TYPE_11 = 3"))
    assert [(one.type_id, one.count) for one in made.types] == [(10, 2)]
    made = startd.startd(
        read("MAX_SLOT_TYPES = 11\nNUM_SLOTS_TYPE_11 = 3\nSLOT_TYPE_11 = 1/3\nSLOT_TYPE_11_BACKFILL = true")
    )
    assert [(one.type_id, one.count, one.share, one.backfill) for one in made.types] == [(11, 3, "1/3", True)]
    many = "MAX_SLOT_TYPES = 99999999999999999999\n"  # the numbers that are set are looked at, and no others
    made = startd.startd(read(f"{many}NUM_SLOTS_TYPE_900 = 2\nnum_slots_type_11 = 1\nNUM_SLOTS_TYPE_X = 1"))
    assert [(one.type_id, one.count) for one in made.types] == [(11, 1), (900, 2)]
    (only,) = startd.startd(read("SLOT_TYPE_0 = 50%")).types
    assert (only.type_id, only.share, only.backfill) == (0, "50%", False)
    (only,) = startd.startd(read("SLOT_TYPE_0_PARTITIONABLE = false\nDETECTED_CPUS = 5\nNUM_CPUS =")).types
    assert (only.count, only.partitionable) == (5, False)
    with pytest.raises(ConfigError, match=r"20001 slots are more than a machine can have \(20000\)"):
        startd.startd(read("NUM_SLOTS = 20001"))


def test_policies_of_submission_in_their_words(read: Read) -> None:
    made = submit.submit_policy(
        read(
            "SUBMIT_REQUIREMENT_NAMES = a names b\nSUBMIT_REQUIREMENT_a =\nSUBMIT_REQUIREMENT_b = true\n"
            "JOB_TRANSFORM_NAMES = names c\nJOB_TRANSFORM_c ="
        )
    )
    assert made.transforms == ()
    assert [(one.name, one.is_warning) for one in made.requirements] == [("b", False)]
    assert made.notes == ("JOB_TRANSFORM_c not defined, ignoring.", "Submit requirement a not defined, ignoring.")
    assert submit.submit_policy(read("JOB_TRANSFORM_NAMES = c\nJOB_TRANSFORM_c = SET A 1")).macro("JOB_TRANSFORM_c")


def test_urls_of_notices(read: Read) -> None:
    assert submit.notify_urls(read("")) == ()
    assert submit.notify_urls(read("NOTIFY_URLS = https://a/b, https://*")) == ("https://a/b", "https://*")
    with pytest.raises(ConfigError) as caught:
        submit.notify_urls(read("NOTIFY_URLS = https://a ftp://b"))
    assert str(caught.value) == (
        "NOTIFY_URLS: 'ftp://b' is no prefix of URLs: https://HOST[:PORT][/PATH], or https://* for any"
    )


def test_maps_of_urls_that_are_protected(read: Read, tmp_path: Path) -> None:
    knob = "PROTECTED_URL_TRANSFER_MAPFILE"
    (tmp_path / "map").write_bytes(b"* https://a.example/ queue\n# \xff\n")
    found = submit.submit(read(f"{knob} = {tmp_path}/map")).protected_urls
    assert found is not None
    assert (found("*", "https://a.example/x"), found("*", "https://b.example/x")) == ("queue", None)
    assert submit.submit(read(f"{knob} = /not/there")).protected_urls is None
    assert submit.submit(read(f"{knob} =")).protected_urls is None
    (tmp_path / "map").write_text("@include more\n")
    (tmp_path / "more").write_text("* a b\n")
    assert usermaps.of_file(str(tmp_path / "map")).output("*", "a") == "b"


def test_bytes_of_any_kind_in_settings(tmp_path: Path) -> None:
    (tmp_path / "text").write_bytes(b"A = \xff\n")
    config = tmp_path / "c"
    config.write_text(f"include command into {tmp_path}/cache : /bin/cat {tmp_path}/text\n")
    found = load({"CONDOR_CONFIG": str(config)})
    assert os.fsencode(found.string("A")) == b"\xff"
    assert (tmp_path / "cache").read_bytes() == b"A = \xff\n"
    assert statistics(found)["StringBytes"] == len(b"A\xff")
    (tmp_path / "list").write_text("RUNTIME_CONFIG_ADMIN = a\n")
    (tmp_path / "list.a").write_bytes(b"B = \xfe\n")
    config.write_text("")
    found = load({"CONDOR_CONFIG": str(config)}, dynamic=Dynamic(str(tmp_path / "list")))
    assert os.fsencode(found.string("B")) == b"\xfe"
