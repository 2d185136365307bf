"""Run by the oracle's python: submit texts as JSON on stdin, the job ads (or the error) of each as JSON on stdout."""

import json
import sys

import htcondor  # type: ignore[import-not-found]


def jobs(text):
    """The ads of one text as [[attribute, value text], ...] each, or the error as text."""
    try:
        found = []
        for ad in htcondor.Submit(text).jobs(clusterid=7, qdate=1700000000, owner="alice"):
            found.append([line.split(" = ", 1) for line in ad.printOld().splitlines() if " = " in line])
        return found
    except Exception as error:
        return str(error)


json.dump([jobs(text) for text in json.load(sys.stdin)], sys.stdout)
