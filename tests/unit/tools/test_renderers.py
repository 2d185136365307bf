"""Each function that PRINTAS names: what it shows of each kind of value, and of values that it does not expect."""

from __future__ import annotations

from typing import Any

import pytest

from condor_py.cli.output.printformat import parse_print_format
from condor_py.cli.output.renderers import RENDERERS
from condor_py.lang.classad import ClassAd

LETTERS = dict(zip(range(12), " IRXCH>SFBP ", strict=True))
WORDS = ["Unk", "Idle", "Running", "Removed", "Complet", "Held", "XFerOut", "Suspend", "Failed", "Blocked", "Preparing"]
REMOTE = ["0", "IDLE", "RUNNING", "REMOVED", "COMPLETED", "HELD", "XFER_OUT", "SUSPENDED", "FAILED", "BLOCKED"]
UNIVERSES = {
    0: "Unknown", 1: "Standard", 4: "PVM", 5: "Vanilla", 7: "Scheduler", 8: "MPI", 9: "Grid", 10: "Java",
    11: "Parallel", 12: "Local", 13: "VM", 14: "Unknown",
}  # fmt: skip
STATES = {
    "Owner": "O", "Unclaimed": "U", "Matched": "M", "Claimed": "C", "Preempting": "P", "Shutdown": "S",
    "Delete": "X", "Backfill": "F", "Drained": "D", "Odd": " ",
}  # fmt: skip
ACTIVITIES = {
    "Idle": "i", "Busy": "b", "Retiring": "r", "Vacating": "v", "Suspended": "s", "Benchmarking": "e", "Killing": "k",
    "Odd": " ",
}  # fmt: skip
GRID = 'JobUniverse = 9; GridResource = "batch slurm"'


def shown(name: str, ad: str) -> Any:
    """What a renderer makes of the attribute A of an ad."""
    made = ClassAd(f"[ {ad} ]")
    return RENDERERS[name][0](made.raw("A"), made)


CASES = [
    ("OWNER", "", None),
    ("OWNER", 'Owner = "bob"', "bob"),
    ("DAG_OWNER", 'Owner = "bob"', "bob"),
    ("DAG_OWNER", 'Owner = "bob"; DAGNodeName = "A"', "bob"),
    ("DAG_OWNER", 'Owner = "bob"; DAGNodeName = "A"; DAGManJobId = 3', "A"),
    ("DAG_OWNER", 'Owner = "bob"; DAGManJobId = 3', "bob"),
    ("BATCH_NAME", "", None),
    ("BATCH_NAME", 'JobBatchName = "b"; JobUniverse = 7', "b"),
    ("BATCH_NAME", "JobUniverse = 7; ClusterId = 12", "DAG: 12"),
    ("BATCH_NAME", "JobUniverse = 7", "DAG: 0"),
    ("BATCH_NAME", 'JobUniverse = 5; DAGNodeName = "A"; DAGManJobId = 3', "NODE: A"),
    ("BATCH_NAME", 'JobUniverse = 5; DAGNodeName = "A"', None),
    ("JOB_ID", "", None),
    ("JOB_ID", 'JobId = "7.1"', "7.1"),
    ("JOB_ID", "ClusterId = 7; ProcId = 1", "7.1"),
    ("JOB_ID", "ClusterId = 7", "7.-1"),
    ("JOB_STATUS", "", None),
    ("JOB_STATUS", 'JobStatus = "x"', None),
    *(("JOB_STATUS", f"JobStatus = {status}", f"{letter} " if status != 6 else " >")
      for status, letter in LETTERS.items()),
    ("JOB_STATUS", "JobStatus = 2; TransferringInput = true", "< "),
    ("JOB_STATUS", "JobStatus = 2; TransferringInput = true; TransferQueued = true", "<q"),
    ("JOB_STATUS", "JobStatus = 2; TransferQueued = true", "R "),
    ("JOB_STATUS", "JobStatus = 2; TransferringOutput = true", " >"),
    ("JOB_STATUS", "JobStatus = 2; TransferringOutput = true; TransferQueued = true", "q>"),
    ("JOB_STATUS_RAW", "", None),
    *(("JOB_STATUS_RAW", f"A = {status}", word if status == 10 else f"{word:<7}") for status, word in enumerate(WORDS)),
    ("JOB_STATUS_RAW", "A = 11", "Unk    "),
    ("JOB_UNIVERSE", "", None),
    *(("JOB_UNIVERSE", f"A = {number}", name) for number, name in UNIVERSES.items()),
    ("MEMORY_USAGE", "", None),
    ("MEMORY_USAGE", "ImageSize = 1536", 1.5),
    ("MEMORY_USAGE", "ImageSize = 1536; MemoryUsage = 7", 7.0),
    ("JOB_DESCRIPTION", 'JobDescription = "d"', None),
    ("JOB_DESCRIPTION", 'Cmd = "/a/b/c"', "c"),
    ("JOB_DESCRIPTION", 'Cmd = "/a/b/c"; Args = "1"; Arguments = "2"', "c 2"),
    ("JOB_DESCRIPTION", 'Cmd = "c"; Args = "1"', "c 1"),
    ("JOB_DESCRIPTION", 'Cmd = "c"; Args = ""', "c"),
    ("JOB_DESCRIPTION", 'Cmd = "c"; Args = "1"; JobDescription = "d"', "(d)"),
    ("JOB_DESCRIPTION", 'Cmd = "c"; MATCH_EXP_JobDescription = "m"; JobDescription = "d"', "(m)"),
    ("JOB_COMMAND", 'Args = "1"', None),
    ("JOB_COMMAND", 'Cmd = "/a/c"', "/a/c"),
    ("JOB_COMMAND", 'Cmd = "/a/c"; Args = "1"; Arguments = "2"', "/a/c 1"),
    ("JOB_COMMAND", 'Cmd = "/a/c"; Arguments = "2"', "/a/c 2"),
    ("REMOTE_HOST", "", None),
    ("REMOTE_HOST", 'RemoteHost = "slot1@vm"; JobUniverse = 5; GridResource = "batch slurm"', "slot1@vm"),
    ("REMOTE_HOST", f'{GRID}; RemoteHost = "x"', "batch slurm"),
    ("REMOTE_HOST", f'{GRID}; EC2RemoteVirtualMachineName = "v"', "v"),
    ("JOB_FACTORY_MODE", "", ""),
    ("JOB_FACTORY_MODE", 'A = "x"', "????"),
    *(("JOB_FACTORY_MODE", f"A = {mode}", word) for mode, word in
      enumerate(("Unk", "Errs", "Norm", "Held", "Done", "Gone", "Unk"), -2)),
    ("BUFFER_IO_MISC", "", ""),
    ("BUFFER_IO_MISC", "TransferringInput = true", " transfer=in"),
    ("BUFFER_IO_MISC", "TransferringOutput = true; TransferQueued = true", " transfer=out,queued"),
    ("GRID_STATUS", "", None),
    ("GRID_STATUS", 'GridJobStatus = "Q"', "Q"),
    *(("GRID_STATUS", f"GridJobStatus = {code}", word) for code, word in enumerate(REMOTE)),
    ("GRID_STATUS", "GridJobStatus = 10", "PREPARING"),
    ("GRID_STATUS", "GridJobStatus = 11", "11"),
    ("GRID_JOB_ID", "", None),
    ("GRID_JOB_ID", 'GridJobId = "batch slurm 55"', "55"),
    ("GRID_JOB_ID", 'GridJobId = "arc https://ce.example.org:443/arex/xyz"', "/arex/xyz"),
    ("GRID_JOB_ID", 'GridJobId = "condor a b 3.0"', "3.0"),
    ("GRID_JOB_ID", 'GridJobId = "x https://ce"', "ce"),
    ("GRID_JOB_ID", 'GridJobId = "a/b/c"', "/b/c"),
    ("GRID_RESOURCE", "", None),
    ("GRID_RESOURCE", 'GridResource = "batch slurm"', "batch->[?] slurm"),
    ("GRID_RESOURCE", 'GridResource = "arc https://ce.example.org:443/arex q x"', "arc->q/x ce.example.org"),
    ("GRID_RESOURCE", 'GridResource = "ce.example.org/jobmanager-pbs"', "globus->pbs ce.example.org"),
    ("GRID_RESOURCE", 'GridResource = "ec2 https://ec2.example.org/"', "ec2 ec2.example.org"),
    ("GRID_RESOURCE", 'GridResource = "ec2 https://e/"; EC2RemoteVirtualMachineName = "v"', "ec2 v"),
    *((name, "", None) for name in ("DATE", "QDATE", "TIME", "RUNTIME", "CPU_TIME", "LOAD_AVG")),
    *((name, "A = 90061", "  1+01:01:01") for name in ("TIME", "RUNTIME", "CPU_TIME")),
    ("LOAD_AVG", "A = 1", "1.000"),
    ("LOAD_AVG", "A = 0.12345", "0.123"),
    ("READABLE_BYTES", "", "        "),
    ("READABLE_BYTES", "A = true", "        "),
    ("READABLE_BYTES", "A = 0", "0.0 B "),
    ("READABLE_BYTES", "A = 1024", "1024.0 B "),
    ("READABLE_BYTES", "A = 1025", "1.0 KB"),
    ("READABLE_BYTES", "A = 1572864", "1.5 MB"),
    ("READABLE_BYTES", "A = 1610612736", "1.5 GB"),
    ("READABLE_KB", "A = 1572864", "1.5 GB"),
    ("READABLE_MB", "A = 1572864", "1.5 TB"),
    ("READABLE_MB", "A = 1610612736", "1536.0 TB"),
    ("PLATFORM", 'Arch = "X86_64"', None),
    ("PLATFORM", 'Arch = "X86"; OpSysAndVer = "Debian12"', "x86/Debian12"),
    ("PLATFORM", 'Arch = "aarch64"; OpSysAndVer = "Debian12"; OpSysShortName = "Debian"', "aarch64/Debian12"),
    ("PLATFORM", 'Arch = "X86_64"; OpSys = "WINDOWS"; OpSysAndVer = "w"; OpSysShortName = "Win10"', "x64/Win10"),
    ("PLATFORM", 'A = "LINUX"; OpSysAndVer = "Debian12"', "LINUX/Debian12"),
    ("PLATFORM", 'A = 5; OpSysAndVer = "Debian12"', "/Debian12"),
    ("CONDOR_VERSION", "", None),
    ("CONDOR_VERSION", 'A = "one"', None),
    ("CONDOR_VERSION", 'A = "$CondorVersion: 23.0.1 2024-01-05 BuildID: 700 PackageID: 23.0.1-1 $"', "23.0.1.700"),
    ("CONDOR_VERSION", 'A = "$CondorVersion: 8.8.1 Jan 05 2019 BuildID: 461773 $"', "8.8.1.461773"),
    ("CONDOR_VERSION", 'A = "$CondorVersion: 8.8.1 Jan 05 2019 $"', "8.8.1"),
    ("CONDOR_VERSION", 'A = "$CondorVersion: 25.14.0 2026-11-20 $"', "25.14.0"),
    ("CONDOR_PLATFORM", "", None),
    ("CONDOR_PLATFORM", 'A = "one"', None),
    ("CONDOR_PLATFORM", 'A = "$CondorPlatform: x86_64_AlmaLinux9.2 $"', "x86_64_AlmaLinux9"),
    *(("ACTIVITY_CODE", f'A = "{state}"; State = "{state}"; Activity = "Idle"', f"{letter}i" if letter != " " else None)
      for state, letter in STATES.items()),
    *(("ACTIVITY_CODE", f'A = "Claimed"; State = "Claimed"; Activity = "{word}"', f"C{letter}")
      for word, letter in ACTIVITIES.items()),
    *(("ACTIVITY_CODE", f'A = "{word}"; Activity = "{word}"', f" {letter}" if letter != " " else None)
      for word, letter in ACTIVITIES.items()),
    ("ACTIVITY_CODE", 'A = 5; State = "Claimed"', None),
    ("ACTIVITY_TIME", "A = 5", None),
    ("ACTIVITY_TIME", "A = 5; LastHeardFrom = 12", 7),
    ("ACTIVITY_TIME", "A = 5; LastHeardFrom = 12; MyCurrentTime = 20", 15),
    ("ACTIVITY_TIME", "A = 50; MyCurrentTime = 20", 0),
    ("ACTIVITY_TIME", "MyCurrentTime = 20", 20),
    ("ELAPSED_TIME", "A = 5", None),
    ("ELAPSED_TIME", "A = 5; LastHeardFrom = 12", 7),
    ("ELAPSED_TIME", "LastHeardFrom = 12", 12),
    ("DUE_DATE", "A = 5", None),
    ("DUE_DATE", "A = 5; LastHeardFrom = 12", 17),
    ("DUE_DATE", "LastHeardFrom = 12", 12),
    ("MEMBER_COUNT", "", None),
    ("MEMBER_COUNT", 'A = " a,b , c"', 3),
    ("MEMBER_COUNT", 'A = ""', 0),
    ("MEMBER_COUNT", "A = {}", 0),
    ("STRINGS_FROM_LIST", 'A = "a"', None),
    ("STRINGS_FROM_LIST", 'A = {"b", "a", 1 + 1}', "b, a"),
    ("UNIQUE", "", None),
    ("UNIQUE", 'A = {"b", 2, "b", 1 + 1, "a"}', "1 + 1, 2, a, b"),
    ("UNIQUE", 'A = "b a,b"', "a, b"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "ad", "text"), CASES)
def test_what_is_shown(name: str, ad: str, text: Any) -> None:
    assert shown(name, ad) == text


@pytest.mark.parametrize(
    ("name", "ad", "text"),
    [
        ("ACTIVITY_TIME", "A = 5; MyCurrentTime = 90066", "  1+01:01:01"),
        ("ELAPSED_TIME", "A = 5; LastHeardFrom = 90066", "  1+01:01:01"),
        ("MEMBER_COUNT", 'A = "a b"', "2"),
        ("MEMORY_USAGE", "ImageSize = 1536", "1.5"),
        ("DUE_DATE", "A = 5; LastHeardFrom = 1795213560", "11/20 22:26"),
    ],
)
def test_how_numbers_are_written(spool: object, name: str, ad: str, text: str) -> None:
    mask = parse_print_format(["SELECT", f"A AS X PRINTAS {name}"]).mask
    made = ClassAd(f"[ {ad} ]")
    assert mask.display(made).strip("\n") == text
