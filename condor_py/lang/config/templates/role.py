"""``use ROLE``: what this machine is in its pool."""

from __future__ import annotations

ROLE = {
    "Personal": """
CONDOR_HOST=127.0.0.1
COLLECTOR_HOST=$(CONDOR_HOST):0
DAEMON_LIST=MASTER COLLECTOR NEGOTIATOR STARTD SCHEDD
RunBenchmarks=0
""",
    "Execute": "DAEMON_LIST=$(DAEMON_LIST) STARTD",
    "Submit": "DAEMON_LIST=$(DAEMON_LIST) SCHEDD",
    "CentralManager": "DAEMON_LIST=$(DAEMON_LIST) COLLECTOR NEGOTIATOR",
    "get_htcondor_central_manager": "use SECURITY : get_htcondor_idtokens\nuse ROLE : CentralManager",
    "get_htcondor_submit": "use SECURITY : get_htcondor_idtokens\nuse ROLE : Submit",
    "get_htcondor_execute": "use SECURITY : get_htcondor_idtokens\nuse ROLE : Execute",
}
