"""Runs in a process of its own: what the real HTCondor makes of configurations.

stdin: a JSON list of {root, names, environ, subsystem} (the last two may be missing, names may be ["*"] for all);
stdout: a JSON list of {name: value or null}, with what went to stderr under "!". A configuration that is refused has
no names.
Each is read in a forked child, because a bad one ends the process.
"""

import json
import os
import signal
import sys
import tempfile
import warnings


def answer(case: dict) -> dict[str, object]:
    os.environ.update(case.get("environ", {}), CONDOR_CONFIG=case["root"])
    if case.get("subsystem", "TOOL") != "TOOL":
        htcondor2.set_subsystem(case["subsystem"])
    htcondor2.reload_config()
    values: dict[str, object] = {}
    for name in htcondor2.param if case["names"] == ["*"] else case["names"]:
        try:
            values[name] = htcondor2.param[name]
        except KeyError:
            values[name] = None
        except Exception as error:
            values["!"] = repr(error)
    return values


def in_child(case: dict) -> dict[str, object]:
    pipes = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        # A macro that contains itself keeps HTCondor busy for ever.
        signal.setitimer(signal.ITIMER_PROF, 0.5)
        os.dup2(pipes[1][1], 2)
        os.write(pipes[0][1], json.dumps(answer(case)).encode())
        os._exit(0)
    texts = []
    for _, writer in pipes:
        os.close(writer)
    for reader, _ in pipes:
        with os.fdopen(reader, "rb") as file:
            texts.append(file.read())
    os.waitpid(child, 0)
    values = json.loads(texts[0]) if texts[0] else {}
    if texts[1]:
        values["!"] = texts[1].decode(errors="replace")
    return values


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, "condor_config")
        with open(path, "w") as first:
            first.write("FIRST = 1\n")
        os.environ["CONDOR_CONFIG"] = path
        warnings.simplefilter("ignore")
        import htcondor2

        json.dump([in_child(case) for case in json.load(sys.stdin)], sys.stdout)
