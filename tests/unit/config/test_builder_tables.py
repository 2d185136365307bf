"""Settings that daemons make of the knobs of one configuration: each knob in its place, and what counts without it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from condor_py.lang.config import Config, load
from condor_py.lang.config.builders import (
    backfill,
    containers,
    cron,
    daemon,
    defrag,
    history,
    machine,
    negotiator,
    preen,
    router,
    schedd,
    startd,
    starter,
    submit,
)
from condor_py.lang.config.values import to_boolean, to_integer, to_list, to_real, to_size
from condor_py.lang.macro.evaluate import classad_evaluate
from condor_py.model.errors import ConfigError
from condor_py.model.settings.master import Backoff
from condor_py.model.settings.schedd import Rounding

Read = Callable[[str], Config]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def config(text: str) -> Config:
        path = tmp_path / "condor_config"
        path.write_text(f"LOCAL_DIR = /pool\n{text}\n")
        return load({"CONDOR_CONFIG": str(path)})

    return config


def wrong(build: Callable[[Config], object], config: Config) -> tuple[str, str]:
    """Knob and message of what ``build`` refuses."""
    with pytest.raises(ConfigError) as error:
        build(config)
    return error.value.knob, str(error.value)


# -- texts


@pytest.mark.parametrize(
    ("text", "size"),
    [
        *[(f"2{blank}{unit}", (2 * factor, False)) for blank in ("", " ") for unit, factor in (
            ("b", 1), ("k", 1024), ("Kb", 1024), ("KiB", 1024), ("M", 1 << 20), ("MB", 1 << 20), ("mb", 1 << 20),
            ("g", 1 << 30), ("gib", 1 << 30), ("T", 1 << 40), ("tb", 1 << 40))],
        *[(f"2{blank}{unit}", (2 * factor, True)) for blank in ("", " ") for unit, factor in (
            ("s", 1), ("sec", 1), ("secs", 1), ("m", 60), ("min", 60), ("MIN", 60), ("mins", 60), ("h", 3600),
            ("hr", 3600), ("Hrs", 3600), ("d", 86400), ("day", 86400), ("days", 86400), ("w", 604800), ("wk", 604800),
            ("wks", 604800))],
        ("1.5 kb", (1536, False)), ("1000", (1000, False)), (" 7 ", (7, False)), ("1.5 days", (129600, True)),
        ("", None), ("kb", None), ("1.2.3", None), (".5 kb", None), ("5 xb", None), ("5 kx", None), ("5 k b", None),
        ("-5", None), ("5 mm", None),
        ("9" * 400, (2**63 - 1, False)), ("9" * 400 + " days", (2**63 - 1, True)), ("1e9", None),
    ],
)  # fmt: skip
def test_sizes_and_ages(text: str, size: tuple[int, bool] | None) -> None:
    assert to_size(text) == size


@pytest.mark.parametrize(
    ("text", "integer", "real", "boolean"),
    [
        ("5", 5, 5.0, True), ("+5", 5, 5.0, True), ("-5", -5, -5.0, True), ("0", 0, 0.0, False),
        ("1", 1, 1.0, True), ("2.9", 2, 2.9, True), ("-2.9", -2, -2.9, True), ("2 * 3", 6, 6.0, True),
        ("true", 1, 1.0, True), ("FALSE", 0, 0.0, False), ("1e3", 1000, 1000.0, True), ("1e30", None, 1e30, True),
        ("x", None, None, None), ('"5"', None, None, None), ("--5", 5, 5.0, True), ("0.0", 0, 0.0, False),
        (" 7 ", 7, 7.0, True), ("1 > 2", 0, 0.0, False), ("9223372036854775808.0", None, 9223372036854775808.0, True),
        ("real(\"INF\")", None, float("inf"), True),
    ],
)  # fmt: skip
def test_numbers_and_truth(text: str, integer: int | None, real: float | None, boolean: bool | None) -> None:
    assert (to_integer(text, classad_evaluate), to_real(text, classad_evaluate)) == (integer, real)
    assert to_boolean(text, classad_evaluate) is boolean


def test_lists() -> None:
    assert to_list(" a, b,,c\td ,") == ["a", "b", "c", "d"]


# -- the router


def test_no_routes(read: Read) -> None:
    found = router.job_router(read(""))
    assert (found.enabled, found.order, found.routes, found.name) == (False, None, (), "jobrouter")
    assert found.notes == ("WARNING: JOB_ROUTER_ROUTE_NAMES is not defined, so job routing will not take place.",)


def test_routes_and_transforms_in_order(read: Read) -> None:
    text = (
        "JOB_ROUTER_ROUTE_NAMES = b a B gone NAMES empty\nJOB_ROUTER_ROUTE_a @=end\n UNIVERSE vanilla $(X)\n@end\n"
        'X = 1\nJOB_ROUTER_ROUTE_b = [ Name = "$(X)"; ]\nJOB_ROUTER_ROUTE_empty =\n'
        "JOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES = p q P\nJOB_ROUTER_POST_ROUTE_TRANSFORM_NAMES = q r\n"
        "JOB_ROUTER_TRANSFORM_p = SET A 1\nJOB_ROUTER_TRANSFORM_q = SET B 1\nJOB_ROUTER_TRANSFORM_r = SET C 1\n"
        "CHIRP_DELAYED_UPDATE_PREFIX = Chirp* My\nJOB_ROUTER_NAME = mine\n"
    )
    found = router.job_router(read(text), "me")
    assert found.order == ("b", "a", "B", "gone", "NAMES", "empty")
    assert found.routes == (("b", '[ Name = "1"; ]'), ("a", "UNIVERSE vanilla $(X)"))
    assert {name.lower() for name in found.pre_route} == {"p", "q"}
    assert found.post_route == ("q", "r")
    assert dict(found.transforms)["q"] == "SET B 1"
    assert len(found.transforms) == 3
    assert (found.enabled, found.owner, found.name) == (True, "me", "mine")
    assert found.chirp_prefixes == ("chirp*", "my")
    assert found.notes == ("JOB_ROUTER_ROUTE_empty definition is empty, ignoring.",)
    assert found.macro("X") == "1"


def test_a_transform_that_is_not_there_stops_routing(read: Read) -> None:
    found = router.job_router(read(
        "JOB_ROUTER_ROUTE_NAMES = a\nJOB_ROUTER_ROUTE_a = UNIVERSE vanilla\nJOB_ROUTER_PRE_ROUTE_TRANSFORM_NAMES = p"
    ))  # fmt: skip
    assert (found.enabled, found.notes) == (False, ("ERROR: JOB_ROUTER_TRANSFORM_p not found",))


@pytest.mark.parametrize("number", [1, 2])
@pytest.mark.parametrize("end", ["NAME", "POOL", "JOB_QUEUE_LOG", "ADDRESS_FILE"])
def test_knobs_that_the_router_ignores(read: Read, number: int, end: str) -> None:
    knob = f"JOB_ROUTER_SCHEDD{number}_{end}"
    found = router.job_router(read(f"JOB_ROUTER_ROUTE_NAMES = a\nJOB_ROUTER_CREATE_IDTOKEN_NAMES = t\n{knob} = x"))
    assert found.notes == (
        f"WARNING: {knob} ignored: jobs are routed inside of this machine's queue.",
        "WARNING: JOB_ROUTER_CREATE_IDTOKEN_NAMES ignored: no tokens are made on this machine.",
    )


def test_routing_tables_of_classads(read: Read, tmp_path: Path) -> None:
    file = tmp_path / "entries"
    file.write_text("[ $(X) ]")
    found = router.job_router(read(
        f"X = 1\nJOB_ROUTER_ENTRIES = [ a ]\nJOB_ROUTER_ENTRIES_FILE = {file}\nJOB_ROUTER_ENTRIES_CMD = /bin/echo [ b ]"
    ))  # fmt: skip
    assert [(knob, text.strip()) for knob, text in found.old] == [
        ("JOB_ROUTER_ENTRIES", "[ a ]"), ("JOB_ROUTER_ENTRIES_FILE", "[ 1 ]"), ("JOB_ROUTER_ENTRIES_CMD", "[ b ]"),
    ]  # fmt: skip
    assert found.enabled
    assert found.notes[0].startswith(
        "WARNING: JOB_ROUTER_ENTRIES, JOB_ROUTER_ENTRIES_FILE, JOB_ROUTER_ENTRIES_CMD: the syntax of ClassAds is read"
    )
    assert router.job_router(read("JOB_ROUTER_DEFAULTS = [ a ]")).notes[0].startswith("WARNING: JOB_ROUTER_DEFAULTS: ")
    for text, knob, message in (
        ("JOB_ROUTER_ENTRIES_FILE = /not/there", "JOB_ROUTER_ENTRIES_FILE", "/not/there: No such file or directory"),
        ("JOB_ROUTER_ENTRIES_CMD = /bin/false", "JOB_ROUTER_ENTRIES_CMD", "/bin/false exited with status 1"),
        ("JOB_ROUTER_NAME = a\"b", "JOB_ROUTER_NAME", "'a\"b' is not a name"),
    ):  # fmt: skip
        assert wrong(router.job_router, read(text)) == (knob, f"{knob}: {message}")
    knob, message = wrong(router.job_router, read("JOB_ROUTER_ENTRIES_CMD = /not/there"))
    assert (knob, message.startswith("JOB_ROUTER_ENTRIES_CMD: /not/there: ")) == ("JOB_ROUTER_ENTRIES_CMD", True)


def test_hooks_of_the_router(read: Read) -> None:
    (found,) = router.router_hooks(read(
        "A_HOOK_TRANSLATE_JOB = /t\na_HOOK_UPDATE_JOB_INFO = /u\nA_HOOK_JOB_FINALIZE = /f\nA_HOOK_JOB_EXIT = /e\n"
        "A_HOOK_JOB_CLEANUP = /c\nA_ATTRS_TO_COPY = x, y"
    ))  # fmt: skip
    assert (found.keyword, found.translate, found.update, found.finalize) == ("A", "/t", "/u", "/f")
    assert (found.cleanup, found.copied) == ("/c", ("x", "y"))
    for name in ("TRANSLATE_JOB", "UPDATE_JOB_INFO", "JOB_FINALIZE", "JOB_EXIT", "JOB_CLEANUP"):
        assert [one.keyword for one in router.router_hooks(read(f"JOB_ROUTER.B_HOOK_{name} = /x"))] == ["B"]
    assert router.router_hooks(read("C_HOOK_JOB_EXIT = /e"))[0].finalize == "/e"
    assert router.router_hooks(read("C_HOOK_OTHER = /e")) == ()


# -- the schedd


@pytest.mark.parametrize("base", ["HOLD", "RELEASE", "REMOVE", "VACATE"])
def test_rules_of_the_system(read: Read, base: str) -> None:
    knob = f"SYSTEM_PERIODIC_{base}"
    text = (
        f"{knob}_NAMES = a NAMES b c\n{knob}_a = x > 1\n{knob}_a_REASON = strcat(1)\n{knob}_a_SUBCODE = 7\n"
        f"{knob}_b = FALSE\n{knob}_c = 0\n{knob} = y\n{knob}_REASON = strcat(2)\n{knob}_SUBCODE = 8\n"
    )
    rules = getattr(schedd.schedd(read(text)).system_periodic, base.lower())
    assert [(one.expression, one.reason, one.subcode) for one in rules] == [
        ("x > 1", "strcat(1)", "7"), ("y", "strcat(2)", "8"),
    ]  # fmt: skip
    assert getattr(schedd.schedd(read("")).system_periodic, base.lower()) == ()


def test_knobs_of_the_schedd(read: Read) -> None:
    found = schedd.schedd(read(""))
    assert found.queue_super_users[0] == "root"
    assert (found.direct_attach_interval, found.spawn_attributes) == (0, ())
    found = schedd.schedd(read(
        "QUEUE_SUPER_USERS = me\nSPAWN_JOB_ATTRS = ALL\nSCHEDD_NAME = s\nSTARTD_DIRECT_ATTACH_SCHEDD_NAME = S\n"
        "STARTD_DIRECT_ATTACH_INTERVAL = 1\nTRANSFER_JOB_ATTRS = a b\nINPUT_JOB_ATTRS =\nCHECKPOINT_JOB_ATTRS = c\n"
        "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX = ^x"
    ))  # fmt: skip
    assert (found.queue_super_users, found.spawn_attributes, found.direct_attach_interval) == (("me",), ("all",), 1)
    assert found.transfer_attributes == (("INPUT", ()), ("OUTPUT", ("a", "b")), ("CHECKPOINT", ("c",)))
    assert found.remove_significant_pattern == "^x"
    same = "SCHEDD_NAME = s\nSTARTD_DIRECT_ATTACH_INTERVAL = 9\nSTARTD_DIRECT_ATTACH_SCHEDD_NAME = "
    assert schedd.schedd(read(f"{same}s@$(FULL_HOSTNAME)")).direct_attach_interval == 9
    assert schedd.schedd(read(f"{same}other")).direct_attach_interval == 0
    assert schedd.schedd(read("SPAWN_JOB_ATTRS = all a")).spawn_attributes == ("all", "a")
    knob, message = wrong(schedd.schedd, read("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX = ("))
    assert knob == "REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX"
    assert message.startswith("REMOVE_SIGNIFICANT_ATTRIBUTES_REGEX is not a regular expression: missing )")


def test_hooks_of_the_shadow(read: Read) -> None:
    found = schedd.shadow_hooks(read(
        "SHADOW.A_HOOK_SHADOW_PREPARE_JOB = /a\na_HOOK_SHADOW_PREPARE_JOB_ARGS = x y\nB_HOOK_SHADOW_PREPARE_JOB = /b\n"
        "B_HOOK_SHADOW_PREPARE_JOB_TIMEOUT = 7\nC_HOOK_SHADOW_PREPARE_JOB =\nSHADOW_JOB_HOOK_KEYWORD = a\n"
        "SHADOW_DEFAULT_JOB_HOOK_KEYWORD = b"
    ).seen_by("SHADOW"))  # fmt: skip
    assert [(one.keyword, one.path, one.timeout) for one in found.hooks] == [("A", "/a", 120), ("B", "/b", 7)]
    assert found.hooks[0].arguments == "x y"


@pytest.mark.parametrize(
    ("text", "level", "recent", "nonzero"),
    [
        ("", 1, True, False),
        ("DEFAULT", 1, True, False),
        ("SCHEDD:2", 2, True, False),
        ("SCHEDULER:0R", 0, True, False),
        ("ALL:3!R", 3, False, False),
        ("default:1Z", 1, True, True),
        ("SCHEDD:!RZ", 1, False, False),
        ("SCHEDD:NONE", 0, False, False),
        ("STARTD:2", 0, False, False),
        ("SCHEDD:2, STARTD:1, SCHEDD:1Z", 1, True, True),
        ("SCHEDD:q", 1, True, False),
    ],
)
def test_statistics_to_publish(read: Read, text: str, level: int, recent: bool, nonzero: bool) -> None:
    found = schedd.schedd_statistics(read(f"STATISTICS_TO_PUBLISH = {text}"))
    assert (found.level, found.recent, found.nonzero) == (level, recent, nonzero)


def test_windows_of_statistics(read: Read) -> None:
    found = schedd.schedd_statistics(read(""))
    assert (found.window, found.quantum) == (1200, 240)
    for end in ("", "_SCHEDD", "_SCHEDULER"):
        text = f"STATISTICS_WINDOW_QUANTUM{end} = 7\nSTATISTICS_WINDOW_SECONDS{end} = 70"
        found = schedd.schedd_statistics(read(text))
        assert (found.window, found.quantum) == (70, 7)
    found = schedd.schedd_statistics(read("STATISTICS_WINDOW_QUANTUM = 300\nSTATISTICS_WINDOW_SECONDS = 70"))
    assert (found.window, found.quantum) == (300, 300)
    named = schedd.schedd_statistics(read("STATISTICS_TO_PUBLISH_LIST = A b")).named
    assert named == frozenset(("a", "b"))


# -- submission


def test_attributes_of_all_submits(read: Read) -> None:
    found = submit.submit(read(
        "SUBMIT_ATTRS = a +b MY.c gone\nSUBMIT_EXPRS = d\nSYSTEM_SUBMIT_ATTRS = e\na = 1\nb = 2\nc = 3\nd = 4\ne = 5"
    ))  # fmt: skip
    assert found.attributes == (("a", "1"), ("d", "4"), ("e", "5"))
    assert found.forced_attributes == (("b", "2"), ("c", "3"))
    assert dict(found.rounding)["ImageSize"] == read("").string("SCHEDD_ROUND_ATTR_ImageSize")
    for name in ("DiskUsage", "ExecutableSize", "ImageSize", "NumCkpts", "ProportionalSetSizeKb", "ResidentSetSize"):
        assert dict(submit.submit(read(f"SCHEDD_ROUND_ATTR_{name} = 7%")).rounding)[name] == "7%"
    text = (
        "SCHEDD_ROUND_ATTR_RequestMemory = 2\nSCHEDD.schedd_round_attr_IMAGESIZE = 12.5%\nSCHEDD_ROUND_ATTR_DiskUsage ="
    )
    rules = dict(submit.submit(read(text)).rounding)
    assert (rules["RequestMemory"], rules["ImageSize"], rules["DiskUsage"]) == ("2", "25%", "")
    assert schedd.schedd(read(text)).rounding == Rounding(resident="25%", image="25%", disk="")


@pytest.mark.parametrize("rule", ["x", "25x%", "%", "-1", "10", "1001%", "-5%", "2.5", "٣"])
def test_what_says_nothing_of_rounding_is_refused(read: Read, rule: str) -> None:
    for build in (submit.submit, schedd.schedd):
        with pytest.raises(
            ConfigError, match=r"SCHEDD_ROUND_ATTR_ImageSize: .* is neither a percentage such as 25% nor"
        ):
            build(read(f"SCHEDD_ROUND_ATTR_ImageSize = {rule}"))


def test_knobs_of_submission(read: Read, tmp_path: Path) -> None:
    mapped = tmp_path / "urls"
    mapped.write_text("* https://a.example/ queue\n")
    found = submit.submit(read(
        "DEFAULT_RANK = 1\nAPPEND_RANK = 2\nSUBMIT_TEMPLATE_NAMES = a NAMES b\nSUBMIT_TEMPLATE_a = x $(1)\n"
        "INTERACTIVE_SUBMIT_FILE = /i\nSCHEDD_INTERVAL = 7\nUID_DOMAIN = u\nFILESYSTEM_DOMAIN = f\nSCHEDD_NAME = s@h\n"
        "EXTENDED_SUBMIT_COMMANDS @=end\n # text\n Foo = 1\n Bar = \"x\"\n foo = true\n@end\n"
        f"PROTECTED_URL_TRANSFER_MAPFILE = {mapped}"
    ))  # fmt: skip
    assert (found.default_rank, found.append_rank, found.interactive_file) == ("1", "2", "/i")
    assert (found.templates, found.schedd_interval) == ((("a", "x $(1)"),), "7")
    assert (found.uid_domain, found.filesystem_domain, found.host) == ("u", "f", "s@h")
    assert found.extended_commands == (("foo", "true"), ("Bar", '"x"'))
    assert found.protected_urls is not None
    found = submit.submit(read("DEFAULT_RANK = 1\nDEFAULT_RANK_VANILLA = 3\nAPPEND_RANK_VANILLA = 4"))
    assert (found.default_rank, found.append_rank, found.interactive_file) == ("3", "4", "")
    assert found.protected_urls is None
    for line in ("Foo", "Foo = 1 +"):
        knob = "EXTENDED_SUBMIT_COMMANDS"
        told = f"{knob}: {line!r} is not an attribute of a ClassAd: write Name = value"
        assert wrong(submit.submit, read(f"{knob} @=end\n{line}\n@end")) == (knob, told)
    limits = submit.limits(read("MAX_JOBS_SUBMITTED = 1\nMAX_JOBS_PER_OWNER = 2\nMAX_JOBS_PER_SUBMISSION = 3"))
    assert (limits.max_jobs_submitted, limits.max_jobs_per_owner, limits.max_jobs_per_submission) == (1, 2, 3)


def test_transforms_and_requirements(read: Read) -> None:
    assert submit.submit_policy(read("")).notes == ()
    found = submit.submit_policy(read(
        "JOB_TRANSFORM_NAMES = a b NAMES gone\nX = 1\nJOB_TRANSFORM_a = SET A $(X)\n"
        "JOB_TRANSFORM_b = [ set_A = $(X) ]\n"
        "SUBMIT_REQUIREMENT_NAMES = p q r s\nSUBMIT_REQUIREMENT_p = A > 1\nSUBMIT_REQUIREMENT_p_REASON = strcat(1)\n"
        "SUBMIT_REQUIREMENT_p_IS_WARNING = true\nSUBMIT_REQUIREMENT_q = A >\nSUBMIT_REQUIREMENT_r = true\n"
        "SUBMIT_REQUIREMENT_r_REASON = 1 +\nSCHEDD_NAME = s@h\nSTART_LOCAL_UNIVERSE = l\nMAX_JOBS_RUNNING = 9"
    ))  # fmt: skip
    assert found.transforms == (("a", "SET A $(X)"), ("b", "[ set_A = 1 ]"))
    assert [(one.name, one.expression, one.reason, one.is_warning) for one in found.requirements] == [
        ("p", "A > 1", "strcat(1)", True), ("r", "true", "", False),
    ]  # fmt: skip
    assert found.notes == (
        "JOB_TRANSFORM_gone not defined, ignoring.", "Unable to parse submit requirement q, ignoring.",
        "Unable to parse submit requirement reason r, ignoring.", "Submit requirement s not defined, ignoring.",
    )  # fmt: skip
    ad = dict(found.schedd)
    assert (ad["MyType"], ad["Name"], ad["MaxJobsRunning"]) == ('"Scheduler"', '"s@h"', "9")
    assert ad["StartLocalUniverse"] == "l"
    assert ad["MyAddress"] == ad["ScheddIpAddr"]
    assert {"Machine", "CondorVersion", "CondorPlatform", "DetectedCpus", "DetectedMemory",
            "StartSchedulerUniverse"} <= ad.keys()  # fmt: skip


def test_attributes_that_may_not_be_changed(read: Read) -> None:
    found = submit.edit_rules(read(
        "IMMUTABLE_JOB_ATTRS = A\nSYSTEM_IMMUTABLE_JOB_ATTRS = B\nPROTECTED_JOB_ATTRS = C\n"
        "SYSTEM_PROTECTED_JOB_ATTRS = D\nSECURE_JOB_ATTRS = E\nSYSTEM_SECURE_JOB_ATTRS = F\n"
        "IGNORE_ATTEMPTS_TO_SET_SECURE_JOB_ATTRS = false"
    ))  # fmt: skip
    assert (found.immutable, found.protected, found.secure) == ({"a", "b"}, {"c", "d"}, {"e", "f"})
    assert found.refuse_secure
    assert not submit.edit_rules(read("")).refuse_secure


# -- the starter


@pytest.mark.parametrize(
    ("text", "limits"),
    [("", (1.8, 2.0)), ("5", (4.5, 5.0)), ("1 to 3", (1.0, 3.0)), ("3 TO 3", (3.0, 3.0))],
)
def test_the_load_of_disks_by_transfers(read: Read, text: str, limits: tuple[float, float]) -> None:
    line = f"FILE_TRANSFER_DISK_LOAD_THROTTLE = {text}" if text else ""
    found = starter.transfer_queue(read(line))
    assert (found.low_load, found.high_load) == limits
    assert starter.transfer_queue(read("FILE_TRANSFER_DISK_LOAD_THROTTLE =")).high_load == 0.0


@pytest.mark.parametrize("text", ["x", "1 to", "3 to 1", "1 bis 3", "1 to x", "1 2", "-1", "-2 to 1", "nan", "inf"])
def test_loads_that_are_none(read: Read, text: str) -> None:
    knob = "FILE_TRANSFER_DISK_LOAD_THROTTLE"
    told = f"{knob} must be a number, or 'LOW to HIGH' with numbers: {text}"
    assert wrong(starter.transfer_queue, read(f"{knob} = {text}")) == (knob, told)


def test_spans_of_the_load(read: Read) -> None:
    found = starter.transfer_queue(read("TRANSFER_IO_REPORT_TIMESPANS = 1m:60 x 5m:300"))
    assert (found.short_horizon, found.long_horizon) == (60, 300)
    base = "FILE_TRANSFER_DISK_LOAD_THROTTLE"
    found = starter.transfer_queue(read(
        f"TRANSFER_IO_REPORT_TIMESPANS = a:1 b:2\n{base}_SHORT_HORIZON = b\n{base}_LONG_HORIZON = a"
    ))  # fmt: skip
    assert (found.short_horizon, found.long_horizon) == (2, 1)
    for end in ("SHORT", "LONG"):
        knob = f"{base}_{end}_HORIZON"
        told = f"{knob} = z names no NAME:SECONDS of TRANSFER_IO_REPORT_TIMESPANS"
        assert wrong(starter.transfer_queue, read(f"{knob} = z")) == (knob, told)


def test_knobs_of_transfers(read: Read) -> None:
    found = starter.transfer(read("FILETRANSFER_PLUGINS = /a, /b\nSTARTER.Http_TEST_URL = http://x\nFTP_TEST_URL ="))
    assert (found.plugins, found.test_urls, found.hard_links, found.tests) == (
        ("/a", "/b"), (("http", "http://x"),), True, False,
    ) or found.test_urls == ()  # fmt: skip
    assert (found.plugin_output.on_success, found.plugin_output.on_failure) == (False, True)
    found = starter.transfer(read(
        "ENABLE_URL_TRANSFERS = false\nFILETRANSFER_PLUGINS = /a\nSTARTER_DEBUG = D_TEST D_FULLDEBUG\n"
        "LOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS = D_FULLDEBUG\nLOG_FILETRANSFER_PLUGIN_STDOUT_ON_FAILURE = D_CRON\n"
        "HTTP_TEST_URL = http://x\nHTTP_TEST_URLS = x"
    ))  # fmt: skip
    assert (found.urls, found.tests, found.test_urls) == (False, True, (("http", "http://x"),))
    assert (found.plugin_output.on_success, found.plugin_output.on_failure) == (True, False)
    for word, shows in (("D_ALWAYS", True), ("D_ERROR:1", True), ("D_STATUS:0", True), ("D_ALWAYS:2", False),
                        ("D_FULLDEBUG:2", False), ("D_FULLDEBUG:1", True), ("", False)):  # fmt: skip
        text = f"STARTER_DEBUG = D_FULLDEBUG\nLOG_FILETRANSFER_PLUGIN_STDOUT_ON_SUCCESS = {word}"
        assert starter.transfer(read(text)).plugin_output.on_success is shows, word


@pytest.mark.parametrize(
    ("links", "copies", "method"),
    [("false", "false", "Hardlink"), ("false", "true", "Hardlink"), ("true", "false", "Copy"), ("true", "true", "")],
)
def test_how_common_files_are_put_into_place(read: Read, links: str, copies: str, method: str) -> None:
    config = read(f"FORBID_HARDLINK_MAPPING = {links}\nFORBID_COPY_MAPPING = {copies}")
    assert starter.mapping_method(config) == method
    assert starter.transfer(config).hard_links is (method == "Hardlink")


def test_volumes_of_jobs(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    on = "STARTD_ENFORCE_DISK_LIMITS = true\nUSER_CONFIG_FILE =\n"
    group = "LVM_VOLUME_GROUP_NAME = g\nLVM_THINPOOL_NAME = p\nLVM_THIN_LV_EXTRA_SIZE_MB = 7\n"
    found = starter.starter(read(f"{on}{group}LVM_USE_THIN_PROVISIONING = true\nLVM_HIDE_MOUNT = true")).scratch_volume
    assert found is not None
    assert (found.thin, found.hidden, found.group, found.pool, found.extra_mb) == (True, True, "g", "p", 7)
    found = starter.starter(read(f"{on}{group}LVM_USE_THIN_PROVISIONING = false\nLVM_HIDE_MOUNT = auto")).scratch_volume
    assert found is not None
    assert (found.thin, found.hidden, found.group, found.pool, found.extra_mb) == (False, False, "g", "", 0)
    backed = "LVM_BACKING_FILE = /f\nLVM_BACKING_FILE_SIZE_MB = 9\n"
    found = starter.starter(read(f"{on}{backed}")).scratch_volume
    assert found is not None
    assert found.file is not None
    assert (found.file.path, found.file.size_mb, found.file.group) == ("/f", 9, "condor_STARTD")
    found = starter.starter(read(f"{on}{backed}LVM_AUTO_VG_NAME = mine")).scratch_volume
    assert found is not None
    assert found.file is not None
    assert found.file.group == "mine"
    found = starter.starter(read(f"{on}LVM_BACKING_FILE = /f\nLVM_BACKING_FILE_SIZE_MB = 0")).scratch_volume
    assert found is not None
    assert found.file is None
    assert wrong(starter.starter, read(f"{on}LVM_HIDE_MOUNT = x")) == (
        "LVM_HIDE_MOUNT", "LVM_HIDE_MOUNT: 'x' is not one of auto, true, false",
    )  # fmt: skip
    allowed = f"{on}ALLOW_COMMON_FILES_ON_LVS = true\n"
    assert starter.mapping_method(read(allowed)) == "Copy"
    assert starter.mapping_method(read(f"{allowed}FORBID_COPY_MAPPING = true")) == ""
    assert starter.mapping_method(read(f"{on}ALLOW_COMMON_FILES_ON_LVS = false")) == ""
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert starter.starter(read(on)).scratch_volume is None


def test_groups_that_track_jobs(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    on = "USER_CONFIG_FILE =\nUSE_GID_PROCESS_TRACKING = true\n"
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    tracked = f"{on}MIN_TRACKING_GID = 7\nMAX_TRACKING_GID = 7"
    assert starter.starter(read(tracked)).tracking_gids == (7, 7)
    assert wrong(starter.starter, read(on)) == (
        "MIN_TRACKING_GID", "USE_GID_PROCESS_TRACKING enabled, but MIN_TRACKING_GID is 0",
    )  # fmt: skip
    assert wrong(starter.starter, read(f"{on}MIN_TRACKING_GID = 7"))[0] == "MAX_TRACKING_GID"
    assert wrong(starter.starter, read(f"{on}MIN_TRACKING_GID = 8\nMAX_TRACKING_GID = 7")) == (
        "MIN_TRACKING_GID", "invalid tracking gid range: 8 - 7",
    )  # fmt: skip
    assert starter.starter(read("USER_CONFIG_FILE =")).tracking_gids is None
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert starter.starter(read(tracked)).tracking_gids is None


def test_knobs_of_the_starter(read: Read) -> None:
    found = starter.starter(read(""))
    assert (found.job_execdir_permissions, found.cgroup_memory_limit_policy) == ("user", "hard")
    assert (found.chirp.files, found.chirp.updates, found.chirp.delayed) == (True, True, True)
    found = starter.starter(read(
        "JOB_EXECDIR_PERMISSIONS = WORLD\nCGROUP_MEMORY_LIMIT_POLICY = Soft\nCGROUP_LOW_MEMORY_LIMIT_EXPR = 1\n"
        "ENABLE_CHIRP = false\nCGROUP_IGNORE_CACHE_MEMORY = false\nEXECUTE_LOGIN_IS_DEDICATED = true\nSLOT1_2_USER = me"
    ))  # fmt: skip
    assert (found.job_execdir_permissions, found.cgroup_memory_limit_policy) == ("world", "soft")
    assert (found.cgroup_low_memory_limit, found.cgroup_use_peak_memory) == ("1", True)
    assert (found.chirp.files, found.chirp.updates, found.chirp.delayed) == (False, False, False)
    assert (found.accounts.dedicated, found.accounts.slots) == (".*", (("slot1_2", "me"),))
    for knob, words in (("JOB_EXECDIR_PERMISSIONS", "user, group, world"),
                        ("CGROUP_MEMORY_LIMIT_POLICY", "hard, soft, none, custom")):  # fmt: skip
        assert wrong(starter.starter, read(f"{knob} = x")) == (knob, f"{knob}: 'x' is not one of {words}")
    knob, message = wrong(starter.starter, read("DEDICATED_EXECUTE_ACCOUNT_REGEXP = ("))
    assert message.startswith("DEDICATED_EXECUTE_ACCOUNT_REGEXP: '(' is no pattern: missing )")
    assert starter.job_accounts(read("DEDICATED_EXECUTE_ACCOUNT_REGEXP = a.*")).dedicated == "a.*"
    assert wrong(starter.starter, read("STARTER_JOB_ENVIRONMENT = A")) == (
        "STARTER_JOB_ENVIRONMENT", "STARTER_JOB_ENVIRONMENT: 'A' is not NAME=VALUE",
    )  # fmt: skip


# -- daemons


def test_knobs_of_the_master(read: Read) -> None:
    found, unknown = daemon.master(read(
        "DAEMON_LIST = MASTER schedd COLLECTOR FOO startd SCHEDD\nMASTER_SCHEDD_BACKOFF_CONSTANT = 3\n"
        "MASTER_SCHEDD_BACKOFF_FACTOR = 4\nMASTER_SCHEDD_BACKOFF_CEILING = 5\nMASTER_SCHEDD_RECOVER_FACTOR = 6\n"
        "MASTER_BACKOFF_CONSTANT = 13\nMASTER_BACKOFF_FACTOR = 14\nMASTER_BACKOFF_CEILING = 15\n"
        "MASTER_RECOVER_FACTOR = 16\nSCHEDD_ARGS = -x y\nSCHEDD_ENVIRONMENT = A=1\nSTARTD_ADMIN_EMAIL = a@b\n"
        "PREEN_ARGS = -r"
    ))  # fmt: skip
    assert (found.daemons, unknown, found.preen_arguments) == (("SCHEDD", "STARTD"), ["FOO"], ("-r",))
    own, others = found.backoffs["SCHEDD"], found.backoffs["STARTD"]
    assert (own.constant, own.factor, own.ceiling, own.recover) == (3, 4.0, 5, 6)
    assert (others.constant, others.factor, others.ceiling, others.recover) == (13, 14.0, 15, 16)
    assert os.path.basename(found.preen) == "condor_preen"
    assert (found.arguments["SCHEDD"], found.environments) == ("-x y", {"SCHEDD": "A=1"})
    assert found.obituaries.addresses["STARTD"] == "a@b"


def test_factors_of_delays_that_are_no_factors(read: Read) -> None:
    found, _ = daemon.master(read("MASTER_BACKOFF_FACTOR = 0\nMASTER_STARTD_BACKOFF_FACTOR = 3"))
    assert (found.backoffs["SCHEDD"].factor, found.backoffs["STARTD"].factor) == (2.0, 3.0)
    found, _ = daemon.master(read("MASTER_BACKOFF_FACTOR = 5\nMASTER_STARTD_BACKOFF_FACTOR = -1"))
    assert found.backoffs["STARTD"].factor == 5.0


def test_a_daemon_that_dies_again_and_again_waits_as_the_manual_says() -> None:
    usual = Backoff()
    assert [usual.delay(failures) for failures in (1, 2, 3, 6, 9, 13, 10**6)] == [0, 11, 13, 41, 265, 3600, 3600]
    assert Backoff(factor=1.5).delay(2) == 11  # whole seconds
    assert [Backoff(factor=1e300).delay(failures) for failures in (2, 3)] == [3600, 3600]


def test_logs_of_daemons(read: Read) -> None:
    names = {
        "MASTER": "MasterLog", "SCHEDD": "SchedLog", "NEGOTIATOR": "NegotiatorLog", "STARTD": "StartLog",
        "CREDD": "CredLog", "DEFRAG": "DefragLog", "JOB_ROUTER": "JobRouterLog", "ROOSTER": "RoosterLog",
        "STARTER": "StarterLog", "SHADOW": "ShadowLog", "NEGOTIATOR_MATCH": "MatchLog", "GRIDMANAGER": "GridmanagerLog",
    }  # fmt: skip
    for subsystem, name in names.items():
        assert daemon.log(read(f"{subsystem}_LOG ="), subsystem).path == f"/pool/log/{name}"
    found = daemon.log(read("SCHEDD_DEBUG = D_CAT, D_TEST\nLOG_TO_SYSLOG = true"), "SCHEDD")
    assert (found.tells_category, found.categories, found.syslog) == (True, {"D_TEST"}, True)
    found = daemon.log(read("ALL_DEBUG = D_CATEGORY"), "SCHEDD")
    assert (found.tells_category, found.categories, found.syslog) == (True, frozenset(), False)
    found = daemon.log(read("SCHEDD_LOG = SYSLOG"), "SCHEDD")
    assert (found.path, found.syslog) == ("/pool/log/SchedLog", True)


def test_names_of_daemons(read: Read) -> None:
    found = daemon.daemon(read(
        "NETWORK_HOSTNAME = h.d\nSCHEDD_NAME = s\nMASTER_NAME = m@x\nUID_DOMAIN =\nSCHEDD_ATTRS = a b\na = 1\n"
        "SCHEDD_a = 2\nb = 3\nSYSTEM_SCHEDD_ATTRS = c\nc = 4\nSCHEDD_EXPRS = d\nd = 5\nSCHEDD_INTERVAL = 0\n"
        "SCHEDD_DAEMON_AD_FILE = /ad\nHOST_ALIAS = other"
    ), "SCHEDD")  # fmt: skip
    assert (found.host, found.uid_domain, found.file_system_domain) == ("h.d", "h.d", "h.d")
    assert (found.schedd_name, found.master_name, found.startd_name) == ("s@h.d", "m@x", "h.d")
    assert sorted(found.attributes) == [("a", "2"), ("b", "3"), ("c", "4"), ("d", "5")]
    assert (found.ad_file, found.update_interval) == ("/ad", 1)
    assert found.address == "<127.0.0.1:9618?addrs=127.0.0.1-9618&alias=other&noUDP&sock=condor_py>"
    assert daemon.daemon(read("STARTD_ATTRS = a\na = 1"), "STARTD").attributes == ()
    assert daemon.daemon(read("UPDATE_INTERVAL = 77"), "STARTD").update_interval == 77
    assert daemon.shutdown_program(read("MASTER_SHUTDOWN_A = /x y "), "a") == "/x y"
    assert daemon.shutdown_program(read(""), "a") is None
    for text, seconds in (("ALIVE_INTERVAL = 300", 5.0), ("ALIVE_INTERVAL = 3", 3.0), ("ALIVE_INTERVAL = 0", 1.0)):
        assert daemon.sign_of_life(read(text)) == seconds
    assert daemon.mail(read("SENDMAIL = /s")).sendmail == "/s"
    mail = daemon.mail(read("NETWORK_HOSTNAME = h.d\nMAIL = /m\nMAIL_FROM = f\nEMAIL_SIGNATURE = bye\nCONDOR_ADMIN ="))
    assert (mail.host, mail.mail, mail.sender, mail.admin, mail.signature) == ("h.d", "/m", "f", "root@h.d", "bye")


@pytest.mark.parametrize(
    ("text", "most"),
    [
        ("MEMORY = 700", 700), ("MEMORY = 700\nAUTO_REQUEST_MEMORY_MAX = 9", 9), ("MEMORY =", 900), ("MEMORY = x", 900),
        ("MEMORY = 0", 0), (f"MEMORY = {'9' * 18}", 900), (f"MEMORY = {'9' * 17}", int("9" * 17)),
        ("MEMORY =\nRESERVED_MEMORY = 5000", 0),
    ],
)  # fmt: skip
def test_the_memory_that_a_request_may_find_for_itself(read: Read, text: str, most: int) -> None:
    """That of the slots, unless it is limited."""
    assert daemon.most_auto_memory(read(f"DETECTED_MEMORY = 1000\nRESERVED_MEMORY = 100\n{text}")) == most


def test_what_condor_preen_keeps(read: Read) -> None:
    found = preen.preen(read(
        "SPOOL = /s\nLOCK = /s/lock/x\nDAEMON_SOCKET_DIR = /s/sock\nJOB_EPOCH_HISTORY_DIR = /s/epoch\n"
        "PER_JOB_HISTORY_DIR = /s/job\nLOG = /s/log\nEXECUTE = /s/exec\nVALID_SPOOL_FILES = v\n"
        "SYSTEM_VALID_SPOOL_FILES = w\nLVM_BACKING_FILE = /s/disk\nSLOT1_EXECUTE = /e1\nSLOT99_EXECUTE = /e99\n"
        "HISTORY = /x/a\nJOB_EPOCH_HISTORY = /x/b\nSTARTD_HISTORY = /x/c\nSCHEDD_DAEMON_HISTORY = /x/d\n"
        "COLLECTOR_PERSISTENT_AD_LOG = /x/e\nEVENT_LOG = /x/f\nJOB_QUEUE_LOG = /x/g\nACCOUNTANT_DATABASE_FILE = /x/h\n"
        "NEGOTIATION_HISTORY = /x/i\nCONDOR_ADMIN = a"
    ))  # fmt: skip
    ours = {"library.db", "local_univ_execute", "grid", ".schedd_address", ".schedd_classad", "TokensDatabase"}
    ours |= {".schedd_address.super", "metricsToReset.ganglia_metrics"}
    assert found.valid_spool[:2] == ("v", "w")
    assert {*found.valid_spool} - ours == {"v", "w", "lock", "sock", "epoch", "job", "log", "exec", "disk"}
    assert found.execute == ("/s/exec", "/e1", "/e99")
    assert preen.preen(read("SLOT100_EXECUTE = /e100")).execute == ("/pool/execute",)
    assert (found.histories, found.admin, found.spool) == (tuple("abcdefghi"), "a", "/s")
    assert preen.preen(read("PREEN_ADMIN = p\nCONDOR_ADMIN = a")).admin == "p"
    elsewhere = read(
        "SPOOL = /s\nLOG = /sx/log\nLVM_BACKING_FILE = /t/s/disk\nVALID_SPOOL_FILES = v\nSYSTEM_VALID_SPOOL_FILES =\n"
        "LOCK = /l\nDAEMON_SOCKET_DIR = /d\nEXECUTE = /e"
    )  # fmt: skip
    histories = {"Accountantnew.log", "history", "epoch_history", "job_queue.log", "negotiation_history"}
    histories.add("schedd_daemon_history")
    assert {*preen.preen(elsewhere).valid_spool} - ours - histories == {"v"}


@pytest.mark.parametrize(
    ("text", "period"),
    [("5", 5), ("5s", 5), ("5m", 300), ("5h", 18000), ("5M", 300)],
)
def test_periods_of_programs(read: Read, text: str, period: int) -> None:
    begin = "SCHEDD_CRON_JOBLIST = a\nSCHEDD_CRON_a_EXECUTABLE = /a\nSCHEDD_CRON_a_PERIOD"
    (job,) = cron.schedd_cron(read(f"{begin} = {text}")).jobs
    assert job.period == period


def test_programs_that_are_left_out(read: Read) -> None:
    for base, build in (("STARTD_CRON", cron.startd_cron), ("SCHEDD_CRON", cron.schedd_cron)):
        for text, problem in (
            ("PERIOD = 1d", "PERIOD: '1d' is not a number with s, m or h behind it"),
            ("PERIOD = x", "PERIOD: 'x' is not a number with s, m or h behind it"),
            ("PERIOD = 0", "PERIOD: a periodic job needs more than 0"),
            ("PERIOD =", "PERIOD is not set"),
            ("MODE = x", "MODE: 'x' is not Periodic, WaitForExit, OneShot or OnDemand"),
            ("EXECUTABLE =", "EXECUTABLE is not set"),
        ):
            found = build(read(f"{base}_JOBLIST = a\n{base}_a_EXECUTABLE = /a\n{base}_a_{text}"))
            assert (found.jobs, found.problems) == ((), (f"{base}_a_{problem}; the job is left out",))
        one = f"{base}_JOBLIST = a A\n{base}_a_EXECUTABLE = /a\n{base}_a_MODE = WaitForExit\n{base}_a_PERIOD = 0\n"
        found = build(read(f"{one}{base}_AUTOPUBLISH = x\n{base}_MAX_JOB_LOAD = 0.5\n{base}_LOG_NON_ZERO_EXIT = 1\n"
                           f"{base}_CONFIG_VAL = /v\n{base}_a_SLOTS = 1 2\n{base}_a_ENV = A=1\n{base}_a_RECONFIG = 1\n"
                           f"{base}_a_RECONFIG_RERUN = 1\n{base}_a_JOB_LOAD = 0.2\n{base}_a_CONDITION = x > 1\n"
                           f"{base}_a_PREFIX = p"))  # fmt: skip
        assert found.problems == (
            f"{base}_JOBLIST names A twice",
            f"{base}_AUTOPUBLISH: X is not one of NEVER, ALWAYS, IF_CHANGED; NEVER is used",
        )
        assert (found.max_load, found.log_non_zero_exit, found.config_val) == (0.5, True, "/v")
        (job,) = found.jobs
        assert (job.slots, job.environment, job.reconfig, job.reconfig_rerun) == ((1, 2), "A=1", True, True)
        assert (job.load, job.condition, job.prefix, job.kill) == (0.2, "x > 1", "p", False)
        assert (build(read("")).max_load, build(read("")).autopublish) == (0.1, "NEVER")
        assert build(read(f"{base}_AUTOPUBLISH = if_changed")).autopublish == "IF_CHANGED"
        found = build(read(f"{one}{base}_a_SLOTS = 1 x"))
        assert found.jobs[0].slots == ()
        assert f"{base}_a_SLOTS: 'x' is no number of a slot; the job is for all slots" in found.problems
    assert cron.benchmarks(read("")).max_load == 1.0


# -- matching, files, containers, machine


def test_knobs_of_the_negotiator(read: Read) -> None:
    found = negotiator.negotiator(read(
        "GROUP_NAMES = a b c\nGROUP_QUOTA_a = 5\nGROUP_QUOTA_DYNAMIC_a = .1\nGROUP_QUOTA_DYNAMIC_b = .5\n"
        "GROUP_ACCEPT_SURPLUS_a = true\nGROUP_AUTOREGROUP_b = true\n"
        "NEGOTIATOR_MATCH_EXPRS = x gone NegotiatorMatchExpry\n"
        "x = 1\nNegotiatorMatchExpry = 2\nMATLAB_LIMIT = 3\nCONCURRENCY_LIMIT_DEFAULT_Lic = 4\n"
        "CONCURRENCY_LIMIT_DEFAULT = 5\nOTHER_LIMIT = many\nGROUP_DYNAMIC_MACH_CONSTRAINT = m"
    ))  # fmt: skip
    assert [(one.name, one.quota, one.dynamic, one.accept_surplus, one.autoregroup) for one in found.groups] == [
        ("a", 5.0, False, True, False), ("b", 0.5, True, False, True), ("c", 0.0, True, False, False),
    ]  # fmt: skip
    assert found.match_exprs == (("NegotiatorMatchExprx", "1"), ("NegotiatorMatchExpry", "2"))
    assert ("matlab", 3.0) in found.concurrency.limits
    assert "other" not in dict(found.concurrency.limits)
    assert (found.concurrency.set_defaults, found.slot_pool_size_constraint) == ((("lic", 4.0),), "m")
    for text, knob, words in (
        ("GROUP_QUOTA_a = -1", "GROUP_QUOTA_a", "'-1' is not valid, it must be a number at least 0"),
        ("GROUP_QUOTA_DYNAMIC_a = 1.5", "GROUP_QUOTA_DYNAMIC_a", "'1.5' is not valid, it must be a number from 0 to 1"),
        ("GROUP_QUOTA_DYNAMIC_a = -1", "GROUP_QUOTA_DYNAMIC_a", "'-1' is not valid, it must be a number from 0 to 1"),
    ):
        assert wrong(negotiator.negotiator, read(f"GROUP_NAMES = a\n{text}")) == (knob, f"{knob}: {words}")
    found = negotiator.accountant(read("GROUP_NAMES = a b\nGROUP_PRIO_FACTOR_a = 3"))
    assert (found.group_factors, found.group_names) == ((("a", 3.0),), ("a", "b"))


def test_knobs_of_histories(read: Read) -> None:
    found = history.history(read("MAX_HISTORY_LOG = 7\nMAX_EPOCH_HISTORY_LOG = 8"))
    assert (found.max_size, found.epoch_max_size, found.every) == (7, 8, "")
    for text, every in (("ROTATE_HISTORY_DAILY = true\nROTATE_HISTORY_MONTHLY = true", "day"),
                        ("ROTATE_HISTORY_MONTHLY = true", "month")):  # fmt: skip
        assert history.history(read(text)).every == every
    text = "ENABLE_HISTORY_ROTATION = false\nROTATE_HISTORY_DAILY = true\nMAX_HISTORY_LOG = 7"
    found = history.history(read(text))
    assert (found.max_size, found.epoch_max_size, found.every) == (0, 0, "")
    runs = history.run_history(
        read("STARTD_PER_JOB_HISTORY_DIR = /d\nMAX_HISTORY_LOG = 7\nROTATE_HISTORY_DAILY = true")
    )
    assert (runs.directory, runs.max_size, runs.every) == ("/d", 7, "day")
    pool = history.pool_history(read("KEEP_POOL_HISTORY = true\nPOOL_HISTORY_DIR = /p"))
    assert (pool.kept, pool.directory) == (True, "/p")
    pool = history.pool_history(read(""))
    assert (pool.kept, pool.directory) == (False, "/pool/ViewHist")
    made = history.reconnects(read(""))
    assert (made.path, made.max_size) == ("/pool/log/ShadowReconnectLog", 10485760)
    assert history.reconnects(read("SHADOW_RECONNECT_LOG = /r")).path == "/r"
    assert history.reconnects(read("SHADOW_LOG_RECONNECT = false")).path == ""
    assert history.daemon_history(read("SCHEDD_DAEMON_HISTORY = /h"), "SCHEDD").path == "/h"
    assert history.cycle_history(read("MAX_NEGOTIATION_HISTORY_LOG = 9")).max_size == 9
    for text, size in (("MAX_EVENT_LOG = 5", 5), ("MAX_EVENT_LOG = 5\nEVENT_LOG_MAX_SIZE = 6", 6),
                       ("EVENT_LOG_MAX_SIZE = 2 Kb", 2048), ("EVENT_LOG_MAX_SIZE = 2 * 1024", 2048)):  # fmt: skip
        assert history.userlog(read(text)).event_log.max_size == size
    for build, knob in ((history.userlog, "EVENT_LOG_MAX_SIZE"), (history.history, "MAX_HISTORY_LOG"),
                        (history.history, "MAX_EPOCH_HISTORY_LOG")):  # fmt: skip
        with pytest.raises(ConfigError, match="'1 day' is not valid, it must be an integer"):
            build(read(f"{knob} = 1 day"))
    assert history.history(read("MAX_HISTORY_LOG = 3 * 1024 * 1024")).max_size == 3 << 20
    assert history.userlog(read("EVENT_LOG_USE_XML = true")).event_log.format_options.endswith(" XML")


def test_knobs_of_containers(read: Read, tmp_path: Path) -> None:
    found = containers.docker(read(
        "DOCKER = /d\nDOCKER_MOUNT_VOLUMES = a b\nDOCKER_VOLUME_DIR_a = /x:/y\nDOCKER_VOLUME_DIR_a_MOUNT_IF = z > 1\n"
        "DOCKER_SKIP_IMAGE_ARCH_CHECK = true\nDOCKER_PAT_PRODUCER = /not/there\nDOCKER_VOLUMES = p, q"
    ))  # fmt: skip
    assert (found.command, found.mount_under_scratch) == ("/d", '"/tmp,/var/tmp"')
    assert [(one.name, one.path, one.mount_if) for one in found.volumes] == [("a", "/x:/y", "z > 1"), ("b", "", "")]
    assert (found.checks_architecture, found.credentials_program) == (False, "/not/there")
    assert containers.docker(read("")).checks_architecture
    assert containers.docker(read('MOUNT_UNDER_SCRATCH = "/x"')).mount_under_scratch == '"/x"'
    assert containers.volume_names(read("DOCKER_VOLUMES = p, q")) == ("p", "q")
    assert containers.docker_test(read(f"DOCKER_TEST_IMAGE_PATH = {tmp_path}")).image == str(tmp_path)
    assert containers.docker_test(read("DOCKER_TEST_IMAGE_PATH = /not/there")).image == ""
    (tmp_path / "exit_37.sif").touch()
    found = containers.singularity(
        read(f"SINGULARITY = /s\nSINGULARITY_TEST_SANDBOX = {tmp_path}\nLIBEXEC = {tmp_path}")
    )
    assert (found.command, found.test_sandbox, found.test_sif) == ("/s", str(tmp_path), f"{tmp_path}/exit_37.sif")
    found = containers.singularity(read("SINGULARITY_TEST_SANDBOX = /not/there\nLIBEXEC = /not/there"))
    assert (found.test_sandbox, found.test_sif, found.pid_namespaces) == ("", "", None)
    for words, meant in (("true yes t 1 TRUE", True), ("false no f 0", False), ("auto other", None)):
        for word in words.split():
            assert containers.singularity(read(f"SINGULARITY_USE_PID_NAMESPACES = {word}")).pid_namespaces is meant
    default = containers.default_container(read('USE_DEFAULT_CONTAINER = x\nDEFAULT_CONTAINER_IMAGE = "y"'))
    assert (default.wanted, default.image) == ("x", '"y"')


def test_knobs_of_backfill(read: Read) -> None:
    assert backfill.backfill(read("BACKFILL_SYSTEM = BOINC")) is None
    on = "ENABLE_BACKFILL = true\n"
    boinc = backfill.backfill(read(
        f"{on}BACKFILL_SYSTEM = boinc\nBOINC_Executable = /b\nBOINC_InitialDir = /d\nBOINC_Arguments = -a\n"
        "BOINC_Environment = A=1\nBOINC_Output = /o\nBOINC_Error = /e\nBOINC_Owner = me\nBOINC_Universe = vanilla"
    ))  # fmt: skip
    assert boinc == type(boinc)("/b", "/d", "-a", "A=1", "/o", "/e", "me")  # type: ignore[call-arg, misc]
    command = backfill.backfill(read(
        f"{on}BACKFILL_SYSTEM = COMMAND\nBACKFILL_COMMAND = /c\nSLOT2_BACKFILL_COMMAND = /c2\n"
        "STARTD.SLOT1_BACKFILL_COMMAND = /c1\nBACKFILL_COMMAND_ENVIRONMENT = A=1\nBACKFILL_COMMAND_OWNER = me\n"
        "BACKFILL_COMMAND_INITIALDIR = /d\nBACKFILL_COMMAND_OUTPUT = /o\nBACKFILL_COMMAND_NICENESS = 7\n"
        "BACKFILL_COMMAND_WAIT = 8\nBACKFILL_COMMAND_LONGEST_WAIT = 9"
    ).seen_by("STARTD"))  # fmt: skip
    assert [getattr(command, name) for name in ("command", "of_slots", "environment", "owner", "directory", "output",
                                                "niceness", "wait", "longest_wait")] == [
        "/c", ((1, "/c1"), (2, "/c2")), "A=1", "me", "/d", "/o", 7, 8.0, 9.0,
    ]  # fmt: skip
    for text, knob, message in (
        ("", "BACKFILL_SYSTEM",
         "BACKFILL_SYSTEM: 'nothing' is no system that does backfill work; BOINC and COMMAND are"),
        ("BACKFILL_SYSTEM = BOINC", "BOINC_Executable", "BOINC_Executable is not set, but ENABLE_BACKFILL is"),
        ("BACKFILL_SYSTEM = BOINC\nBOINC_Executable = /b\nBOINC_Universe = java", "BOINC_Universe",
         "BOINC_Universe: java does not run BOINC; vanilla does"),
        ("BACKFILL_SYSTEM = COMMAND", "BACKFILL_COMMAND",
         "BACKFILL_COMMAND is not set, but BACKFILL_SYSTEM is COMMAND"),
    ):  # fmt: skip
        assert wrong(backfill.backfill, read(f"{on}{text}")) == (knob, message)


@pytest.mark.parametrize("knob", ["NUM_SLOTS", "NUM_SLOTS_TYPE_2"])
def test_more_slots_than_a_machine_can_have_are_refused(read: Read, knob: str) -> None:
    with pytest.raises(ConfigError, match=f"{knob}: 2147483648 slots are more than a machine can have"):
        startd.startd(read(f"{knob} = 2147483648"))
    (only,) = startd.startd(read(f"{knob} = 20000")).types
    assert only.count == 20_000


def test_knobs_of_slots(read: Read) -> None:
    found = startd.startd(read(
        "NUM_SLOTS_TYPE_1 = 2\nSLOT_TYPE_1 = cpus=1\nNUM_SLOTS_TYPE_2 = 0\nNUM_SLOTS_TYPE_3 = 1\n"
        "SLOT_TYPE_1_PARTITIONABLE = true\nSLOT_TYPE_1_NAME_PREFIX = big\nSLOT_TYPE_3_BACKFILL = true\nSTART = a\n"
        "SLOT_TYPE_1_START = b\nSLOT2_START = c\nSLOT3_RANK = 7\nSLOT_TYPE_1_STARTD_ATTRS = y\n"
        "STARTD_ATTRS = x\nx = 1\n"
        "SLOT2_x = 2\ny = 3\nSLOT_TYPE_1_CONSUMPTION_POLICY = yes\nSLOT_TYPE_1_CONSUMPTION_CPUS = 4\n"
        "SLOT_TYPE_1_NUM_CLAIMS = 5\nMAX_CLAIM_ALIVES_MISSED = 6\nALIVE_INTERVAL = 2\nSTARTD_SLOT_ATTRS = s\n"
        "STARTD_JOB_ATTRS = j\nSTARTD_LATCH_EXPRS = l\nNUM_CPUS = 8\nMEMORY = 9\nDISK = 10\n"
        "MODIFY_REQUEST_EXPR_REQUESTCogs = 1\nMACHINE_RESOURCE_INVENTORY_Tapes = /t"
    ))  # fmt: skip
    first, second = found.types
    assert (first.type_id, first.count, first.partitionable, first.share, first.backfill) == (
        1,
        2,
        True,
        "cpus=1",
        False,
    )
    assert (second.type_id, second.count, second.partitionable, second.share) == (3, 1, False, "auto")
    assert second.backfill
    assert (first.policy.start, second.policy.start, first.policy.num_claims) == ("b", "a", 5)
    assert first.policy.attrs == (("x", "1"), ("y", "3"))
    assert first.policy.consumption[0] == ("Cpus", "4")
    assert [name for name, _ in first.policy.consumption] == ["Cpus", "Memory", "Disk", "GPUs", "Tapes"]
    assert second.policy.consumption == ()
    assert ("RequestCogs", "1") in first.policy.modify_request
    assert {number: policy.start for number, policy in found.overrides} == {2: "c", 3: "a"}
    assert dict(found.overrides)[2].attrs == (("x", "2"), ("y", "3"))
    assert (found.num_cpus, found.memory_mb, found.disk_kb, found.lease, found.silence) == (8, 9, 10, 12, 6.0)
    assert (found.slot_attrs[0], found.job_attrs[-1], found.latched[-1]) == ("s", "j", "l")
    assert found.inventories == (("Tapes", "/t"),)
    (only,) = startd.startd(read("NUM_SLOTS = 3\nSLOT_TYPE_0_PARTITIONABLE = false\nNUM_CPUS = 4")).types
    assert (only.type_id, only.count, only.partitionable, only.share) == (0, 3, False, "auto")
    (only,) = startd.startd(read("SLOT_TYPE_0_PARTITIONABLE = false\nNUM_CPUS = 4")).types
    assert only.count == 4
    (only,) = startd.startd(read("NUM_CPUS = 4")).types
    assert (only.count, only.partitionable) == (1, True)
    hooks = startd.startd(read(
        "STARTD_JOB_HOOK_KEYWORD = K\nK_HOOK_FETCH_WORK = /f\nK_HOOK_REPLY_FETCH = /r\nK_HOOK_EVICT_CLAIM = /e"
    )).fetch_hooks  # fmt: skip
    assert [(one.keyword, one.fetch_work, one.reply_fetch, one.evict_claim) for one in hooks] == [
        ("K", "/f", "/r", "/e")
    ]


def test_knobs_of_the_machine(read: Read) -> None:
    found = machine.probes(read("CONSOLE_DEVICES = /dev/mouse console\nSLOT2_EXECUTE = /b\nSTARTD.SLOT1_EXECUTE = /a")
                           .seen_by("STARTD"))  # fmt: skip
    assert (found.console_devices, found.slot_executes) == (("mouse", "console"), ((1, "/a"), (2, "/b")))
    for word in ("pm-utils", "SYSTEMD", "/sys", "/proc", ""):
        assert machine.power(read(f"LINUX_HIBERNATION_METHOD = {word}")).method == word
    made = defrag.defrag(read("DEFRAG_NAME = d\nDEFRAG_DRAINING_SCHEDULE = Quick"), "h")
    assert (made.name, made.schedule) == ("d@h", "quick")
    made = defrag.defrag(read("DEFRAG_NAME = d@x\nDEFRAG_DRAINING_SCHEDULE ="), "h")
    assert (made.name, made.schedule) == ("d@x", "graceful")
    assert defrag.defrag(read(""), "h").name == "DEFRAG@h"
    assert wrong(lambda config: defrag.defrag(config, "h"), read("DEFRAG_DRAINING_SCHEDULE = x")) == (
        "DEFRAG_DRAINING_SCHEDULE", "DEFRAG_DRAINING_SCHEDULE: 'x' is not one of graceful, quick, fast",
    )  # fmt: skip


def test_facts_of_the_machine(read: Read) -> None:
    """What the configuration knows by itself is what the system says."""
    config, system = read("LOCAL = $(LOCALNAME)"), os.uname()
    expected = {
        "OPSYS": "LINUX", "OPSYSLEGACY": "LINUX", "UNAME_ARCH": system.machine, "UNAME_OPSYS": system.sysname,
        "UTSNAME_SYSNAME": system.sysname, "UTSNAME_NODENAME": system.nodename, "UTSNAME_RELEASE": system.release,
        "UTSNAME_VERSION": system.version, "UTSNAME_MACHINE": system.machine, "REAL_UID": str(os.getuid()),
        "REAL_GID": str(os.getgid()), "PID": str(os.getpid()), "PPID": str(os.getppid()),
        "CondorIsAdmin": "true" if os.geteuid() == 0 else "false", "SUBSYSTEM": "TOOL", "LOCALNAME": "TOOL",
        "IP_ADDRESS_IS_IPV6": "false", "HOSTNAME": system.nodename.partition(".")[0],
        "OPSYSSHORTNAME": config.string("OPSYSNAME"), "IPV4_ADDRESS": config.string("IP_ADDRESS"),
        "DETECTED_CORES": config.string("DETECTED_CPUS"),
    }  # fmt: skip
    assert {name: config.string(name) for name in expected} == expected
    assert config.string("OPSYSANDVER") == config.string("OPSYSNAME") + config.string("OPSYSMAJORVER")
