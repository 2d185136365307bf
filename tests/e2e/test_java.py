"""Jobs of the java universe on a real Java machine."""

from __future__ import annotations

import getpass
import os
import zipfile
from pathlib import Path

import pytest
from pool import PersonalPool, wait_for

from condor_py.machine.run import java

JAVA = "/usr/bin/java"
WRAPPER = b"CondorJavaWrapper"
#: The only class file that is here whether or not there is a compiler, under other names of the same length.
CLASS = Path(java.__file__).parent.joinpath("libexec", "CondorJavaWrapper.class").read_bytes()
SUBMIT = """\
universe = java
executable = ProgramOfTheTests.class
jar_files = more.jar
log = log
output = out.$(Process)
error = err.$(Process)
should_transfer_files = YES
java_vm_args = -Xmx64m -XshowSettings:vm
arguments = $(args)
queue args from (
  ProgramOfTheTests
  ProgramOfTheTests 'one'
  ProgramOfTheTests not/there end class
  ProgramInsideAJar
  ProgramOfNobody
)
"""


@pytest.fixture
def java_pool(stopped_pool: PersonalPool) -> PersonalPool:
    if not os.path.exists(JAVA):
        pytest.skip(f"there is no {JAVA}")
    work = stopped_pool.work
    (work / "ProgramOfTheTests.class").write_bytes(CLASS.replace(WRAPPER, b"ProgramOfTheTests"))
    with zipfile.ZipFile(work / "more.jar", "w") as jar:
        jar.writestr("ProgramInsideAJar.class", CLASS.replace(WRAPPER, b"ProgramInsideAJar"))
    stopped_pool.knob("JAVA", JAVA)
    return stopped_pool


def test_programs_end_as_they_do(java_pool: PersonalPool) -> None:
    pool = java_pool
    pool.start()
    wait_for(lambda: pool.tool("condor_status", "-java", "-af", "JavaVersion").stdout.strip(), "Java works")
    pool.submit(SUBMIT)
    pool.wait("log")
    told = "ProcId", "ExitCode", "ExitSignal", "ExceptionName", "ExceptionType"
    wait_for(lambda: len(pool.history(*told)) == 5, "all are recorded")
    assert sorted(pool.history(*told)) == [
        ["0", "0", *["undefined"] * 3],
        ["1", "1", *["undefined"] * 3],
        ["2", "undefined", "15", "java.io.FileNotFoundException", "java.lang.Exception"],
        ["3", "0", *["undefined"] * 3],
        ["4", "undefined", "15", "java.lang.ClassNotFoundException", "java.lang.Exception"],
    ]
    assert (pool.work / "out.0").read_text().startswith("java.vendor=")
    assert "64.00M" in (pool.work / "err.0").read_text()
    assert "FileNotFoundException" in (pool.work / "err.2").read_text()
    assert not list(pool.work.glob("jvm.*"))
    log = (pool.work / "log").read_text()
    assert log.count("(0) Abnormal termination (signal 15)") == 2


FETCH = """#!/bin/sh
mkdir {work}/once || exit 0
cat <<END
Cmd = "java"
Arguments = "ProgramInsideAJar"
JarFiles = "{work}/more.jar"
JobUniverse = 10
Iwd = "{work}"
Out = "out"
RequestCpus = 1
RequestMemory = 100
RequestDisk = 100
Owner = "{owner}"
User = "{owner}@example.net"
END
"""


def test_a_fetched_job_has_its_jar_files(java_pool: PersonalPool) -> None:
    pool = java_pool
    script = pool.work / "fetch"
    script.write_text(FETCH.replace("{work}", str(pool.work)).replace("{owner}", getpass.getuser()))
    script.chmod(0o755)
    pool.knob("SLOT1_JOB_HOOK_KEYWORD", "MINE")
    pool.knob("FetchWorkDelay", "1")
    pool.knob("MINE_HOOK_FETCH_WORK", str(script))
    pool.start()
    wait_for(lambda: (pool.work / "out").read_text(), "the job has run")
    assert (pool.work / "out").read_text().startswith("java.vendor=")
