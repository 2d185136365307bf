"""reproman: a command through its submitter for Condor, with an input that is staged and a result that is fetched."""

import json
import subprocess
import sys
from pathlib import Path

Path("given.txt").write_text("given\n")
for words in (
    ["create", "-t", "shell", "here"],
    ["run", "--resource", "here", "--submitter", "condor", "--orchestrator", "plain", "--follow",
     "--job-parameter", f"root_directory={Path('root').absolute()}", "--job-parameter", "num_processes=1",
     "--input", "given.txt", "--output", "result.txt",
     "sh", "-c", "cat given.txt > result.txt; echo $_CONDOR_SLOT >> result.txt"],
):  # fmt: skip
    done = subprocess.run(["reproman", *words], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
    if done.returncode:
        sys.exit(done.stdout[-2000:] + done.stderr[-3000:])
text = Path("result.txt").read_text().splitlines()
print(json.dumps([text[0], text[1].startswith("slot1_")]))
