"""What condor_adstash sends to a search engine: the mappings of an index, and whole documents.

They are kept in tests/golden/adstash. After a wanted change CONDOR_PY_RECORD=1 writes them again, and the difference
is to be read.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from condor_py.cli.adstash import documents
from condor_py.lang.classad import ClassAd

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "adstash"
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
OTHERS = {
    "job": [
        JOB,
        JOB.replace("JobStatus = 4", "JobStatus = 2").replace("RemoteHost", "OldHost"),
        JOB.replace("JobStatus = 4", "JobStatus = 77").replace("EnteredCurrentStatus", "Entered"),
        'GlobalJobId = "a#1.0#1"',
        'GlobalJobId = "a#1.0#1"; EpochWriteDate = 99; TaskType = "x"',
        'GlobalJobId = "a#1.0#1"; TaskType = "ROOT"',
        "ClusterId = 5",
    ],
    "transfer": [TRANSFER, 'GlobalJobId = "odd"; RemoteHost = "node"', 'InputPluginResultList = "x"; ClusterId = 4'],
}


def check(name: str, told: object) -> None:
    text = json.dumps(told, indent=1, sort_keys=True) + "\n"
    path = GOLDEN / name
    if os.environ.get("CONDOR_PY_RECORD"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    assert text == path.read_text()


@pytest.mark.parametrize("kind", ["job", "transfer"])
def test_whole_documents(kind: str) -> None:
    make = documents.of_job if kind == "job" else documents.of_transfer
    check(f"{kind}s.json", [[list(make(ClassAd(f"[ {text} ]"), 5))] for text in OTHERS[kind]])


def test_mappings_of_an_index() -> None:
    check("mappings.json", {"jobs": documents.of_jobs().mappings(), "transfers": documents.of_transfers().mappings()})
