"""Values that condor_submit accepts and that are hardly meant: each gets a warning that names the culprit.

They are looked for once a submit, in its first job: in what the description says, and in the ad that comes of it, which
is all of the job's own as there is no cluster yet.
"""

from __future__ import annotations

import os
from functools import cache

from condor_py.lang.classad.ad import ClassAd
from condor_py.lang.classad.bare import bare_words
from condor_py.lang.classad.errors import ClassAdError
from condor_py.lang.classad.exprtree import parse
from condor_py.lang.classad.nodes import Attr, Call, Node, Paren, children
from condor_py.lang.submit.auto import is_auto
from condor_py.lang.submit.job import JobMaker, is_url, split_list
from condor_py.lang.submit.macros import STEP_VARIABLES
from condor_py.model import attributes
from condor_py.model.record import is_attribute_name
from condor_py.model.spelling import nearest
from condor_py.model.states import OF_SCHEDD, Universe
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

_FILES = (("output", "stdout"), ("error", "stderr"), ("input", "stdin"), ("log", "UserLog"))
_REQUESTS = ("request_cpus", "request_memory", "request_disk", "request_gpus")
_FUNCTIONS = frozenset(("ENV", "INT", "REAL", "STRING", "EVAL", "CHOICE", "SUBSTR", "RANDOM_CHOICE", "RANDOM_INTEGER",
                        "BASENAME", "DIRNAME"))  # fmt: skip


@cache
def _file_function() -> re.Pattern[str]:
    import re

    return re.compile(r"F[a-z]*\Z")


@cache
def _two_old() -> re.Pattern[str]:
    import re

    return re.compile(r"^[A-Za-z_]\w*=[^;]*\s[A-Za-z_]\w*=")


@cache
def _two_new() -> re.Pattern[str]:
    import re

    return re.compile(r'^"[A-Za-z_]\w*=[^\s;\']*;[A-Za-z_]\w*=')


@cache
def _called() -> re.Pattern[str]:
    """Return a pattern for text that looks like a function of macros, or like a variable of a shell."""
    import re

    return re.compile(r"(?<!\$)\$([A-Za-z_]+)\(([^()]*)\)|(?<!\$)\$\{(\w+)\}")


@cache
def _decimal_comma() -> re.Pattern[str]:
    import re

    return re.compile(r"\d+,\d")


#: Expressions in the ad of a job, by attribute, with the command that sets each.
_CONDITIONS = {
    "Requirements": "requirements", "Rank": "rank", "PeriodicHold": "periodic_hold",
    "PeriodicRelease": "periodic_release",
    "PeriodicRemove": "periodic_remove", "PeriodicVacate": "periodic_vacate", "OnExitHold": "on_exit_hold",
    "OnExitRemove": "on_exit_remove", "LeaveJobInQueue": "leave_in_queue", "AllowedJobDuration": "allowed_job_duration",
    "AllowedExecuteDuration": "allowed_execute_duration",
}  # fmt: skip
#: What of the findings about an expression is worth saying, as other ads may define what is not known here.
_KINDS = frozenset(("unknown-function", "contradiction", "types", "bad-pattern", "quoted-name"))
#: Conditions that are constant: attribute, value, what comes of it.
_CONSTANT = (
    ("PeriodicHold", True, "the job is held as soon as it is in the queue"),
    ("PeriodicRemove", True, "the job is removed as soon as it is in the queue"),
    ("OnExitHold", True, "the job is held however it ends"),
    ("OnExitRemove", False, "the job starts again however it ends, and never leaves the queue"),
)
#: Attributes that are numbers, with the command and the least value of each.
_NUMBERS = {
    "RequestCpus": ("request_cpus", 0.001), "RequestMemory": ("request_memory", 0), "RequestDisk": ("request_disk", 0),
    "RequestGPUs": ("request_gpus", 0), "JobMaxRetries": ("max_retries", 0), "DeferralTime": ("deferral_time", 0),
    "DeferralWindow": ("deferral_window", 0), "JobLeaseDuration": ("job_lease_duration", 0),
    "NextJobStartDelay": ("next_job_start_delay", 0), "KeepClaimIdle": ("keep_claim_idle", 0),
    "AllowedJobDuration": ("allowed_job_duration", 0), "AllowedExecuteDuration": ("allowed_execute_duration", 0),
    "JobMaxVacateTime": ("job_max_vacate_time", 0), "GPUsMinMemory": ("gpus_minimum_memory", 0),
    "GPUsMinCapability": ("gpus_minimum_capability", 0), "GPUsMaxCapability": ("gpus_maximum_capability", 0),
}  # fmt: skip
#: Properties of GPUs that require_gpus may name.
_OF_GPUS = frozenset(
    ("capability", "clockmhz", "computeunits", "corespercu", "devicename", "devicepcibusid", "deviceuuid",
    "driverversion",
     "eccenabled", "globalmemorymb", "id", "maxsupportedversion", "devicememorymb", "opencldeviceid", "uuid", "vendor")
)  # fmt: skip
#: Fields of a crontab with the command, the least and the greatest value of each.
_CRON = {
    "CronMinute": ("cron_minute", 0, 59), "CronHour": ("cron_hour", 0, 23),
    "CronDayOfMonth": ("cron_day_of_month", 1, 31), "CronMonth": ("cron_month", 1, 12),
    "CronDayOfWeek": ("cron_day_of_week", 0, 7),
}  # fmt: skip


@cache
def _cron_part() -> re.Pattern[str]:
    import re

    return re.compile(r"(\*|\d+)(?:-(\d+))?(?:/\d+)?\Z")


@cache
def _limit() -> re.Pattern[str]:
    import re

    number = r"(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|0x(?:[\da-f]+\.?[\da-f]*|\.[\da-f]+)(?:p[+-]?\d+)?|inf(?:inity)?"
    return re.compile(rf"[a-z_][\w.]*(?::\+?(?:{number}))?\Z", re.IGNORECASE)


#: Commands whose value is text in which quotation marks, if there are any, stand around all of it.
_TEXTS = ("batch_name", "accounting_group", "accounting_group_user", "description", "notify_user", "container_image",
          "docker_image", "concurrency_limits", "transfer_input_files", "transfer_output_files",
          "transfer_output_remaps", "initialdir", "executable", "input", "output", "error", "log")  # fmt: skip
_TRUTH = ("true", "false", "t", "f", "yes", "no", "y", "n")
#: Seconds for which a time may have passed that a job is to wait for.
_LONG_AGO = 86400
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
    "jar_files": "universe = java",
    "java_": "universe = java",
    "cloud_label_names": "universe = grid and grid_resource = gce",
    **{f"{kind}_": f"universe = grid and grid_resource = {kind}" for kind in ("arc", "azure", "batch", "ec2", "gce")},
}


def partner_of(name: str) -> str:
    """Return what a known command that was not used needs together with it; "" for other names."""
    from condor_py.lang.submit.manual import commands

    if name not in commands():
        return ""
    families = (word for word in _PARTNERS if word.endswith("_") and name.startswith(word))
    return _PARTNERS.get(name) or next((_PARTNERS[word] for word in families), "")


def report_doubtful(job: JobMaker) -> None:
    """Warn of what is accepted and does something else than it seems to say."""
    if not job.looks_at_files or not job.looks_for_doubtful or "doubtful" in job.once:
        return
    job.once.add("doubtful")
    said = [
        text
        for check in (_quoted_files, _quotes, _bare_words, _environment, _getenv, _macros, _group, _job_set)
        for text in check(job)
    ]
    ad = ClassAd.from_text_items(list(job.own.values()))
    of_requests = (_numbers, _custom_requests, _gpus, _limits)
    said += _of_other_universes(job)
    for look in (*of_requests, _conditions, _own_attributes, _booleans, _crontab, _files, _keys, _names):
        said += look(job, ad)
    for text in dict.fromkeys(said):
        job.warn(f"{text}\n")


def _quoted_files(job: JobMaker) -> Iterator[str]:
    for command, alt in _FILES:
        name = job.macros.lookup(command) or job.macros.lookup(alt) or ""
        if len(name) > 1 and name[0] == name[-1] == '"':
            yield f"{command} = {name}: the quotation marks become part of the file's name; leave them out"


def _quotes(job: JobMaker) -> Iterator[str]:
    for command in _TEXTS:
        text = (job.macros.lookup(command) or "").strip()
        if text.count('"') == 1 and (text[0] == '"' or text[-1] == '"'):
            yield f"{command} = {text}: the quotation mark has no partner and becomes part of the value"


def _bare_words(job: JobMaker) -> Iterator[str]:
    def known(name: str) -> bool:
        return attributes.is_known(name) or name.lower() in job.own

    for command in _REQUESTS:
        text = job.macros.expand(job.macros.lookup(command) or "")
        if is_auto(text):
            continue
        if command != "request_cpus" and "," in text and _decimal_comma().match(text):
            yield f"{command} = {text}: what follows the comma is not read; write a decimal point"
        for word in bare_words(text, known):
            yield f"{command} = {text}: no job and no slot has an attribute {word}; a number is expected"
    text = job.macros.expand(job.macros.lookup("requirements") or "")
    for word in bare_words(text, known):
        if text.strip() != word:  # an attribute that a site has defined
            yield f'requirements = {text}: {word} is taken for an attribute; did you mean "{word}"?'


def _environment(job: JobMaker) -> Iterator[str]:
    text = (job.macros.lookup("environment") or job.macros.lookup("env") or "").strip()
    if text.count("=") > 1 and text[:1] != '"' and _two_old().match(text):
        yield f'environment = {text}: this is one variable, with spaces in its value; for several write "A=1 B=2"'
    if text[:1] == '"' and _two_new().match(text):
        yield f"environment = {text}: within quotation marks spaces, not semicolons, separate variables"


def _getenv(job: JobMaker) -> Iterator[str]:
    text = (job.macros.lookup("getenv") or "").strip()
    if text.isidentifier() and text.islower() and text not in ("true", "false") and text not in job.env:
        yield f"getenv = {text}: this is neither True nor False, and the environment has no variable {text}"


def _macros(job: JobMaker) -> Iterator[str]:
    macros = job.macros
    texts = " ".join(macro.value.lower() for macro in macros.table)
    unused = [name for name in macros.items if f"$({name.lower()}" not in texts and name.lower() not in macros.used]
    for macro in macros.table:
        shown = f"{macro.name} = {macro.value}"
        if macro.value.rpartition("$(")[1] and ")" not in macro.value.rpartition("$(")[2]:
            yield f"{shown}: a $( has no closing parenthesis"
        yield from (f"{shown}: {text}" for text in _calls(job, macro.value))
        for name in dict.fromkeys(_references(macro.value)):
            word, parenthesis, _ = name.partition("(")
            if parenthesis and (word in _FUNCTIONS or _file_function().match(word)):
                yield f"{shown}: $({word}(...)) is no function; write ${word}(...)"
            elif name.isidentifier() and macros.lookup(name) is None and name.lower() not in STEP_VARIABLES:
                meant = _meant(job, name) or ("" if len(unused) != 1 else unused[0])
                if meant:
                    yield f"{shown}: $({name}) is not defined and stays empty; did you mean $({meant})?"


def _calls(job: JobMaker, text: str) -> Iterator[str]:
    """Functions that do not exist, variables of a shell, and variables that the environment lacks."""
    for match in _called().finditer(text) if "$" in text else ():
        name, argument, braced = match.groups()
        if braced is not None:
            if job.macros.lookup(braced) is not None:
                yield f"{match[0]} stays unchanged; did you mean $({braced})?"
        elif name == "ENV":
            variable, default, _ = argument.strip().partition(":")
            if variable and not default and variable not in job.env:
                yield f"the environment has no variable {variable}; write $ENV({variable}:DEFAULT) for one of your own"
        elif name.isupper() and name not in _FUNCTIONS and name != "F":
            yield f"there is no function ${name}(), and {match[0]} stays unchanged"


def _references(text: str) -> Iterator[str]:
    """Yield the texts inside ``$(...)``, up to the first closing parenthesis; ``$$(...)`` is for the slot."""
    before, *parts = text.split("$(")
    for part in parts:
        inside, end, _ = part.partition(")")
        if end and not before.endswith("$"):
            yield inside
        before = part


def _meant(job: JobMaker, name: str) -> str:
    macros = job.macros
    own = [macro.name for macro in macros.table]
    spelled = (*macros.defaults, "Process", "ProcId", "Cluster", "ClusterId", *own, *macros.items)
    return nearest(name, spelled, _ALIKE)


def _group(job: JobMaker) -> Iterator[str]:
    groups = {name.lower() for name in job.settings.groups}
    group = job.string("AcctGroup") or ""
    if not groups or not group or group.lower() == (job.settings.nice_user_group or "").lower():
        return
    parts = group.lower().split(".")
    if not any(".".join(parts[:count]) in groups for count in range(1, len(parts) + 1)):
        yield f"accounting_group = {group}: GROUP_NAMES has no such group; the job counts for no group"


def _job_set(job: JobMaker) -> Iterator[str]:
    if job.has("JobSetName") and not job.settings.use_jobsets:
        yield "JobSetName: this pool has no job sets (USE_JOBSETS is false); the jobs have the name all the same"
    for macro in job.macros.table:
        name = macro.name.lower()
        if name.startswith("jobset.") and name not in ("jobset.name", "jobset.jobsetname"):
            yield f"{macro.name}: it does nothing here: the ad of a job set has its name and counts of its jobs alone"


def _numbers(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    for name, (command, least) in _NUMBERS.items():
        text = job.lookup(name)
        if text is None or (text.isdecimal() and name != "RequestCpus" and name != "DeferralTime"):
            continue
        if command in _REQUESTS and job.macros.lookup(command) is None:
            continue
        if (word := _unknown_word(text, ad)) and command not in _REQUESTS:
            yield f"{command} = {word}: {word} is no number, and no ad has an attribute of this name"
        value = ad.eval_text(text)
        if type(value) in (int, float) and value < least:
            given = job.macros.expand(job.macros.lookup(command) or text)
            yield (
                f"{command} = {given}: it cannot be less than 0"
                if least != _NUMBERS["RequestCpus"][1]
                else (f"{command} = {given}: a job needs more than 0")
            )
        elif name == "DeferralTime" and type(value) is int and 0 <= value < job.now - _LONG_AGO:
            yield f"{command} = {text}: this time, in seconds since 1970, is past; the job misses it"


def _unknown_word(text: str, ad: ClassAd) -> str:
    """The name that is all of ``text`` and an attribute of no ad; "" for anything else."""
    try:
        node = parse(text).node
    except ClassAdError:
        return ""
    while isinstance(node, Paren):
        node = node.inner
    if not isinstance(node, Attr) or node.scope is not None:
        return ""
    return "" if attributes.is_known(node.name) or ad.has(node.name) else node.name


def _taken_for_name(word: str) -> str:
    return f'{word} is the name of an attribute that no ad has: a string has quotation marks, "{word}"'


def _conditions(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    def known(name: str) -> bool:
        return attributes.is_known(name) or ad.has(name)

    for name, command in _CONDITIONS.items():
        text = job.lookup(name)
        if text is None or (own := job.macros.lookup(command) or job.macros.lookup(name)) is None:
            continue
        from condor_py.lang.classad.analyze import analyze

        for word in bare_words(text, known):
            if command != "requirements" or own.strip() == word:
                yield f"{command}: {_taken_for_name(word)}"
        for remark in analyze(text, purpose="match", owner="job", ad=ad):
            like = _like().search(remark.hint)
            if remark.kind in _KINDS or (remark.kind == "unknown-attribute" and like):
                yield f"{command}: {remark.message}; {remark.hint}"
        yield from (f"{command}: {said}" for said in _few_arguments(parse(text).node))
    for name, value, consequence in _CONSTANT:
        if name == "OnExitRemove" and any(job.has(field) for field in _CRON):
            continue  # how a job runs again and again
        if (job.macros.lookup(_CONDITIONS[name]) or "").strip().lower() == str(value).lower():
            yield f"{_CONDITIONS[name]} = {value}: {consequence}"
    if (job.macros.lookup("rank") or "").strip()[:1] == '"' and isinstance(
        ad.eval_text(job.lookup("Rank") or "0"), str
    ):
        yield f"rank = {job.macros.lookup('rank')}: a string is no number, and ranks every slot alike"
    if (job.macros.lookup("requirements") or "").strip(" ()\t").lower() == "false":
        yield "requirements: they begin with False, no machine will do"


@cache
def _like() -> re.Pattern[str]:
    import re

    return re.compile(r"did you mean (\w+)\?")


#: Functions that need two arguments at least.
_OF_TWO = frozenset(("regexp", "regexps", "stringlistmember", "stringlistimember", "member", "strcmp", "stricmp",
                     "versiongt", "versionge", "versionlt", "versionle", "ifthenelse", "substr", "pow"))  # fmt: skip


def _few_arguments(node: Node) -> Iterator[str]:
    if isinstance(node, Call) and node.name.lower() in _OF_TWO and len(node.args) < 2:
        yield f"{node.name}() needs more than {len(node.args)} argument(s), and is an error so"
    for child in children(node):
        yield from _few_arguments(child)


#: Commands that HTCondor puts into every job, and that mean nothing outside of containers.
_OF_CONTAINERS = ("docker_network_type", "docker_pull_policy", "docker_override_entrypoint", "docker_send_credentials",
                  "container_target_dir", "transfer_container", "container_is_common", "mount_under_scratch",
                  "container_service_names")  # fmt: skip
#: Those of them that need docker or podman; an image in a file or a directory runs in apptainer.
_OF_DOCKER = ("docker_network_type", "docker_pull_policy", "docker_send_credentials", "container_service_names")
#: Networks that a job has or has not in apptainer, too.
_NETWORKS = ("none", "host")
#: What docker_pull_policy knows: the second is what happens anyway.
_POLICIES = ("always", "missing")
_OF_JAVA = ("jar_files", "java_vm_args", "java_vm_arguments")
_OF_TRANSFER = ("transfer_input_files", "transfer_output_files", "transfer_output_remaps", "output_destination",
                "output_directory", "transfer_checkpoint_files")  # fmt: skip
_OF_GRID = (("transfer_input", "In"), ("transfer_output", "Out"), ("transfer_error", "Err"))


def _of_other_universes(job: JobMaker) -> Iterator[str]:
    """Commands of other kinds of jobs, which this one carries for nothing."""
    if not (job.is_container or job.is_docker):
        for command in _OF_CONTAINERS:
            if (value := job.macros.lookup(command)) is not None:
                yield f"{command} = {value}: it does nothing without a container_image or a docker_image"
    else:
        yield from _of_other_engines(job)
    if job.universe != Universe.JAVA:
        for command in _OF_JAVA:
            if (value := job.macros.lookup(command)) is not None:
                yield f"{command} = {value}: it does nothing without universe = java"
    if job.universe in OF_SCHEDD:
        for command in _OF_TRANSFER:
            if (value := job.macros.lookup(command)) and not (job.is_remote and command == "transfer_input_files"):
                yield f"{command} = {value}: it does nothing here: such a job runs in initialdir"
    if job.universe != Universe.GRID:
        for command, stream in _OF_GRID:
            stays = job.string(stream) != os.devnull and not job.boolean(f"Transfer{stream}", True)
            if stays and (value := job.macros.lookup(command)) is not None:
                yield f"{command} = {value}: it does nothing without universe = grid"
    if job.boolean("WantCheckpointSignal", False):
        yield "WantCheckpointSignal: no machine here sends signals for checkpoints; checkpoint_exit_code needs none"


def _of_other_engines(job: JobMaker) -> Iterator[str]:
    """Commands that the program that makes the container does not know, and those that mean nothing for its image."""
    image = job.string("ContainerImage") or ""
    if image.startswith("docker:") and not image.startswith("docker://"):
        yield f"container_image = {image}: the image of a repository is docker://NAME"
    name = job.string("DockerImage") or (image.removeprefix("docker://") if image.startswith("docker://") else "")
    if name.startswith("-") or len(name.split()) > 1:
        yield f"{name}: this is no name of an image, and the job will be held"
    policy = job.string("DockerPullPolicy") or ""
    if policy and "$$" not in policy and policy.lower() not in _POLICIES:
        yield f"docker_pull_policy = {policy}: this is not always, and does nothing"
    in_apptainer = job.boolean("WantSIF", False) or job.boolean("WantSandboxImage", False)
    for command in _OF_DOCKER if in_apptainer else ():
        value = job.macros.lookup(command)
        if value is not None and not (command == "docker_network_type" and value in _NETWORKS):
            yield f"{command} = {value}: it does nothing: apptainer runs this image, not docker or podman"
    for place in split_list(job.string("MountUnderScratch") or ""):
        if "$$" not in place and (not place.startswith("/") or ":" in place):
            yield f"mount_under_scratch: {place} is not the full path of a directory that a container can have"
    target = job.macros.lookup("container_target_dir")
    if job.is_docker and target is not None:
        yield f"container_target_dir = {target}: it does nothing in the docker universe"
    elif target and "$$" not in target and not target.strip('"').startswith("/"):
        yield f"container_target_dir = {target}: this is not the full path of a directory"
    if not job.string("ContainerImageFullPath") and job.boolean("ContainerIsCommon", False):
        yield "container_is_common: it does nothing: this image is not transferred"


def _own_attributes(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    """Attributes that the description sets (+NAME, MY.NAME, bare words for truth values) and that are only a word."""
    handled = {name.lower() for name in (*_NUMBERS, *_CONDITIONS, *_CRON)}
    for key, (name, text) in job.own.items():
        if key not in handled and text.isidentifier() and (word := _unknown_word(text, ad)):
            yield f"{name} = {word}: {_taken_for_name(word)}"


def _booleans(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    """Commands that are true or false and say another word."""
    words = {macro.name.lower(): macro for macro in job.macros.table if macro.value.isidentifier()}
    odd = {name: macro for name, macro in words.items() if macro.value.lower() not in _TRUTH}
    if not odd:
        return
    from condor_py.lang.submit.manual import entries

    for entry in entries():
        if entry.value == "BOOL" and (macro := odd.get(entry.command.lower())) and _unknown_word(macro.value, ad):
            yield f"{macro.name} = {macro.value}: this is neither True nor False"


def _custom_requests(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    """Resources of one's own whose names begin as those do that every slot has."""
    for macro in job.macros.table:
        name = macro.name.lower()
        if not name.startswith("request_") or name in _REQUESTS:
            continue
        like = next((one for one in _REQUESTS if len(name) > len("request_") + 1 and one.startswith(name)), "")
        if like:
            yield f"{macro.name} = {macro.value}: this asks for a resource {macro.name[8:]}; did you mean {like}?"


def _gpus(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    text = job.lookup("RequireGPUs")
    if text is None:
        return
    for node in _attributes(parse(text).node):
        if node.scope is None and node.name.lower() not in _OF_GPUS:
            like = nearest(node.name, sorted(_OF_GPUS), _ALIKE)
            if like:
                yield f"require_gpus: no GPU has a property {node.name}; did you mean {like}?"


def _attributes(node: Node) -> Iterator[Attr]:
    if isinstance(node, Attr):
        yield node
    for child in children(node):
        yield from _attributes(child)


def _crontab(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    for name, (command, low, high) in _CRON.items():
        text = job.lookup(name)
        if text is None:
            continue
        value = ad.eval_text(text)
        for part in str(value).replace(" ", "").split(",") if isinstance(value, (str, int)) else (text,):
            match = _cron_part().match(part)
            numbers = [as_integer(one) for one in match.groups() if one and one != "*"] if match else []
            if match is None or not all(low <= number <= high for number in numbers):
                yield f"{command} = {part}: this is not a number from {low} to {high}, a range or *"


def _limits(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    limits = job.string("ConcurrencyLimits")
    for item in limits.split(",") if limits else ():
        if not _limit().match(item.strip()):
            yield f"concurrency_limits: {item.strip()!r} is not NAME or NAME:NUMBER"


def _files(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    """Files and directories that are not there; those of jobs whose files come later are not known yet."""
    iwd = _settled(job, "Iwd")
    if not iwd or job.is_remote:
        return
    if not os.path.isdir(iwd):
        yield f"initialdir = {iwd}: there is no such directory"
        return
    yield from _streams(job, iwd)
    yield from _inputs(job, iwd)
    yield from _program(job, iwd)
    yield from _remaps(job)


def _settled(job: JobMaker, name: str) -> str:
    """Return the string of an attribute, "" where the slot of the job takes part in it ($$)."""
    value = job.string(name) or ""
    return "" if "$$" in value else value


def _streams(job: JobMaker, iwd: str) -> Iterator[str]:
    for command, name in (("log", "UserLog"), ("output", "Out"), ("error", "Err")):
        value = _settled(job, name)
        if not value or is_url(value) or job.boolean("OutputDirectory", False):
            continue
        path = os.path.join(iwd, value)
        directory = os.path.dirname(path)
        if not os.path.isdir(directory):
            if name == "UserLog" or not _is_made(job, name, directory, iwd):
                yield f"{command} = {value}: there is no directory {directory}"
        elif os.path.isdir(path):
            yield f"{command} = {value}: this is a directory"


def _inputs(job: JobMaker, iwd: str) -> Iterator[str]:
    standard, others = _settled(job, "In"), _settled(job, "TransferInput").split(",")
    is_elsewhere = job.universe == Universe.GRID and not job.boolean("TransferIn", True)
    inputs = [] if is_elsewhere else [("input", standard)]
    for command, name in (*inputs, *(("transfer_input_files", other) for other in others)):
        path = name.strip()
        if is_url(path) and (like := _like_method(path.partition("://")[0].lower())):
            yield f"{command}: {path}: did you mean {like}://?"
        if path and not is_url(path) and not os.path.lexists(os.path.join(iwd, path)):
            hint = "; a shell's ~ means nothing here" if path.startswith("~") else ""
            yield f"{command}: there is no file {path}{hint}"
    if standard and os.path.isdir(os.path.join(iwd, standard)):
        yield f"input = {standard}: this is a directory"


def _remaps(job: JobMaker) -> Iterator[str]:
    for item in _settled(job, "TransferOutputRemaps").replace("\\;", "").replace("\\=", "").split(";"):
        if item.strip() and "=" not in item:
            yield f"transfer_output_remaps: {item.strip()!r} is not NAME = NEWNAME"
        elif item.count("=") > 1 and "," in item:
            yield f"transfer_output_remaps: {item.strip()!r}: semicolons, not commas, separate names"


def _is_made(job: JobMaker, stream: str, directory: str, iwd: str) -> bool:
    """Whether file transfer makes the missing directory of a stream: below initialdir, where no file is in the way."""
    if (job.string("ShouldTransferFiles") or "").upper() != "YES" or job.boolean(f"Stream{stream}", False):
        return False
    above = os.path.normpath(directory)
    while not os.path.lexists(above):
        above = os.path.dirname(above)
    return os.path.isdir(above) and os.path.join(above, "").startswith(os.path.join(os.path.normpath(iwd), ""))


def _keys(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    """Files with keys of S3, which are looked for when a file is transferred."""
    if job.universe == Universe.GRID:
        return
    for command, attribute in (
        ("aws_access_key_id_file", "EC2AccessKeyId"),
        ("aws_secret_access_key_file", "EC2SecretAccessKey"),
    ):
        name = job.string(attribute) or ""
        if not name or "$$" in name:
            continue
        if job.is_remote and not os.path.isabs(name):
            yield f"{command} = {name}: a spooled job finds this file only by its full path"
        elif not os.access(os.path.join(job.string("Iwd") or "", name), os.R_OK):
            yield f"{command} = {name}: there is no such file, or it cannot be read"


#: How URLs begin that are usual.
_METHODS = (
    "http", "https", "dav", "davs", "ftp", "file", "data", "osdf", "pelican", "stash", "s3", "gs", "box", "gdrive",
    "onedrive",
)  # fmt: skip


def _like_method(word: str) -> str:
    """Return the usual method of URLs that a misspelled one means; "" for one that is usual, or like none."""
    return "" if word in _METHODS else nearest(word, _METHODS, _ALIKE)


def _names(job: JobMaker, ad: ClassAd) -> Iterator[str]:
    """Lists of attributes in which something is no name."""
    for command, attribute in (("email_attributes", "EmailAttributes"), ("job_machine_attrs", "JobMachineAttrs")):
        for word in split_list(ad.eval_str(attribute, "") or ""):
            if not is_attribute_name(word):
                yield f"{command}: {word} is not the name of an attribute"


def _program(job: JobMaker, iwd: str) -> Iterator[str]:
    """A program that is a directory, or a script whose interpreter is not there."""
    path = os.path.join(iwd, job.string("Cmd") or "")
    if os.path.isdir(path) and job.string("Cmd"):
        yield f"executable = {job.string('Cmd')}: this is a directory, no program"
    if not os.path.isfile(path) or job.is_container or job.is_docker:
        return
    try:
        with open(path, "rb") as file:
            head = file.readline(256)
    except OSError:
        return
    words = head[2:].decode("utf-8", "replace").split() if head.startswith(b"#!") else []
    if words and words[0].startswith("/") and not os.path.exists(words[0]):
        yield f"executable = {job.string('Cmd')}: its interpreter {words[0]} is not there"
