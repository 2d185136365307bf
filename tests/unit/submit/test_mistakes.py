"""What condor_submit accepts and is hardly meant is named; what is only unusual is not."""

from __future__ import annotations

import pytest

from condor_py.lang.submit.build import clusters_of


def _told(alice, text: str) -> list[str]:  # type: ignore[no-untyped-def]
    file = alice.parse(f"executable = /bin/true\n{text}\n")
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    unused = [line for key, line in file.unused().items()]
    return [line for line in (*file.messages.warnings().splitlines(), *"".join(unused).splitlines()) if line]


@pytest.mark.parametrize(
    ("text", "culprit"),
    [
        ('output = "dir/file"\nqueue 2', 'output = "dir/file": the quotation marks'),
        ('log = "a.log"\nqueue', 'log = "a.log"'),
        ("f = /a/b.c\narguments = $(f) $(Fnx(f))\nqueue 2", "write $Fnx(...)"),
        ("arguments = $(ENV(HOME))\nqueue", "write $ENV(...)"),
        ("gpus_minimum_memory = 2G\nqueue", "it needs request_gpus"),
        ("require_gpus = Capability > 8\nqueue", "it needs request_gpus"),
        ("vm_memory = 512\nqueue", "it needs universe = vm"),
        ("ec2_ami_id = x\nqueue", "it needs universe = grid and grid_resource = ec2"),
        ("deferral_window = 60\nqueue", "it needs deferral_time, or a crontab"),
        ("retry_request_disk = 4G\nqueue", "it needs request_disk"),
        ("request_cpus = two\nqueue 3", "request_cpus = two: no job and no slot has an attribute two"),
        ("requirements = OpSys == LINUX\nqueue", 'did you mean "LINUX"?'),
        ("environment = A=1 B=2\nqueue", "this is one variable"),
        ("arguments = $(Proces)\nqueue 2", "did you mean $(Process)?"),
        ("datafile = x\narguments = $(datafil) $(datafile)\nqueue", "did you mean $(datafile)?"),
        *(
            (f"{command} = {value}\nqueue", f"{command} = {value}")
            for command, value in (
                *(("request_memory", "-5"), ("request_disk", "-5000"), ("max_retries", "-1")),
                *(("job_lease_duration", "-1"), ("next_job_start_delay", "-1"), ("keep_claim_idle", "-1")),
                *(("allowed_job_duration", "-1"), ("allowed_execute_duration", "-1"), ("job_max_vacate_time", "-1")),
                *(("cron_minute", "60"), ("cron_hour", "24"), ("cron_month", "13"), ("cron_day_of_month", "0")),
                *(("cron_month", "0"), ("cron_day_of_month", "32"), ("cron_day_of_week", "8"), ("request_gpus", "-1")),
            )
        ),
        ("queue\nrequest_memory = 3", "request_memory = 3 (line 3) comes after the last queue statement"),
        ("if true\narguments = 1\nqueue", "the if of line 2 has no endif"),
    ],
)
def test_a_mistake_is_named_once(alice, text: str, culprit: str) -> None:
    told = [line for line in _told(alice, text) if culprit in line]
    assert len(told) == 1, _told(alice, text)


@pytest.mark.parametrize(
    "text",
    [
        "output = /tmp/a b\nqueue",
        "arguments = \"a 'b c'\"\nqueue",
        "f = /a/b.c\narguments = $Fnx(f) $ENV(HOME) $$(Memory) $(nothing) $(nothing:7)\nqueue",
        "request_memory = RequestCpus * 100\nrequest_cpus = 2\nrequest_disk = 3G\nqueue",
        'requirements = OpSys == "LINUX" && HasMatlab && MySite =!= OtherSite && TARGET.Foo == Bar\nqueue',
        "requirements = HasMatlab\nqueue",
        'environment = "A=1 B=2"\nqueue',
        "environment = A=1;B=2 and more\nqueue",
        "request_gpus = 1\ngpus_minimum_memory = 2G\nqueue",
        "arguments = $(x)\nqueue x in (a b)\narguments = $(y)\nqueue y in (c d)",
        "if true\narguments = 1\nendif\nqueue",
        "request_memory = 0\nrequest_disk = 0\nrequest_gpus = 0\nmax_retries = 0\njob_lease_duration = 0\nqueue",
        "deferral_time = 1700000000\ndeferral_window = 0\nnext_job_start_delay = 0\nkeep_claim_idle = 0\nqueue",
        "allowed_job_duration = 0\nallowed_execute_duration = 0\njob_max_vacate_time = 0\nqueue",
        "cron_minute = 0-59\ncron_hour = 0-23\nqueue",
        "cron_day_of_month = 1-31\ncron_month = 1,12\ncron_day_of_week = 0-7\nqueue",
        "node = 5\narguments = $(node) $(Step)\nqueue 2",
    ],
)
def test_what_is_only_unusual_is_not(alice, text: str) -> None:
    assert _told(alice, text) == []


@pytest.mark.parametrize(
    ("line", "meant"),
    [
        ("reqest_memory = 1G", "request_memory"),
        ("gpus_minimum_memory = 2G", ""),
        ("shell = a", ""),
        ("vm_vncc = 1", "vm_vnc"),
    ],
)
def test_a_right_name_is_not_taken_for_another(alice, line: str, meant: str) -> None:  # type: ignore[no-untyped-def]
    file = alice.parse(f"executable = /bin/true\n{line}\nqueue\n")
    assert file.meant(line.partition(" ")[0]) == meant


def test_a_group_that_is_not_configured(alice) -> None:
    alice.set(groups=("group_physics", "group_bio"))
    assert any("GROUP_NAMES has no such group" in line for line in _told(alice, "accounting_group = group_bi\nqueue"))
    for group in ("group_bio", "Group_Physics.sub"):
        assert _told(alice, f"accounting_group = {group}\nqueue") == []


@pytest.mark.parametrize(
    "function",
    ["regexp", "regexps", "stringListMember", "stringListIMember", "member", "strcmp", "stricmp", "versionGT",
     "versionGE", "versionLT", "versionLE", "ifThenElse", "substr", "pow"],
)  # fmt: skip
def test_a_function_that_lacks_arguments_is_named(alice, function: str) -> None:
    told = _told(alice, f"requirements = {function}(Name)\nqueue")
    assert [line for line in told if f"{function}() needs more than 1 argument(s)" in line]
    assert not [line for line in _told(alice, f"requirements = {function}(Name, Name, Name)\nqueue") if "needs" in line]
