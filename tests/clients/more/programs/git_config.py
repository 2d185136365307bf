"""condor-git-config: the configuration of a pool from a git repository, as an include of its output."""

import json
import os
import subprocess


def run(*words, **more):
    return subprocess.run(words, capture_output=True, text=True, check=False, **more)


os.makedirs("knobs")
with open("knobs/pool.cfg", "w") as file:
    file.write("FROM_GIT = 42\n")
run("git", "init", "-q", "-b", "master", cwd="knobs")
run("git", "add", ".", cwd="knobs")
run("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x", cwd="knobs")
place = os.getcwd()
with open("config", "w") as file:
    file.write(f"include command : condor-git-config --cache-path {place}/cache --branch master file://{place}/knobs\n")
environment = {**os.environ, "CONDOR_CONFIG": f"{place}/config"}
found = run("condor_config_val", "FROM_GIT", env=environment)
print(json.dumps([found.stdout.strip(), found.stderr.strip()[-200:]]))
