"""Runs in a process of its own: what the real HTCondor makes of configuration texts.

stdin: a JSON list of [text, [names]]; stdout: a JSON list of {name: value or null}, with what went to stderr under "!".
Each text is read in a forked child, because a bad one ends the process.
"""

import json
import os
import signal
import sys
import tempfile
import warnings


def answer(path: str, names: list[str]) -> dict[str, object]:
    os.environ["CONDOR_CONFIG"] = path
    values: dict[str, object] = {}
    htcondor2.reload_config()
    for name in names:
        try:
            values[name] = htcondor2.param[name]
        except KeyError:
            values[name] = None
        except Exception as error:
            values["!"] = repr(error)
    return values


def in_child(path: str, names: list[str]) -> dict[str, object]:
    pipes = [os.pipe(), os.pipe()]
    child = os.fork()
    if child == 0:
        # A macro that contains itself keeps HTCondor busy for ever.
        signal.alarm(2)
        os.dup2(pipes[1][1], 2)
        os.write(pipes[0][1], json.dumps(answer(path, names)).encode())
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
        values["!"] = texts[1].decode()
    return values


if __name__ == "__main__":
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "condor_config")
    with open(path, "w") as first:
        first.write("FIRST = 1\n")
    os.environ["CONDOR_CONFIG"] = path
    warnings.simplefilter("ignore")
    import htcondor2

    results = []
    for text, names in json.load(sys.stdin):
        with open(path, "w", newline="") as file:
            file.write(text)
        results.append(in_child(path, names))
    json.dump(results, sys.stdout)
