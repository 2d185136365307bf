"""Hostile jobs for the pages of condor_web: no text of theirs may become markup.

``python tests/unit/web/hostile_pages.py 10000`` shows that many of them, in queues of 300; the suite shows 300.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from pathlib import Path
from xml.etree import ElementTree

if __name__ == "__main__":
    sys.path[:0] = [
        str(Path(__file__).parents[3]),
        str(Path(__file__).parent),
        str(Path(__file__).parent.parent / "tools"),
    ]

from tool_runner import Spool
from visits import Markup, Visited

from condor_py.cli.web.app import PAGES
from condor_py.cli.web.render import FOLDER
from condor_py.lang.classad import ClassAd
from condor_py.store.ad_store import AdStore
from condor_py.store.job_queue import JobQueue

EVIL = (
    "<x-evil>",
    "<script>evil()</script>",
    '"><x-evil onerror=evil()>',
    "'><x-evil>",
    "</script><x-evil>",
    "javascript:evil()",
    "</title></svg><x-evil>",
    "<!--",
    "-->",
    "]]><x-evil>",
    "<![CDATA[",
    "{{ 7*7 }}",
    "{% raw %}",
    "&lt;x-evil&gt;",
    "&#60;x-evil&#62;",
    "\\u003cx-evil\\u003e",
    "<svg/onload=evil()>",
    "<img src=x onerror=evil()>",
    "\x1b[31m",
    "\x00",
    "\x85",
    "\u2028",
    "\u202e",
    "\udcff",
    "\ufffe",
    "%3Cx-evil%3E",
    "data:text/html,<x-evil>",
    "../../..",
    "//evil.example/",
    "/\\evil.example",
    "e\u0301" * 40,
    "\U0001f4a9",
    "a" * 3000,
    "<a href=//evil.example>",
    "' onmouseover='evil()",
    '" style="x',
    "\n\n<x-evil>",
    "\t",
    "+ADw-x-evil+AD4-",
)
#: Attributes of jobs that pages show.
ATTRIBUTES = (
    "JobBatchName",
    "Cmd",
    "Arguments",
    "Environment",
    "HoldReason",
    "RemoveReason",
    "JobDescription",
    "Iwd",
    "Out",
    "Err",
    "UserLog",
    "TransferOutput",
    "RemoteHost",
    "LastRemoteHost",
    "DAGNodeName",
    "AccountingGroup",
    "LastRejMatchReason",
    "ConcurrencyLimits",
    "Requirements",
    "EvilAttribute",
    "ProjectName",
    "Notes",
)
NUMBERS = (
    "JobPrio", "QDate", "ShadowBday", "RequestCpus", "RequestMemory", "ImageSize", "MemoryUsage", "TotalSubmitProcs",
    "CompletionDate", "NumJobStarts", "ExitCode", "DAGManJobId", "DAG_NodesTotal", "JobUniverse",
)  # fmt: skip
ODD = ("-1", "99999999999999999999", "1e308", "undefined", "error", "1/0", "-1e400")
#: The elements and attributes that pages consist of.
_TAGS = """html head meta title link script body a header p nav ul ol li form span button main h1 h2 h3 b small strong
    em div section table caption thead tbody tfoot tr th td svg rect text line polyline polygon path circle g kbd pre
    code dl dt dd details summary label input select option time br figure figcaption article output progress use defs
    aside hr abbr template fieldset legend footer i canvas noscript col colgroup data meter"""
TAGS = frozenset((*_TAGS.split(), "datalist", "desc"))
SCRIPTS = tuple(f"/static/{name}" for name in sorted(os.listdir(f"{FOLDER}/static")) if name.endswith(".js"))
ADDRESSES = ("href", "action", "src", "formaction", "data-src", "data-href")


def text(chance: random.Random) -> str:
    """A hostile text."""
    return "".join(chance.choice(EVIL) for _ in range(chance.randint(1, 4)))


def quoted(value: str) -> str:
    """A text as a string of a ClassAd in the log of the queue, which has no line ends."""
    clean = value.replace("\n", " ").replace("\x00", "")
    return '"' + clean.replace("\\", "\\\\").replace('"', '\\"') + '"'


def job(chance: random.Random, cluster: int) -> dict[str, str]:
    """A hostile job, as texts of its attributes."""
    ad = {name: quoted(text(chance)) for name in chance.sample(ATTRIBUTES, 8)}
    ad.update((name, chance.choice((*ODD, quoted(text(chance))))) for name in chance.sample(NUMBERS, 4))
    owner = chance.choice(('"ann"', '"bea"', quoted(text(chance)[:100])))
    universe, status = chance.choice(("5", "5", "5", "7")), str(chance.choice((1, 2, 3, 4, 5, 6, 7)))
    return {
        "ClusterId": str(cluster),
        "Cmd": '"/bin/x"',
        "Owner": owner,
        "JobUniverse": universe,
        "JobStatus": status,
    } | ad


def fill(spool: Spool, chance: random.Random, jobs: int) -> None:
    """Queue hostile jobs, and publish hostile slots and users."""
    with JobQueue(str(spool.path), uid_domain="example.net").transaction() as transaction:
        for cluster in range(1, jobs + 1):
            transaction.new_ad(f"0{cluster}.-1", "Job", "Machine")
            for name, value in job(chance, cluster).items():
                transaction.set(f"0{cluster}.-1", name, value)
            for proc in range(chance.randint(1, 2)):
                transaction.new_ad(f"{cluster}.{proc}", "Job", "Machine")
                transaction.set(f"{cluster}.{proc}", "ProcId", str(proc))
    slots = []
    for number in range(20):
        values = {
            "Name": text(chance),
            "State": "Claimed",
            "Activity": text(chance),
            "RemoteUser": text(chance),
            "JobId": text(chance),
            "RemoteOwner": text(chance),
            "DrainReason": text(chance),
            "Machine": text(chance),
        }
        values = {name: value.replace("\n", " ").replace("\x00", "") for name, value in values.items()}
        ad = ClassAd.from_text_items([(name, quoted(value)) for name, value in values.items()])
        for name, value in (
            ("Cpus", "1"),
            ("Memory", "100"),
            ("Disk", "100"),
            ("SlotID", str(number)),
            ("GPUs", "1"),
            ("Draining", "true"),
            ("MyType", '"Machine"'),
            ("SlotWeight", "1"),
            ("PartitionableSlot", chance.choice(["true", "false"])),
        ):
            ad.set_text(name, value)
        slots.append(ad)
    store = AdStore(str(spool.path.parent / "ads"))
    store.publish("STARTD", slots)
    users = [
        ClassAd.from_text_items(
            [
                ("Name", quoted(f"{text(chance)}@x")),
                ("Priority", "1.0"),
                ("WeightedResourcesUsed", "2.0"),
                ("IsAccountingGroup", "false"),
            ]
        )
        for _ in range(5)
    ]
    store.publish("ACCOUNTING", users)


def wrong(page: str) -> list[str]:
    """What is on a page and should not be."""
    found = []
    for tag, attributes in Markup(page).elements:
        if tag not in TAGS:
            found.append(f"element {tag}")
        if tag == "script" and attributes.get("src", "").partition("?")[0] not in SCRIPTS:
            found.append(f"script {attributes}")
        for name, value in attributes.items():
            if name.startswith("on") or name == "style" or "evil" in name:
                found.append(f"attribute {name}")
            if name in ADDRESSES and (not value.startswith(("/", "#", "?")) or value.startswith(("//", "/\\"))):
                found.append(f"address {value!r}")
    return found


def addresses(jobs: int, chance: random.Random, few: int) -> list[str]:
    """The pages to look at: all of them, and those of a few jobs."""
    found = [f"/{page.name}" for page in PAGES] + [f"/queue?page={number}" for number in range(2, 2 + jobs // 100)]
    found += [
        f"/queue?{name}={value}"
        for name in ("owner", "text", "sort", "state")
        for value in ("%22%3E%3Cx-evil%3E", "%00%ff")
    ]
    for number in chance.sample(range(1, jobs + 1), min(jobs, few)):
        found += [f"/queue/{number}", f"/queue/{number}.0", f"/queue/{number}.0?file=output"]
    return [*found, "/%3Cx-evil%3E", "/queue/%3Cx-evil%3E"]


def problems(spool: Spool, seed: int, jobs: int, few: int) -> list[str]:
    """What is wrong with the pages of a queue of hostile jobs."""
    chance = random.Random(seed)
    fill(spool, chance, jobs)
    visited = Visited(allow_actions=True)
    found = []
    pages = addresses(jobs, chance, few)
    boss, ann = visited.visitor("boss"), visited.visitor("ann")
    for browser, some in ((boss, pages), (ann, [address for address in pages if "." in address])):
        for address in some:
            answer = browser.get(address)
            if answer.status_code >= 500 and answer.status_code != 503:
                found.append(f"{seed} {address}: {answer.status_code}")
            found += [f"{seed} {address}: {each}" for each in wrong(answer.text)]
    for page in PAGES:
        json.loads(boss.get(f"/{page.name}?format=json").text)
        for name in page.pictures:
            drawn = boss.get(f"/{page.name}?format=svg&picture={name}")
            if drawn.status_code == 200:
                tags = {element.tag.rpartition("}")[2] for element in ElementTree.fromstring(drawn.text).iter()}
                found += [f"{seed} picture {name}: {tag}" for tag in tags - TAGS]
    return found


def main(count: int) -> int:
    """Show so many hostile jobs."""
    begun = found = 0
    while begun < count:
        with tempfile.TemporaryDirectory() as folder:
            os.environ.update(
                CONDOR_CONFIG="ONLY_ENV", _CONDOR_LOCAL_DIR=f"{folder}/local", _CONDOR_UID_DOMAIN="example.net"
            )
            for problem in problems(Spool(Path(folder)), begun, 300, 60):
                found += 1
                print(problem)
        begun += 300
        print(f"{begun} jobs, {found} problems", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
