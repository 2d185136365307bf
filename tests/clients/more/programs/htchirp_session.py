"""htchirp: jobs that chirp with its class and its program: attributes, files of the access point, the event log."""

import json
import subprocess
import sys
from pathlib import Path

Path("chirper.py").write_text(
    "from htchirp import HTChirp\n"
    "with HTChirp() as chirp:\n"
    "    chirp.set_job_attr('Steps', '42')\n"
    "    chirp.set_job_attr_delayed('ChirpLater', '\"soon\"')\n"
    "    chirp.put('scratch.txt', 'put.txt') if open('scratch.txt', 'w').write('from the job') else None\n"
    "    chirp.fetch('here.txt', 'fetched.txt')\n"
    "    chirp.mkdir('made')\n"
    "    chirp.write(b'line\\n', 'made/lines.txt', 'wca')\n"
    "    chirp.rename('made/lines.txt', 'made/renamed.txt')\n"
    "    chirp.ulog('half way')\n"
    "    print(chirp.get_job_attr('Steps'), open('fetched.txt').read(), chirp.read('here.txt', 4).decode())\n"
    "    print(sorted(chirp.getdir('made')), chirp.stat('here.txt')['size'], chirp.access('here.txt', 'r') is None)\n"
)
Path("here.txt").write_text("from the submitter")
Path("jobs.sub").write_text(
    f"executable = {sys.executable}\narguments = chirper.py\ntransfer_executable = false\n"
    'transfer_input_files = chirper.py\nshould_transfer_files = YES\ntransfer_output_files = ""\n'
    "getenv = PATH\nwant_io_proxy = true\nlog = jobs.log\noutput = class.out\nerror = class.err\nqueue\n"
)
Path("program.sub").write_text(
    f"executable = {Path(sys.executable).parent}/condor_htchirp\ntransfer_executable = false\n"
    "arguments = set_job_attr Steps 7\nwant_io_proxy = true\nlog = jobs.log\nerror = program.err\nqueue\n"
)
for name in ("jobs.sub", "program.sub"):
    subprocess.run(["condor_submit", name], check=True, capture_output=True)
    subprocess.run(["condor_wait", "-wait", "60", "jobs.log"], check=True, capture_output=True)
history = subprocess.run(
    ["condor_history", "-limit", "2", "-af", "Steps", "ChirpLater"], capture_output=True, text=True, check=True
).stdout.splitlines()
print(
    json.dumps(
        [
            Path("class.out").read_text().splitlines(),
            Path("put.txt").read_text(),
            Path("made/renamed.txt").read_text(),
            "half way" in Path("jobs.log").read_text(),
            history,
        ]
    )
)
