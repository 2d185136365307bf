"""The columns of condor_q are those of HTCondor's own print formats (src/condor_q.V6/queue.cpp, 25.14)."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.cli.output.mask import Mask
from condor_py.cli.output.printformat import read_print_format
from condor_py.cli.q.columns import DISPLAYS, Clock
from condor_py.lang.classad import ClassAd

_IDS = """   ClusterId     AS ' ID'  NOSUFFIX  WIDTH 5 PRINTF '%4d.'
   ProcId        AS ' '    NOPREFIX  WIDTH 3 PRINTF '%-3d'
"""
_OWNER = "   Owner         AS  OWNER           WIDTH -14 PRINTAS OWNER OR ??\n"
_TAIL = """   QDate         AS '  SUBMITTED'    WIDTH 11 PRINTAS QDATE
   RemoteUserCpu AS '    RUN_TIME'   WIDTH 12 PRINTAS CPU_TIME
   JobStatus     AS ST                       PRINTAS JOB_STATUS
   JobPrio       AS PRI             WIDTH AUTO
   ImageSize     AS SIZE            WIDTH 4 PRINTAS MEMORY_USAGE
   Cmd           AS CMD             WIDTH 0 PRINTAS JOB_DESCRIPTION
"""
FORMATS = {
    "jobs": _IDS + _OWNER + _TAIL,
    "dag": _IDS + "   Owner         AS 'OWNER/NODENAME' WIDTH -17 PRINTAS DAG_OWNER\n" + _TAIL,
    "run": _IDS + _OWNER + """   QDate         AS '  SUBMITTED'   WIDTH 11  PRINTAS QDATE OR ??
   RemoteUserCpu AS '    RUN_TIME'  WIDTH 12  PRINTAS CPU_TIME OR ??
   Owner         AS 'HOST(S)'       WIDTH 0   PRINTAS REMOTE_HOST OR ??
""",
    "idle": _IDS + _OWNER + """   JobUniverse   AS 'UNIVERSE '  PRINTAS JOB_UNIVERSE
   RequestCpus   AS CPUS         PRINTF '%4d'
   RequestMemory AS MEMORY       PRINTF '%6d'
   NumShadowStarts?:0 AS STARTS  PRINTF '%6d'
   LastRemoteHost AS LAST_HOST WIDTH 0
""",
    "hold": _IDS + _OWNER + """   EnteredCurrentStatus  AS HELD_SINCE WIDTH 11 PRINTAS QDATE OR ??
   HoldReasonCode AS CODE NOSUFFIX PRINTF %4d OR ?
   HoldReasonSubCode AS '/SUB' NOPREFIX PRINTF '/%-3d' TRUNCATE OR ' '
   HoldReason           AS HOLD_REASON WIDTH 0
""",
    "hold-codes": _OWNER + """   HoldReasonCode AS CODE   NOSUFFIX PRINTF %4d OR ?
   HoldReasonSubCode AS '/SUB' NOPREFIX PRINTF '/%-3d' OR ' '
   JobStatus AS '   COUNT ' PRINTF %9d OR _
   ClusterId AS OLDEST_JOB_ID PRINTAS JOB_ID
   EnteredCurrentStatus AS HELD_SINCE WIDTH 11 PRINTAS QDATE OR ??
   HoldReason AS HOLD_REASON WIDTH 0
""",
    "grid": _IDS + """   Owner         AS  OWNER          WIDTH -14 PRINTAS OWNER
   GridJobStatus AS STATUS          WIDTH -10 PRINTAS GRID_STATUS
   GridResource  AS 'GRID->MANAGER    HOST' WIDTH -27 PRINTAS GRID_RESOURCE
   GridJobId     AS GRID_JOB_ID             WIDTH   0 PRINTAS GRID_JOB_ID
""",
    "grid:ec2": _IDS + """   Owner         AS OWNER           WIDTH  -14 PRINTAS OWNER
   GridJobStatus AS STATUS          WIDTH  -10 PRINTAS GRID_STATUS
   GridJobId     AS 'INSTANCE ID'   WIDTH AUTO PRINTAS GRID_JOB_ID
   Cmd           AS CMD             WIDTH AUTO PRINTF  '%s'
""",
    "factory": _IDS + _OWNER + """   QDate         AS '  SUBMITTED'    WIDTH 11 PRINTAS QDATE
   JobMaterializeLimit AS ' LIMIT' WIDTH 6 PRINTF %6d
   JobsPresent   AS 'PRESNT' WIDTH 6 PRINTF %6d
   JobsRunning   AS '  RUN ' WIDTH 6 PRINTF %6d
   JobsIdle      AS '  IDLE' WIDTH 6 PRINTF %6d
   JobsHeld      AS '  HOLD' WIDTH 6 PRINTF %6d
   JobMaterializeNextProcId AS 'NEXTID' WIDTH 6 PRINTF %6d
   JobMaterializePaused?:JobFactoryPaused AS MODE PRINTAS JOB_FACTORY_MODE OR _
   JobMaterializeDigestFile AS DIGEST
""",
    "autocluster": """   AutoClusterId AS '   ID'    WIDTH 5 PRINTF %5d
   JobCount      AS COUNT      WIDTH 5 PRINTF %5d
   JobUniverse   AS UNIVERSE   WIDTH -8 PRINTAS JOB_UNIVERSE OR ??
   RequestCPUs   AS CPUS       WIDTH 4 PRINTF %4d OR ??
   RequestMemory AS MEMORY     WIDTH 6 PRINTF %6d OR ??
   RequestDisk   AS '    DISK' WIDTH 8 PRINTF %8d OR ??
   Requirements  AS REQUIREMENTS PRINTF %r
""",
    "jobset": """   JobSetId      AS  JOBSETID  WIDTH 8 PRINTF %8d
   JobSetName    AS  NAME      WIDTH AUTO
   Owner         AS  OWNER     WIDTH AUTO PRINTAS OWNER OR ??
   NumCompleted  AS  COMPLETE  WIDTH 8 PRINTF %8d
   NumRemoved    AS  REMOVED   WIDTH 7 PRINTF %7d
   NumIdle       AS '   IDLE'  WIDTH 7 PRINTF %7d
   NumRunning    AS  RUNNING   WIDTH 7 PRINTF %7d
   NumHeld       AS '   HELD'  WIDTH 7 PRINTF %7d
""",
}  # fmt: skip
FULL = """ClusterId = 7; ProcId = 3; Owner = "ann"; QDate = 86400; RemoteUserCpu = 1.0; ServerTime = 1000;
    ShadowBday = 939;
    JobStatus = 2; JobPrio = 5; ImageSize = 2048; Cmd = "/bin/sleep"; Args = "60"; JobUniverse = 5; RequestCpus = 2;
    RequestMemory = 128; NumShadowStarts = 4; LastRemoteHost = "slot1@m"; RemoteHost = "slot2@m"; HoldReasonCode = 13;
    HoldReasonSubCode = 2; HoldReason = "no disk"; EnteredCurrentStatus = 90061; JobMaterializeLimit = 9;
    JobsPresent = 8; JobsRunning = 7; JobsIdle = 6; JobsHeld = 5; JobMaterializeNextProcId = 4;
    JobMaterializePaused = 1; JobMaterializeDigestFile = "/d"; DAGNodeName = "A"; DAGManJobId = 6;
    AutoClusterId = 2; JobCount = 3; RequestDisk = 99; Requirements = TARGET.Memory > 5; JobSetId = 1;
    JobSetName = "set"; NumCompleted = 1; NumRemoved = 2; NumIdle = 3; NumRunning = 4; NumHeld = 5"""
GRID = """ClusterId = 8; ProcId = 0; Owner = "eve"; JobUniverse = 9; GridResource = "batch slurm login.example.org";
    GridJobId = "batch slurm 77"; GridJobStatus = "PENDING"; JobStatus = 1; Cmd = "x" """
LARGE = """ClusterId = 1234567; ProcId = 12345; Owner = "a_very_long_owner_name"; JobStatus = 5; JobPrio = 123456;
    ImageSize = 204800000000; RequestCpus = 1234567; RequestMemory = 123456789; NumShadowStarts = 123456789;
    HoldReasonCode = 123456; HoldReasonSubCode = 123456; JobMaterializeLimit = 123456789; JobsPresent = 123456789;
    JobsRunning = 123456789; JobsIdle = 123456789; JobsHeld = 123456789; JobMaterializeNextProcId = 123456789;
    QDate = "x"; EnteredCurrentStatus = "x"; DAGNodeName = "a_very_long_name_of_a_node"; DAGManJobId = 6;
    RemoteUserCpu = 1.0; ServerTime = 100000000000; ShadowBday = 1; JobUniverse = 5;
    RemoteHost = "a_very_long_name_of_a_slot@m"; JobFactoryPaused = 3;
    AutoClusterId = 1234567; JobCount = 1234567; RequestDisk = 1234567890; JobSetId = 1234567890;
    JobSetName = "a_very_long_name_of_a_set"; NumCompleted = 1234567890; NumRemoved = 1234567890;
    NumIdle = 1234567890; NumRunning = 1234567890; NumHeld = 1234567890"""


def shown(mask: Mask, ads: list[ClassAd]) -> list[str]:
    """Rows and heading, as wide as the rows need it."""
    rows = [mask.cells(ad) for ad in ads]
    return [mask.heading(), *map(mask.row, rows)]


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize(
    "which", [(FULL,), (GRID,), (LARGE,), ("ClusterId = 1; ProcId = 0",), (FULL, GRID, LARGE, "A = 1")]
)
@pytest.mark.usefixtures("universal_time")
def test_the_columns_of_a_table(tmp_path: Path, name: str, which: tuple[str, ...]) -> None:
    clock = Clock(1000)
    (tmp_path / "format").write_text(f"SELECT\n{FORMATS[name]}SUMMARY NONE\n")
    theirs = read_print_format(str(tmp_path / "format"), clock.renderers()).mask
    ads = [ClassAd(f"[ {text} ]") for text in which]
    assert shown(Mask(DISPLAYS[name].columns(clock)), ads) == shown(theirs, ads)
