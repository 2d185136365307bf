"""Start values of a job, rounded values, and retries with other requests, in full."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.lang.submit.base import base_attributes, round_value
from condor_py.lang.submit.errors import SubmitError
from condor_py.model.settings.submit import SubmitSettings


@pytest.mark.parametrize(
    ("text", "rule", "rounded"),
    [
        ("43", "25%", "45"), ("45", "25%", "45"), ("46", "25%", "47"), ("1", "25%", "1"), ("4", "25%", "4"),
        ("5", "25%", "5"), ("6", "25%", "7"), ("9", "25%", "10"), ("99", "25%", "100"), ("100", "25%", "100"),
        ("101", "25%", "125"), ("126", "25%", "150"), ("499", "25%", "500"), ("500", "25%", "500"),
        ("501", "25%", "750"), ("4999", "25%", "5000"), ("5001", "25%", "7500"), ("2500001", "25%", "2750000"),
        ("-43", "25%", "-42"), ("-1001", "25%", "-1000"), ("0", "25%", "0"), ("7", "0%", "7"), ("7", "10%", "7"),
        ("77", "50%", "100"), ("7", "1", "10"), ("10", "1", "10"), ("11", "1", "20"), ("-7", "1", "0"),
        ("10000", "4", "10000"), ("10001", "4", "20000"), ("0", "4", "0"), ("7", "", None), ("7", "0", None),
        ("7.5", "1", None), ("-", "1", None), ("x", "25%", None), ("1 + 1", "1", None), ("", "1", None),
    ],
)  # fmt: skip
def test_values_are_rounded_up_as_the_schedd_does(text: str, rule: str, rounded: str | None) -> None:
    assert round_value(text, rule) == rounded


def test_every_start_value_of_a_job() -> None:
    settings = SubmitSettings(
        attributes=(("Site", '"here"'), ("Wrong", "(("), ("JobSubmitMethod", "3")),
        condor_version="$CondorVersion: 1 $",
        condor_platform="$CondorPlatform: x $",
    )
    zero = (
        "ExitStatus NumCkpts NumJobStarts NumJobCompletions NumRestarts NumSystemHolds CommittedTime CommittedSlotTime"
        " CumulativeSlotTime TotalSuspensions LastSuspensionTime CumulativeSuspensionTime CommittedSuspensionTime"
    )
    nothing = "RemoteWallClockTime RemoteUserCpu RemoteSysCpu CumulativeRemoteUserCpu CumulativeRemoteSysCpu"
    assert dict(base_attributes(settings, 17).values()) == {
        "MyType": '"Job"', "TargetType": '"Machine"', "QDate": "17", "JobSubmitMethod": "3", "Owner": "undefined",
        "ExitBySignal": "false", "Site": '"here"', "CondorVersion": '"$CondorVersion: 1 $"',
        "SubmitVersion": '"$CondorVersion: 1 $"', "CondorPlatform": '"$CondorPlatform: x $"',
        **dict.fromkeys(zero.split(), "0"), **dict.fromkeys(nothing.split(), "0.0"),
    }  # fmt: skip
    assert base_attributes(SubmitSettings(), 17)["jobsubmitmethod"] == ("JobSubmitMethod", "0")


EXCEEDED = "REQUIREMENTS (VacateReasonCode==21 || VacateReasonCode == 34) && VacateReasonSubCode == "
CONTINUED = "\x1e"


def body(*lines: str) -> str:
    """The body of a transform as the ad holds it."""
    text = CONTINUED.join(lines).replace('"', '\\"')
    return f'"{text}"'


def retry_lines(name: str, code: int, unit: str, tries: int, limited: bool) -> str:
    """The transform of a request that is found from the history."""
    count = f"{name}RequestRetries"
    limit = f" && Request{name} < MaxRequest{name}" if limited else ""
    grown = f"MIN({{NextRequest{name}, MaxRequest{name}}})" if limited else f"NextRequest{name}"
    return body(
        f"{EXCEEDED}{code} && ({count} ?: 0) < {tries}{limit}",
        f"EVALSET {count} ({count} ?: 0) + 1",
        f'EVALSET {name}RequestSource strcat("retry ", {count}, " of {tries}: ", Request{name},'
        f' " {unit} were not enough")',
        f"EVALSET Request{name} {grown}",
    )


@pytest.mark.parametrize(
    ("knobs", "commands", "attributes"),
    [
        ({}, "request_memory = auto", {
            "RequestMemory": "AutoRequestMemory", "AutoRequestMemory": "128", "NextRequestMemory": "RequestMemory * 3",
            "MemoryRequestSource": '"default: too few like jobs have ended"', "MaxRequestMemory": None,
            "TransformBody_RequestMemory": retry_lines("Memory", 102, "MB", 4, False),
            "TransformOnEvict": '"RequestMemory"'}),
        ({"request_memory": "", "auto_memory_max": 900, "auto_retries": 2}, "request_memory = auto", {
            "AutoRequestMemory": "undefined", "MaxRequestMemory": "900",
            "TransformBody_RequestMemory": retry_lines("Memory", 102, "MB", 2, True)}),
        ({"request_disk": "7", "auto_disk_max": 0}, "request_disk = auto", {
            "RequestDisk": "AutoRequestDisk", "AutoRequestDisk": "7", "NextRequestDisk": "RequestDisk * 3",
            "DiskRequestSource": '"default: too few like jobs have ended"', "MaxRequestDisk": None,
            "TransformBody_RequestDisk": retry_lines("Disk", 104, "KB", 4, False),
            "TransformOnEvict": '"RequestDisk"'}),
        ({"auto_disk_max": 99}, "request_disk = auto\nretry_request_disk_max = 1M",
         {"MaxRequestDisk": "99", "TransformBody_RequestDisk": retry_lines("Disk", 104, "KB", 4, True)}),
        ({"auto_disk_max": 0}, "request_disk = auto\nretry_request_disk_max = 1M\nretry_request_disk_increase = 2M",
         {"MaxRequestDisk": "1024", "NextRequestDisk": "RequestDisk + 2048"}),
        ({"auto_memory_max": None}, "request_memory = auto\nretry_request_memory_increase = RequestMemory + 5",
         {"MaxRequestMemory": None, "NextRequestMemory": "RequestMemory + 5"}),
        ({"auto_memory_max": None}, "request_memory = auto\nretry_request_memory_increase = 1\n"
         "retry_request_memory_max = 1",
         {"MaxRequestMemory": "1", "NextRequestMemory": "RequestMemory + 1"}),
        ({"auto_retries": 0}, "request_memory = auto",
         {"TransformOnEvict": None, "NextRequestMemory": None, "MaxRequestMemory": None}),
        ({}, "request_memory = auto\nauto_request_retries = 0", {"TransformOnEvict": None}),
        ({}, "request_memory = auto,",
         {"TransformOnEvict": '"RequestMemory"', "NextRequestMemory": "RequestMemory * 3"}),
        ({}, "request_memory = auto, 1G", {
            "TransformBody_RequestMemory": body(f"{EXCEEDED}102", "SET RequestMemory 1024"),
            "NextRequestMemory": None}),
        ({"auto_requests": True}, "", {"RequestMemory": "AutoRequestMemory", "RequestDisk": "AutoRequestDisk"}),
        ({"auto_requests": True}, "request_memory = 5\nrequest_disk = 6", {"RequestMemory": "5", "RequestDisk": "6"}),
        ({"auto_requests": True, "attributes": (("RequestMemory", "5"),)}, "",
         {"RequestMemory": "5", "RequestDisk": "AutoRequestDisk"}),
        ({"auto_requests": True, "attributes": (("RequestDisk", "5"),)}, "",
         {"RequestDisk": "5", "RequestMemory": "AutoRequestMemory"}),
        ({"auto_requests": True}, "universe = local", {"RequestMemory": "128"}),
        ({"auto_requests": True}, "universe = java\narguments = A", {"RequestMemory": "AutoRequestMemory"}),
        ({"auto_requests": True}, "universe = grid\ngrid_resource = condor a b", {"RequestMemory": "128"}),
        ({"auto_requests": True}, "universe = vm\nvm_type = kvm\nvm_memory = 5\nvm_disk = a:b:w",
         {"RequestMemory": "MY.JobVMMemory"}),
        ({}, "request_memory = 1G, 2G, 4G", {
            "RequestMemory": "1024", "RetryRequestMemory": "{ 2048,4096 }",
            "TransformBody_RequestMemory": body(
                f"{EXCEEDED}102", "EVALSET RequestMemory RetryRequestMemory[RetryRequestMemoryIndex?:0]",
                "EVALSET RetryRequestMemoryIndex MIN({size(RetryRequestMemory)-1, (RetryRequestMemoryIndex?:0)+1})")}),
        ({}, "request_disk = 1M, 2M", {
            "RequestDisk": "1024", "TransformBody_RequestDisk": body(f"{EXCEEDED}104", "SET RequestDisk 2048")}),
        ({}, "request_disk = 1M,  x + 1", {
            "RequestDisk": "1024", "TransformBody_RequestDisk": body(f"{EXCEEDED}104", "EVALSET RequestDisk x + 1")}),
        ({}, "request_disk = 1M,", {"RequestDisk": "1024", "TransformOnEvict": None}),
        ({}, "request_disk = 1M, 2", {"TransformBody_RequestDisk": body(f"{EXCEEDED}104", "SET RequestDisk 2")}),
        ({}, "request_disk = 1M,2", {"TransformBody_RequestDisk": body(f"{EXCEEDED}104", "SET RequestDisk 2")}),
        ({}, "request_memory = 1G, 2G\nretry_request_memory = 9G",
         {"TransformBody_RequestMemory": body(f"{EXCEEDED}102", "SET RequestMemory 2048")}),
        ({}, "request_memory = 1G\nretry_request_memory_max = 4G\nretry_request_memory_increase = 1G", {
            "MaxRequestMemory": "4096", "NextRequestMemory": "RequestMemory + 1024",
            "TransformBody_RequestMemory": body(
                f"{EXCEEDED}102", "EVALSET RequestMemory MIN({NextRequestMemory, MaxRequestMemory})")}),
        ({}, "request_memory = 1G\nretry_request_memory_increase = 1",
         {"TransformBody_RequestMemory": body(f"{EXCEEDED}102", "SET RequestMemory 1025")}),
        ({}, "on_evict_checks = A, B\ntransform_body_A = SET RequestCpus 2\nTransformBody_B @=e\n# no\nSET X $(y)\n\n"
         "SET Z 1\n@e\ny = 5",
         {"TransformOnEvict": '"A B"', "TransformBody_A": '"SET RequestCpus 2"',
          "TransformBody_B": f'"SET X 5{CONTINUED}SET Z 1"'}),
        ({}, "on_evict_checks = A\ntransform_body_A = SET RequestCpus 2\nrequest_memory = 1G, 2G",
         {"TransformOnEvict": '"A RequestMemory"'}),
        ({}, "TransformOnEvict = A\ntransform_body_A = SET RequestCpus 2", {"TransformOnEvict": '"A"'}),
        ({}, "request_memory = 1G\non_evict_checks = A", {"TransformOnEvict": '""'}),
    ],
)  # fmt: skip
def test_requests_that_grow(
    alice: Any, knobs: dict[str, Any], commands: str, attributes: dict[str, str | None]
) -> None:
    alice.set(**knobs)
    job = alice.job(commands)
    assert {name: job.get(name) for name in attributes} == attributes


@pytest.mark.parametrize(
    ("commands", "report"),
    [
        ("request_cpus = auto",
         "request_cpus = auto is not supported: only request_memory and request_disk are found this way"),
        ("request_gpus = Auto, 2",
         "request_gpus = auto is not supported: only request_memory and request_disk are found this way"),
        ("universe = local\nrequest_memory = auto", "request_memory = auto needs a job that runs in one slot: the"
         " vanilla or java universe, a container"),
        ("universe = grid\ngrid_resource = batch pbs\nrequest_disk = auto", "request_disk = auto needs a job that"
         " runs in one slot: the vanilla or java universe, a container"),
        ("request_memory = auto\nauto_request_retries = -1", "auto_request_retries must not be negative"),
        ("request_memory = auto\nretry_request_memory_max = x",
         "retry_request_memory_max=x is invalid with request_memory = auto, must be a size"),
        ("request_memory = auto\nretry_request_memory_max = 0",
         "retry_request_memory_max=0 is invalid with request_memory = auto, must be a size"),
        ("request_memory = auto\nretry_request_memory_increase = 0", "RequestMemory retry increment must be a positive"
         " number or an expression that references RequestMemory"),
        ("request_memory = auto\nretry_request_memory_increase = x", "RequestMemory retry increment must be a positive"
         " number or an expression that references RequestMemory"),
        ("request_memory = 1G, ((", "request_memory=(( is invalid. must be an expression or number"),
        ("request_memory = 1G\nretry_request_memory = 2G, ((",
         "retry_request_memory=(( is invalid. must be an expression or number"),
        ("request_memory = 1G\nretry_request_memory_max = ((",
         "retry_request_memory_max=(( is invalid. must be an expression or number"),
        ("request_memory = 1G, 4G, 2G", "request_memory must have an increasing sequence of values, but 2048 is not"
         " greater than 4096"),
        ("request_disk = 1M\nretry_request_disk = 3M, 3M", "request_disk must have an increasing sequence of"
         " values, but 3072 is not greater than 3072"),
        ("request_memory = 1G\nretry_request_memory_increase = RequestMemory + x",
         "RequestMemory retry increment (RequestMemory + x) must evaluate to an integer at submit time"),
    ],
)  # fmt: skip
def test_requests_that_cannot_grow_are_refused(alice: Any, commands: str, report: str) -> None:
    with pytest.raises(SubmitError) as caught:
        alice.job(commands)
    assert caught.value.report == f"ERROR: {report}\n"
