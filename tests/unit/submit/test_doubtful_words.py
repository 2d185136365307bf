"""Every word that warnings about doubtful values know: properties, commands, functions and truth values."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.build import clusters_of


def told(alice: Any, text: str) -> list[str]:
    """The warnings about commands."""
    file = alice.parse(f"executable = /bin/true\n{text}\nqueue\n")
    for draft in clusters_of(file):
        list(draft.make(1, alice.options).own)
    return [line.removeprefix("WARNING: ") for line in file.messages.warnings().splitlines()]


PROPERTIES = (
    "Capability ClockMhz ComputeUnits CoresPerCU DeviceName DevicePciBusId DeviceUuid DriverVersion ECCEnabled"
    " GlobalMemoryMb Id MaxSupportedVersion DeviceMemoryMb OpenCLDeviceId Uuid Vendor"
)


@pytest.mark.parametrize("name", PROPERTIES.split())
def test_a_property_of_gpus_is_known_and_its_misspelling_named(alice: Any, name: str) -> None:
    assert told(alice, f"request_gpus = 1\nrequire_gpus = {name} > 1") == []
    if len(name) > 6:
        said = f"require_gpus: no GPU has a property {name}x; did you mean {name.lower()}?"
        assert told(alice, f"request_gpus = 1\nrequire_gpus = {name}x > 1") == [said]


@pytest.mark.parametrize(
    "command",
    ["batch_name", "description", "notify_user", "transfer_input_files", "transfer_output_files",
     "transfer_output_remaps", "output", "error", "log", "input", "docker_image", "container_image"],
)  # fmt: skip
def test_a_quotation_mark_without_partner_is_named(alice: Any, command: str) -> None:
    said = f'{command} = "a: the quotation mark has no partner and becomes part of the value'
    assert said in told(alice, f'{command} = "a')
    assert said not in told(alice, f'{command} = "a"')


@pytest.mark.parametrize(
    ("command", "other"), [("output", "stdout"), ("error", "stderr"), ("input", "stdin"), ("log", "UserLog")]
)
def test_quotation_marks_around_a_file_are_named_by_its_command(alice: Any, command: str, other: str) -> None:
    said = f'{command} = "a": the quotation marks become part of the file\'s name; leave them out'
    for name in (command, other):
        assert said in told(alice, f'{name} = "a"')
        assert said not in told(alice, f"{name} = a")


@pytest.mark.parametrize("word", ["true", "False", "t", "F", "yes", "NO", "y", "n"])
def test_a_truth_value_may_be_written_so(alice: Any, word: str) -> None:
    assert told(alice, f"transfer_executable = {word}") == []


@pytest.mark.parametrize("word", ["perhaps", "on", "off", "yess"])
def test_another_word_is_no_truth_value(alice: Any, word: str) -> None:
    assert told(alice, f"transfer_executable = {word}") == [
        f"transfer_executable = {word}: this is neither True nor False"
    ]


@pytest.mark.parametrize(
    "command",
    ["rank", "periodic_hold", "periodic_release", "periodic_remove", "periodic_vacate", "on_exit_hold",
     "on_exit_remove", "leave_in_queue"],
)  # fmt: skip
def test_a_bare_word_is_no_condition(alice: Any, command: str) -> None:
    said = f'{command}: foo is the name of an attribute that no ad has: a string has quotation marks, "foo"'
    assert told(alice, f"{command} = foo") == [said]
    assert told(alice, f"{command} = Mips > foo2") == []
    assert told(alice, f"{command} = foo(1)") == [
        f"{command}: there is no function foo: error; see the manual for a list"
    ]


@pytest.mark.parametrize(
    ("commands", "low", "high"),
    [
        ("cron_minute", 0, 59), ("cron_hour", 0, 23), ("cron_day_of_month", 1, 31), ("cron_month", 1, 12),
        ("cron_day_of_week", 0, 7),
    ],
)  # fmt: skip
def test_the_range_of_a_field_of_a_crontab(alice: Any, commands: str, low: int, high: int) -> None:
    def said(value: object) -> list[str]:
        return [f"{commands} = {value}: this is not a number from {low} to {high}, a range or *"]

    for value in (low, high, f"{low}-{high}", f"{low},{high}", "*", "*/2", f"{low}-{high}/3", f"{low} , {high}"):
        assert told(alice, f"{commands} = {value}") == []
    for value in (high + 1, f"{low}-{high + 1}", "x", "5-", "-5", "1-2-3", "*/x"):
        assert told(alice, f"{commands} = {value}") == said(value)
    if low:
        assert told(alice, f"{commands} = 0") == said(0)
    assert told(alice, f"{commands} = {low},{high + 1},x") == [*said(high + 1), *said("x")]


@pytest.mark.parametrize(
    ("command", "more"),
    [
        ("max_retries", ""), ("job_lease_duration", ""), ("next_job_start_delay", ""), ("keep_claim_idle", ""),
        ("allowed_job_duration", ""), ("allowed_execute_duration", ""), ("job_max_vacate_time", ""),
        ("request_gpus", ""), ("gpus_minimum_capability", "request_gpus = 1\n"),
        ("gpus_maximum_capability", "request_gpus = 1\n"), ("gpus_minimum_memory", "request_gpus = 1\n"),
        ("request_memory", ""), ("request_disk", ""),
    ],
)  # fmt: skip
def test_a_number_below_nothing_is_named(alice: Any, command: str, more: str) -> None:
    assert told(alice, f"{more}{command} = 0 - 5") == [f"{command} = 0 - 5: it cannot be less than 0"]
    assert told(alice, f"{more}{command} = 5 - 5") == []
    assert told(alice, f"{more}{command} = 30 - 5") == []


@pytest.mark.parametrize("like", ["request_memory", "request_cpus", "request_disk", "request_gpus"])
def test_the_beginning_of_a_usual_request_asks_for_another_resource(alice: Any, like: str) -> None:
    for length in (10, len(like) - 1):
        name = like[:length]
        said = f"{name} = 2: this asks for a resource {name[8:]}; did you mean {like}?"
        assert said in told(alice, f"{name} = 2")
    assert told(alice, f"{like}2 = 2") == []


def test_names_of_macros_that_are_nearly_right(alice: Any) -> None:
    def said(name: str, meant: str) -> list[str]:
        return [f"arguments = $({name}): $({name}) is not defined and stays empty; did you mean $({meant})?"]

    for name, meant in (("Proces", "Process"), ("ProcID2", "ProcId"), ("Clusterid2", "ClusterId"), ("mydat", "mydata")):
        found = told(alice, f"mydata = 1\nx = $(mydata)\n+X = $(x)\narguments = $({name})")
        assert [line for line in found if line.startswith("arguments")] == said(name, meant)
    file = alice.parse("executable = /bin/true\narguments = $(zzz)\nqueue x in (a b)\n")
    list(clusters_of(file)[0].make(1, alice.options).own)
    assert file.messages.warnings() == f"WARNING: {said('zzz', 'x')[0]}\n"
    file = alice.parse("executable = /bin/true\narguments = $(zzz)\nqueue x,y from (\na b\n)\n")
    list(clusters_of(file)[0].make(1, alice.options).own)
    assert file.messages.warnings() == ""
