"""Values that condor_submit accepts and that are hardly meant: each gets a warning that names the culprit.

They are looked for once a submit, in its first job.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from condor_py.classad.bare import bare_words
from condor_py.submit.job import JobMaker

_FILES = (("output", "stdout"), ("error", "stderr"), ("input", "stdin"), ("log", "UserLog"))
_REQUESTS = ("request_cpus", "request_memory", "request_disk", "request_gpus")
_FUNCTIONS = frozenset(("ENV", "INT", "REAL", "STRING", "EVAL", "CHOICE", "SUBSTR", "RANDOM_CHOICE", "RANDOM_INTEGER"))
_TWO_OLD = re.compile(r"^[A-Za-z_]\w*=[^;]*\s[A-Za-z_]\w*=")
#: How alike a name must be to one that is defined.
_ALIKE = 0.8

_SCHEDULE = "deferral_time, or a crontab such as cron_hour"
#: What commands mean nothing without, by their names or by what the names of a family begin with (``ec2_``).
_PARTNERS = {
    "gpus_": "request_gpus",
    "require_gpus": "request_gpus",
    "retry_request_disk": "request_disk, a number",
    "cron_": _SCHEDULE,
    "deferral_": _SCHEDULE,
    "tool_daemon_": "tool_daemon_cmd",
    "suspend_job_at_exec": "tool_daemon_cmd",
    "vm_": "universe = vm",
    "xen_": "universe = vm",
    "interactive_": "condor_submit -interactive",
    "machine_count": "universe = parallel",
    "node_count": "universe = parallel",
    "container_service_names": "a container_image or a docker_image",
    "grid_resource": "universe = grid",
    "cloud_label_names": "universe = grid and grid_resource = gce",
    **{f"{kind}_": f"universe = grid and grid_resource = {kind}" for kind in ("arc", "azure", "batch", "ec2", "gce")},
}


def partner_of(name: str) -> str:
    """What a known command that nothing asked for needs beside it; "" for other names."""
    from condor_py.submit.manual import commands

    if name not in commands():
        return ""
    families = (word for word in _PARTNERS if word.endswith("_") and name.startswith(word))
    return _PARTNERS.get(name) or next((_PARTNERS[word] for word in families), "")


def report_doubtful(job: JobMaker) -> None:
    """Warn of what is accepted and does something else than it seems to say."""
    if not job.looks_at_files or "doubtful" in job.once:
        return
    job.once.add("doubtful")
    for text in (*_quoted_files(job), *_bare_words(job), *_environment(job), *_macros(job), *_group(job)):
        job.warn(f"{text}\n")


def _quoted_files(job: JobMaker) -> Iterator[str]:
    for command, alt in _FILES:
        name = job.macros.lookup(command) or job.macros.lookup(alt) or ""
        if len(name) > 1 and name[0] == name[-1] == '"':
            yield f"{command} = {name}: the quotation marks become part of the file's name; leave them out"


def _bare_words(job: JobMaker) -> Iterator[str]:
    from condor_py.model import attributes

    def known(name: str) -> bool:
        return attributes.is_known(name) or name.lower() in job.own or name.lower() in job.cluster

    for command in _REQUESTS:
        text = job.macros.expand(job.macros.lookup(command) or "")
        for word in bare_words(text, known):
            yield f"{command} = {text}: no job and no slot has an attribute {word}; a number is expected"
    text = job.macros.expand(job.macros.lookup("requirements") or "")
    for word in bare_words(text, known):
        if text.strip() != word:  # an attribute that a site has defined
            yield f'requirements = {text}: {word} is taken for an attribute; did you mean "{word}"?'


def _environment(job: JobMaker) -> Iterator[str]:
    text = (job.macros.lookup("environment") or job.macros.lookup("env") or "").strip()
    if text.count("=") > 1 and text[:1] != '"' and _TWO_OLD.match(text):
        yield f'environment = {text}: this is one variable, with blanks in its value; for several write "A=1 B=2"'


def _macros(job: JobMaker) -> Iterator[str]:
    macros = job.macros
    for macro in macros.table:
        for name in dict.fromkeys(_references(macro.value)):
            word, parenthesis, _ = name.partition("(")
            if parenthesis and (word in _FUNCTIONS or (word[:1] == "F" and (word == "F" or word[1:].islower()))):
                yield f"{macro.name} = {macro.value}: $({word}(...)) is no function; write ${word}(...)"
            elif name.isidentifier() and macros.lookup(name) is None and (meant := _meant(job, name)):
                what = f"$({name}) is not defined and stays empty; did you mean $({meant})?"
                yield f"{macro.name} = {macro.value}: {what}"


def _references(text: str) -> Iterator[str]:
    """What stands in ``$(...)``, up to the first closing parenthesis; ``$$(...)`` is for the slot."""
    before, *parts = text.split("$(")
    for part in parts:
        inside, end, _ = part.partition(")")
        if end and not before.endswith("$"):
            yield inside
        before = part


def _meant(job: JobMaker, name: str) -> str:
    from difflib import get_close_matches

    macros = job.macros
    own = [macro.name for macro in macros.table]
    spelled = {word.lower(): word for word in (*macros.defaults, "Process", "ProcId", "Cluster", "ClusterId", *own)}
    spelled.update((word, word) for word in macros.items)
    found = get_close_matches(name.lower(), spelled, 1, _ALIKE)
    return spelled[found[0]] if found else ""


def _group(job: JobMaker) -> Iterator[str]:
    groups = {name.lower() for name in job.settings.groups}
    group = job.string("AcctGroup") or ""
    if not groups or not group or group.lower() == (job.settings.nice_user_group or "").lower():
        return
    parts = group.lower().split(".")
    if not any(".".join(parts[:count]) in groups for count in range(1, len(parts) + 1)):
        yield f"accounting_group = {group}: GROUP_NAMES has no such group; the job counts for no group"
