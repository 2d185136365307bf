"""auditor-htcondor-collector: it reads the history twice and sends one record of each finished job to its server."""

import http.server
import json
import subprocess
import sys
import threading

import yaml

records = []


class Auditor(http.server.BaseHTTPRequestHandler):
    """What the records are sent to: keeps them."""

    def do_POST(self) -> None:
        records.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *words: object) -> None:
        """Say nothing."""


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Auditor)
threading.Thread(target=server.serve_forever, daemon=True).start()
with open("job.sub", "w") as file:
    file.write("executable = /bin/true\nlog = job.log\nrequest_memory = 64\naccounting_group = physics\nqueue 2\n")
subprocess.run(["condor_submit", "job.sub"], check=True, stdout=subprocess.DEVNULL)
subprocess.run(["condor_wait", "-wait", "60", "job.log"], check=True, stdout=subprocess.DEVNULL)
schedd = subprocess.run(
    ["condor_status", "-schedd", "-af", "Name"], capture_output=True, text=True, check=True
).stdout.strip()
with open("collector.yml", "w") as file:
    yaml.safe_dump(
        {
            "addr": "127.0.0.1",
            "port": server.server_port,
            "state_db": "state.db",
            "record_prefix": "test",
            "interval": 900,
            "pool": "localhost",
            "schedd_names": [schedd],
            "job_status": [3, 4],
            "constraint": "'AcctGroup == \"physics\"'",
            "tls_config": {"use_tls": False},
            "meta": {"user": {"key": "Owner"}, "group": {"key": "AcctGroup"}, "site": [{"name": "HERE"}]},
            "components": [
                {
                    "name": "Cores",
                    "key": "CpusProvisioned",
                    "scores": [{"name": "HEPSPEC", "factor": 1.0, "key": "RequestCpus"}],
                },
                {"name": "Memory", "key": "RequestMemory"},
            ],
        },
        file,
    )
for _ in range(2):
    subprocess.run(["auditor-htcondor-collector", "-c", "collector.yml", "-1"], check=True, stdout=sys.stderr)
print(
    json.dumps(
        [
            [record["meta"]["group"] for record in records],
            [[(part["name"], part["amount"]) for part in record["components"]] for record in records],
        ]
    )
)
