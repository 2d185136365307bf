"""A configuration of three files, and all that condor_config_val prints about it (tests/golden/session/config_val.txt).

After a wanted change CONDOR_PY_RECORD=1 writes it again, and the difference is to be read.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

import pytest
from tool_runner import Spool

SESSION = Path(__file__).resolve().parents[2] / "golden" / "session" / "config_val.txt"
FILES = {
    "root": "LOCAL_DIR = {here}/local\nLOCAL_CONFIG_FILE = {here}/one, {here}/two\nMY_TEXT = plain\nMY_PATH = /a//b\n",
    "one": "# a remark\nMY_TEXT = $(MY_PATH)/x\nMY_LIST = a, \\\n  b, \\\n  c\nMY_EMPTY =\n"
    "SCHEDD.MY_TEXT = of the schedd\ntwo.MY_TEXT = of two\nMAX_JOBS_RUNNING = 7\n",
    "two": "MY_BLOCK @=end\nfirst\n  second\n@end\nMY_SUM = $(MAX_JOBS_RUNNING) + 1\nMY_ENV = $ENV(MY_VARIABLE)\n"
    "MY_LOOP = $(NOT_THERE:fallback)\nMAX_JOBS_RUNNING = 9\nJOB_START_DELAY = 3\nMY_INT = $INT(MY_SUM)\n",
    "more": "MY_TEXT = of more\n",
    "bad": "MY_TEXT = 1\nthis is no setting\n",
}
COMMANDS = """\
condor_config_val MY_TEXT
condor_config_val my_text MY_LIST MY_EMPTY NOT_THERE MAX_JOBS_RUNNING
condor_config_val -verbose MY_TEXT
condor_config_val -verbose MY_LIST MY_BLOCK MY_SUM MY_INT
condor_config_val -verbose JOB_START_DELAY MAX_JOBS_RUNNING
condor_config_val -info -verbose MY_TEXT JOB_START_DELAY
condor_config_val -verbose:use MY_PATH MAX_JOBS_RUNNING
condor_config_val -raw MY_TEXT MY_SUM MY_BLOCK
condor_config_val -raw -verbose MY_TEXT MY_BLOCK
condor_config_val -default MAX_JOBS_RUNNING JOB_START_DELAY MY_TEXT
condor_config_val -subsystem SCHEDD MY_TEXT
condor_config_val -subsystem SCHEDD -verbose MY_TEXT
condor_config_val -local-name two MY_TEXT
condor_config_val -dump ^MY_
condor_config_val -dump -verbose ^MY_
condor_config_val -dump -expanded ^MY_
condor_config_val -dump -expanded -verbose ^MY_
condor_config_val -dump -raw ^MY_
condor_config_val -dump -default ^JOB_START
condor_config_val -dump -info -verbose ^JOB_START
condor_config_val -dump -json ^MY_
condor_config_val -dump -toml ^MY_
condor_config_val -dump ( ^MY_T
condor_config_val -dump -used ^MY_
condor_config_val -dump -unused ^MY_
condor_config_val -json MY_TEXT MY_LIST NOT_THERE
condor_config_val -toml MY_TEXT
condor_config_val -config
condor_config_val -config -verbose
condor_config_val -macro '$(MY_TEXT) and $(NOT_THERE:x)'
condor_config_val -macro -verbose '$(MY_TEXT) and $(NOT_THERE:x)'
condor_config_val -macro:path '$(MY_TEXT)'
condor_config_val -check-if 'true'
condor_config_val -check-if 'defined MY_TEXT'
condor_config_val -check-if 'version > 8'
condor_config_val -check-if '$(MAX_JOBS_RUNNING) > 3'
condor_config_val -check-if 'odd'
condor_config_val -root-config root MY_TEXT
condor_config_val -root-config more MY_TEXT MY_LIST
condor_config_val -reconfig more MY_TEXT
condor_config_val -reconfig more -config
condor_config_val -root-config bad MY_TEXT
condor_config_val use ROLE
condor_config_val use ROLE:Personal
condor_config_val -verbose use ROLE:Personal
condor_config_val use ROLE:Nothing
condor_config_val use NOTHING
condor_config_val -evaluate MY_SUM
condor_config_val -expanded use FEATURE:GPUs
condor_config_val -info MY_TEXT JOB_START_DELAY
condor_config_val -trace MY_TEXT
condor_config_val -summary\
""".splitlines()


@pytest.fixture
def files(spool: Spool, monkeypatch: pytest.MonkeyPatch) -> Spool:
    for name, text in FILES.items():
        Path(name).write_text(text.format(here=os.getcwd()) if name == "root" else text)
    monkeypatch.delenv("_CONDOR_LOCAL_DIR")
    monkeypatch.delenv("_CONDOR_UID_DOMAIN")
    monkeypatch.setenv("CONDOR_CONFIG", f"{os.getcwd()}/root")
    monkeypatch.setenv("MY_VARIABLE", "of the environment")
    return spool


def of_session(command: str) -> str:
    text = SESSION.read_text()
    begin = text.index(f"$ {command}\n")
    end = text.find("\n$ condor_config_val", begin)
    return text[begin : end + 1 if end >= 0 else len(text)]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_printed_of_a_configuration(files: Spool, command: str) -> None:
    program, *words = shlex.split(command.replace(" ( ", " '(' "))
    done = files.run(program, *words)
    errors = "".join(f"E| {line}\n" for line in done.err.splitlines())
    told = f"$ {command}\n{done.out}{errors}[{done.code}]\n".replace(os.getcwd(), "/HERE")
    told = re.sub(r"BuildID: \S+( GitSHA: \w+)? \$", "VERSION $", told).replace(os.uname().nodename, "HOST")
    if os.environ.get("CONDOR_PY_RECORD"):
        before = SESSION.read_text() if command != COMMANDS[0] else ""
        SESSION.write_text(before + told)
    assert told == of_session(command)
