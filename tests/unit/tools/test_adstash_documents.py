"""What condor_adstash sends to a search engine: the mappings of an index, and whole documents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from condor_py.cli.adstash import documents
from condor_py.lang.classad import ClassAd

JOB = """
GlobalJobId = "lab#12.3#1795880000"; JobStatus = 4; JobUniverse = 5; ClusterId = 12; ProcId = 3; Owner = "ann";
CompletionDate = 1795888800; EnteredCurrentStatus = 1795888900; QDate = 1795880000; JobStartDate = 0;
RemoteHost = "slot1_1@node.example.net"; LastRemoteHost = "slot9@other"; RequestMemory = 2048; requestcpus = 1.9;
RemoteWallClockTime = 60.5; RemoteUserCpu = "many"; ExitBySignal = false; ExitCode = 3; TransferIn = 1;
CPUsUsage = real("INF"); WantCheckpoint = true; IsNoisy = 1; OwnAttribute = { 1, "b", [ x = undefined ] };
ToE = [ How = "OF_ITS_OWN_ACCORD"; HowCode = 0; When = 1795888800; odd = error ]; SomeDate = 1795888801;
ClaimId = "secret"; Environment = "A=b"; Args = "-v"; CpusProvisioned = 4; GPUsProvisioned = "2"; Odd = TARGET.x + 1;
"""
TRANSFER = """
GlobalJobId = "lab#12.3#1795880000"; EpochWriteDate = 1795888800; Owner = "ann"; NumShadowStarts = 2;
RemoteHost = "slot1_1@node.example.net"; ProjectName = "p";
InputPluginResultList = {
  [ TransferUrl = "osdf+https://x/y"; TransferSuccess = false; TransferTotalBytes = 12; TransferError = "slow";
    TransferEndTime = 1795888790; TransferFileName = "y"; ConnectionTimeSeconds = 0.25; Own = 7;
    DeveloperData = [ Attempts = 2; TransferFileBytes0 = 5; TransferFileBytes1 = 7; Endpoint0 = "e"; Endpoint1 = "f";
                      AttemptTime0 = 1.5; PelicanClientVersion = "7" ];
    TransferErrorData = { [ ErrorType = "slow"; Retryable = true; ErrorMessage = "a";
                            DeveloperData = [ ErrorCode = 4; ErrorMessage = "b" ] ] } ],
  [ TransferUrl = "file:///z"; TransferProtocol = "file"; TransferSuccess = true; TransferTotalBytes = "none" ] };
OutputPluginResultList = { [ TransferSuccess = true ], 5 }; Broken = undefined;
"""
#: The document of JOB.
DOCUMENT = {
    "Args": "-v", "CPUsUsage_STRING": "inf", "ClusterId": 12, "CompletionDate": 1795888800, "CpusProvisioned": 4,
    "EnteredCurrentStatus": 1795888900, "ExitBySignal": False, "ExitCode": 3, "GlobalJobId": "lab#12.3#1795880000",
    "GpusProvisioned": 2, "IsNoisy": True, "JobStatus": 4, "JobUniverse": 5, "LastRemoteHost": "slot9@other",
    "Owner": "ann", "ProcId": 3, "QDate": 1795880000, "RecordTime": 1795888800,
    "RemoteHost": "slot1_1@node.example.net", "RemoteUserCpu_STRING": "many", "RemoteWallClockTime": 60,
    "RequestCpus": 1, "RequestMemory": 2048, "ScheddName": "lab", "SomeDate": 1795888801,
    "StartdName": "node.example.net", "StartdSlot": "slot1_1", "Status": "Completed",
    "ToE": {"How": "OF_ITS_OWN_ACCORD", "HowCode": 0, "When": 1795888800, "odd": "error"}, "TransferIn": True,
    "Universe": "Vanilla", "WantCheckpoint": True, "odd_EXPR": "TARGET.x + 1",
    "ownattribute": "[1, 'b', {'x': None}]",
}  # fmt: skip
NOWHERE = {"StartdName": "UNKNOWN", "StartdSlot": "UNKNOWN"}


def made(make: Callable[[ClassAd, int], Iterator[documents.Document]], text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the documents of an ad, where the command was started at 5."""
    return list(make(ClassAd(f"[ {text} ]"), 5))


def test_the_document_of_a_job() -> None:
    """Neither its environment nor the secret of its claim leaves the machine, and no time that is 0 is sent."""
    assert made(documents.of_job, JOB) == [("lab#12.3#1795880000#1795888800", DOCUMENT)]


def test_a_job_that_has_not_ended_counts_by_its_last_change() -> None:
    ((name, found),) = made(
        documents.of_job, JOB.replace("JobStatus = 4", "JobStatus = 2").replace("RemoteHost", "OldHost")
    )
    without = {key: value for key, value in DOCUMENT.items() if key not in ("RemoteHost", "LastRemoteHost")}
    assert name == "lab#12.3#1795880000#1795888900"
    assert found == {
        **without, **NOWHERE, "JobStatus": 2, "Status": "Running", "RecordTime": 1795888900,
        "oldhost": "slot1_1@node.example.net", "lastoldhost": "slot9@other",
    }  # fmt: skip


def test_documents_of_jobs_that_say_little() -> None:
    odd = JOB.replace("JobStatus = 4", "JobStatus = 77").replace("EnteredCurrentStatus", "Entered")
    ((name, found),) = made(documents.of_job, odd)
    assert (name, found["Status"], found["entered"]) == ("lab#12.3#1795880000#5", "Unknown", "1795888900")
    bare = {"GlobalJobId": "a#1.0#1", "ScheddName": "a", "Status": "Unknown", "Universe": "Unknown", **NOWHERE}
    assert made(documents.of_job, 'GlobalJobId = "a#1.0#1"') == [("a#1.0#1#5", {**bare, "RecordTime": 5})]
    assert made(documents.of_job, 'GlobalJobId = "a#1.0#1"; EpochWriteDate = 99; TaskType = "x"') == [
        ("a#1.0#1#99", {**bare, "RecordTime": 99, "EpochwriteDate": 99, "tasktype": "x"})
    ]
    assert made(documents.of_job, 'GlobalJobId = "a#1.0#1"; TaskType = "ROOT"') == []
    assert made(documents.of_job, "ClusterId = 5") == []


#: What all documents of TRANSFER have.
MOVED = {
    "ClusterId": 12, "EpochWriteDate": 1795888800, "GlobalJobId": "lab#12.3#1795880000", "NumShadowStarts": 2,
    "Owner": "ann", "ProcId": 3, "ProjectName": "p", "RecordTime": 1795888800, "ScheddName": "lab",
    "StartdName": "node.example.net", "StartdSlot": "slot1_1", "broken": None,
    "remotehost": "slot1_1@node.example.net",
}  # fmt: skip


def test_a_document_for_each_attempt_of_each_file() -> None:
    """The last attempt has what is known of the whole, each its own error; what is no ad is left out."""
    found = made(documents.of_transfer, TRANSFER)
    run = "lab#12.3#2"
    assert [name for name, _ in found] == [
        f"{run}#https#download#1795888800#0_2", f"{run}#https#download#1795888800#1_2",
        f"{run}#file#download#1795888800#0_1", f"{run}#unknown#upload#1795888800#0_1",
    ]  # fmt: skip
    first, second, third, fourth = (document for _, document in found)
    file = {"TransferProtocol": "https", "TransferType": "download", "TransferUrl": "osdf+https://x/y",
            "Attempts": 2, "PelicanClientVersion": "7"}  # fmt: skip
    assert first == {
        **MOVED, **file, "Attempt": 0, "FinalAttempt": False, "AttemptFileBytes": 5, "AttemptTime": 1.5,
        "Endpoint": "e", "ErrorType": "slow", "ErrorCode": 4, "ErrorMessage": "a", "DebugErrorMessage": "b",
        "Retryable": True,
    }  # fmt: skip
    assert second == {
        **MOVED, **file, "Attempt": 1, "FinalAttempt": True, "AttemptFileBytes": 7, "Endpoint": "f",
        "ConnectionTimeSeconds": 0.25, "TransferEndTime": 1795888790, "TransferError": "slow", "TransferFileName": "y",
        "TransferSuccess": False, "TransferTotalBytes": 12, "own": "7",
    }  # fmt: skip
    single = {**MOVED, "Attempt": 0, "Attempts": 1, "FinalAttempt": True, "TransferSuccess": True}
    assert third == {
        **single, "TransferProtocol": "file", "TransferType": "download", "TransferUrl": "file:///z",
        "transfertotalbytes_string": "none",
    }  # fmt: skip
    assert fourth == {**single, "TransferProtocol": "unknown", "TransferType": "upload"}


def test_documents_of_transfers_that_say_little() -> None:
    nothing = {"ProcId": 0, "RecordTime": 5, "ScheddName": None, "StartdName": None, "StartdSlot": None}
    assert made(documents.of_transfer, 'GlobalJobId = "odd"; RemoteHost = "node"') == [
        ("unknown#0.0#0#unknown#unknown#5#0_1",
         {**nothing, "ClusterId": None, "GlobalJobId": "odd", "StartdName": "node", "StartdSlot": "node",
          "remotehost": "node"})
    ]  # fmt: skip
    assert made(documents.of_transfer, 'InputPluginResultList = "x"; ClusterId = 4') == [
        ("unknown#4.0#0#unknown#unknown#5#0_1", {**nothing, "ClusterId": 4})
    ]


def test_the_mappings_of_the_index_of_jobs() -> None:
    """They are those of HTCondor's index, so that both may write to one."""
    documents.of_jobs.cache_clear()
    found: Any = documents.of_jobs().mappings()
    moment, unsearched = {"type": "date", "format": "epoch_second"}, {"type": "keyword", "index": "false"}
    assert [found["date_detection"], found["numeric_detection"]] == [False, False]
    assert [next(iter(template.items())) for template in found["dynamic_templates"]] == [
        ("raw_expressions", {"match": "*_EXPR", "mapping": {**unsearched, "ignore_above": 256}}),
        ("date_attrs", {"match": "*Date", "mapping": moment}),
        ("provisioned_attrs", {"match": "*Provisioned", "mapping": {"type": "long"}}),
        ("resource_request_attrs",
         {"match_pattern": "regex", "match": "^Request[A-Z].*$", "mapping": {"type": "long"}}),
        ("target_boolean_attrs",
         {"match_pattern": "regex", "match": "^(Want|Has|Is)[A-Z_].*$", "mapping": {"type": "boolean"}}),
        ("strings_as_keywords",
         {"match_mapping_type": "string", "mapping": {"type": "keyword", "norms": "false", "ignore_above": 256}}),
    ]  # fmt: skip
    fields = found["properties"]
    assert len(fields) == 380
    expected = {
        "Owner": {"type": "keyword"}, "Args": unsearched, "ClusterId": {"type": "long"}, "CompletionDate": moment,
        "ExitBySignal": {"type": "boolean"}, "CPUsUsage": {"type": "double"},
        "ToE": {"type": "nested", "dynamic": True},
        "metadata": {"type": "nested", "dynamic": True,
                     "properties": {"adstash_runtime": moment, "condor_history_runtime": moment}},
    }  # fmt: skip
    assert {name: fields[name] for name in expected} == expected
    assert {"ClaimId", "Environment", "Env", "EC2SecretAccessKey"}.isdisjoint(fields)


def test_the_mappings_of_the_index_of_transfers() -> None:
    documents.of_transfers.cache_clear()
    found: Any = documents.of_transfers().mappings()
    unsearched = {"type": "keyword", "index": "false"}
    (template,) = found["dynamic_templates"]
    assert template == {
        "strings_as_keywords": {
            "match_mapping_type": "string", "mapping": {**unsearched, "norms": "false", "ignore_above": 256},
        }
    }  # fmt: skip
    expected = {
        "TransferUrl": unsearched, "TransferProtocol": {"type": "keyword"}, "TransferError": {"type": "text"},
        "AttemptTime": {"type": "double"}, "Attempt": {"type": "long"}, "TransferSuccess": {"type": "boolean"},
        "TransferEndTime": {"type": "date", "format": "epoch_second"},
    }  # fmt: skip
    assert {name: found["properties"][name] for name in expected} == expected
    assert len(found["properties"]) == 52


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("JobStatus", {0: "Unexpanded", 1: "Idle", 2: "Running", 3: "Removed", 4: "Completed", 5: "Held", 6: "Error",
                       7: "Unknown", -1: "Unknown"}),
        ("JobUniverse", {0: "Unknown", 1: "Standard", 2: "Pipe", 3: "Linda", 4: "PVM", 5: "Vanilla", 6: "PVMD",
                         7: "Scheduler", 8: "MPI", 9: "Grid", 10: "Java", 11: "Parallel", 12: "Local",
                         13: "Unknown"}),
    ],
)  # fmt: skip
def test_numbers_in_words(name: str, words: dict[int, str]) -> None:
    """Those of HTCondor's documents."""
    shown = {"JobStatus": "Status", "JobUniverse": "Universe"}[name]
    found = {
        number: made(documents.of_job, f'GlobalJobId = "a#1.0#1"; {name} = {number}')[0][1][shown] for number in words
    }
    assert found == words


def test_the_settings_of_a_new_index() -> None:
    assert documents.SETTINGS == {
        "analysis": {"analyzer": {"analyzer_keyword": {"tokenizer": "keyword", "filter": "lowercase"}}},
        "mapping.total_fields.limit": 5000,
    }


def transfers(data: str, errors: str = "") -> list[dict[str, Any]]:
    """Return the documents of one file with this DeveloperData, and these errors."""
    file = f'TransferUrl = "https://x/y"; DeveloperData = {data}; TransferErrorData = {{ {errors} }};'
    ad = f'GlobalJobId = "a#1.0#1"; InputPluginResultList = {{ [ {file} ] }}'
    return [document for _, document in made(documents.of_transfer, ad)]


def test_numbers_without_attempts_are_plain_names() -> None:
    for data, many in (("[ TransferFileBytes0 = 5; Endpoint0 = \"e\" ]", 1),
                       ("[ Attempts = 0; TransferFileBytes0 = 5; Endpoint0 = \"e\" ]", 0)):  # fmt: skip
        (found,) = transfers(data)
        assert (found["Attempts"], found["Attempt"], found["FinalAttempt"]) == (many, 0, True)
        assert (found["transferfilebytes0"], found["endpoint0"]) == ("5", "e")
        assert not {"AttemptFileBytes", "Endpoint"} & found.keys()


def test_data_of_developers_that_is_no_ad_is_text() -> None:
    (found,) = transfers('"odd"', '[ ErrorType = "t"; DeveloperData = "more" ]')
    assert (found["developerdata"], found["ErrorType"], found["Attempts"]) == ("more", "t", 1)
    (found,) = transfers('"odd"')
    assert found["developerdata"] == "odd"


def test_many_attempts_are_told_up_to_a_limit() -> None:
    found = transfers("[ Attempts = 5000 ]")
    assert (len(found), found[-1]["Attempt"]) == (1000, 999)
    assert [document["FinalAttempt"] for document in transfers("[ Attempts = 3 ]")] == [False, False, True]


def test_the_protocol_that_a_plugin_names_counts() -> None:
    ad = 'GlobalJobId = "a#1.0#1"; {} = {{ [ TransferUrl = "osdf+https://x"; TransferProtocol = "s3" ] }}'
    for name, way in (("InputPluginResultList", "download"), ("OutputPluginResultList", "upload")):
        ((_, found),) = made(documents.of_transfer, ad.format(name))
        assert (found["TransferProtocol"], found["TransferType"]) == ("s3", way)


def test_resources_of_ones_own_are_numbers() -> None:
    ((_, found),) = made(documents.of_job, 'GlobalJobId = "a#1.0#1"; FooProvisioned = "7"; RequestFoo = 2.9')
    values = {name.lower(): value for name, value in found.items()}
    assert (values["fooprovisioned"], values["requestfoo"]) == (7, 2)
