"""The differences that docs/differences.md names and a command shows; other rows have tests with their subjects."""

from __future__ import annotations

import re

import pytest
from pool import ROOT, PersonalPool, wait_for

#: Subject of a row -> (command, exit status, text in its output), in a pool with the held jobs 1.0, 1.1 and 2.0.
#: {1} and {2} are the numbers that the clusters have there.
SHOWN = {
    "condor_wait": (("condor_wait", "log", "99"), 1, "does not mention that job"),
    "condor_prio": (("condor_prio", "-p", "x", "1.0"), 1, "needs a whole number"),
    "condor_userprio -delete of an unknown name": (("condor_userprio", "-delete", "zoe@x"), 1, "no accountant record"),
    "condor_manifest of a missing directory": (("condor_manifest", "createManifestFor", "nowhere", "0"), 1, ""),
    "condor_check_userlogs": (("condor_check_userlogs", "nowhere"), 1, "No such file"),
    "constraints that do not parse": (("condor_q", "-jobads", "none", "-constraint", "(("), 1, "could not parse"),
    "condor_run": (("condor_run", "kill -9 $$"), 137, "signal 9"),
    "condor_q 1 2": (("condor_q", "{1}", "{2}"), 0, "Total for query: 3 jobs"),
    "condor_status -group-by": (("condor_status", "-group-by", "OpSys"), 0, "Members = "),
    "condor_drain without a name": (("condor_drain",), 0, "Sent request to drain"),
    "AccountingGroup with white space": (("condor_submit", "-a", "accounting_group=a b", "job.sub"), 1, "Invalid"),
    "`tool_daemon_cmd`": (
        ("condor_submit", "-a", "tool_daemon_cmd=/bin/true", "-a", "docker_image=x", "job.sub"),
        0,
        "the job will be held",
    ),
}


def test_differences_are_as_the_paper_says(pool: PersonalPool) -> None:
    (pool.work / "none").write_text("")
    held = "executable = /bin/sleep\narguments = 99\nhold = true\nlog = log\n"
    clusters = ["", *(str(pool.submit(f"{held}queue {count}\n")) for count in (2, 1))]
    wrong = []
    for subject, (words, code, text) in SHOWN.items():
        done = pool.tool(*(word.format(*clusters) for word in words), check=False)
        if done.returncode != code or text not in done.stdout + done.stderr:
            wrong.append((subject, done))
    assert wrong == []
    pool.tool("condor_drain", "-cancel")


#: Kind of ad in the table of attributes -> the command that shows all of its attributes.
ADS = {
    "collector": ("condor_status", "-collector"), "master": ("condor_status", "-master"),
    "schedd": ("condor_status", "-schedd"), "slot": ("condor_status",), "submitter": ("condor_status", "-submitters"),
    "job": ("condor_q",),
}  # fmt: skip


def _attributes(pool: PersonalPool, words: tuple[str, ...]) -> set[str]:
    """The names of all attributes of the ads that a command shows."""
    return {line.partition(" =")[0] for line in pool.tool(*words, "-long").stdout.splitlines()}


def test_ads_lack_what_the_paper_says(pool: PersonalPool) -> None:
    pool.submit("executable = /bin/sleep\narguments = 99\nlog = log\nqueue\n")
    wait_for(lambda: "Claimed" in pool.tool("condor_status", "-af", "State").stdout, "the job runs")
    names: dict[str, set[str]] = {}
    for kind, words in ADS.items():
        wait_for(lambda words=words: len(_attributes(pool, words)) > 15, f"{kind} has an ad")
        names[kind] = _attributes(pool, words)
    paper = (ROOT / "docs/differences.md").read_text().partition("## Attributes that are missing")[2]
    rows = re.findall(r"^\| ([a-z, ]+) \| ([^(|]*)", paper.partition("\n## ")[0], re.MULTILINE)[1:]
    found = [
        (kind, attribute)
        for kinds, text in rows
        for kind in kinds.split(", ")
        for attribute in re.findall(r"\b[A-Z][A-Za-z0-9]+\*?", text)
        for name in names[kind]
        if name == attribute or (attribute.endswith("*") and name.startswith(attribute[:-1]))
    ]
    assert len(rows) > 6
    assert found == []


@pytest.mark.parametrize("subject", SHOWN)
def test_the_paper_has_a_row(subject: str) -> None:
    assert f"\n| {subject}" in (ROOT / "docs/differences.md").read_text()
