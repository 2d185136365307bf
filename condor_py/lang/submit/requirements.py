"""Requirements: the user's expression and the clauses that HTCondor adds to it."""

from __future__ import annotations

from functools import cache

from condor_py.lang.submit import text as classad_text
from condor_py.lang.submit.job import JobMaker, is_url, split_list
from condor_py.lang.submit.policy import needs_deferral
from condor_py.lang.submit.program import image_kind
from condor_py.lang.submit.transfer import input_urls
from condor_py.model.states import ON_CLAIMS, Universe
from condor_py.model.texts import as_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re

#: Names without scope that mean the job's own attribute inside Requirements.
_OWN = frozenset(("requestmemory", "vm_ckptmac", "requirements"))
_OPSYS = frozenset(("opsys", "opsysandver", "opsyslongname", "opsysshortname", "opsysname", "opsyslegacy"))
_DOMAIN = "(TARGET.FileSystemDomain == MY.FileSystemDomain)"
_DEFERRAL = (
    "(((time() + ScheddInterval) >= (DeferralTime - DeferralPrepTime)) && (time() < (DeferralTime + DeferralWindow)))"
)


class _Clauses:
    """The expression as it grows, and the machine attributes that the user's part already reads."""

    def __init__(self, text: str, machine: frozenset[str]) -> None:
        self.text = text
        self.machine = machine

    def add(self, clause: str) -> None:
        """Append ``&& clause``."""
        self.text += f" && {clause}" if self.text else clause

    def checks(self, *names: str) -> bool:
        """True when the user's expression reads one of these machine attributes (lower case)."""
        return not self.machine.isdisjoint(names)


def set_requirements(job: JobMaker) -> None:
    """Requirements with its appended clauses."""
    given = job.param("requirements")
    if job.param("MY.Requirements") is not None:
        if given is not None:
            job.warn(
                "Use of MY.Requirements or +Requirements  overrides requirements. "
                "You should remove one of these statements from your submit file.\n",
                once="+requirements",
            )
        return
    text = f"({given})" if given is not None else ""
    settings = job.settings
    own = {Universe.VANILLA: settings.append_req_vanilla, Universe.VM: settings.append_req_vm}
    addition = own.get(job.universe, "") or settings.append_requirements
    if addition:
        text = f"{text} && ({addition})" if text else f"({addition})"
    if job.universe == Universe.GRID and (job.grid_type != "condor" or not job.settings.condor_c_requirements):
        job.assign_expr("Requirements", text or "TRUE")
        return
    clauses = _Clauses(text, _machine_references(job, text))
    _platform(job, clauses)
    _disk(job, clauses)
    _memory(job, clauses)
    if job.universe != Universe.GRID and not clauses.checks("cpus") and _asks_for(job, "RequestCpus", 1.0):
        clauses.add("(TARGET.Cpus >= RequestCpus)")
    _custom(job, clauses)
    if job.has("ToolDaemonCmd") and not clauses.checks("hastdp"):
        clauses.add("TARGET.HasTDP")
    if job.boolean("EncryptExecuteDirectory", False) and not clauses.checks("encryptexecutedirectory"):
        clauses.add("TARGET.HasEncryptExecuteDirectory")
    if job.universe in ON_CLAIMS:
        _transfer(job, clauses)
    _deferral(job, clauses)
    if job.boolean("WantFTOnCheckpoint", False) and not clauses.checks("hasselfcheckpointtransfers"):
        clauses.add("TARGET.HasSelfCheckpointTransfers")
    _cuda(job, clauses)
    if job.boolean("OCUWanted", False):
        clauses.add("TARGET.OCU =?= true")
    job.assign_expr("Requirements", clauses.text)


def _machine_references(job: JobMaker, text: str) -> frozenset[str]:
    if not text:
        return frozenset()
    found = classad_text.split_references(text, _OWN)
    if found is None:
        job.warn(f"Could not get attribute references from Requirements: {text}\n")
        return frozenset()
    own, machine = found
    if "requirements" in own or "requirements" in machine:
        raise job.fail(f"Requirements = {text}\nIs Circular. Did you intend to use $(Requirements) ?\n")
    return machine


def _platform(job: JobMaker, clauses: _Clauses) -> None:
    if job.universe == Universe.JAVA:
        clauses.add("TARGET.HasJava")
        return
    if not clauses.checks("arch"):
        clauses.add(f'(TARGET.Arch == "{job.settings.arch}")')
    if job.universe == Universe.VM:
        from condor_py.lang.submit import vm  # few jobs are machines

        for clause in vm.platform_clauses(job, clauses.machine):
            clauses.add(clause)
    elif job.is_docker:
        clauses.add("TARGET.HasDocker")
        network = job.string("DockerNetworkType")
        if network and network not in ("host", "none", "nat"):
            clauses.add("StringListMember(My.DockerNetworkType, TARGET.DockerNetworks)")
    elif job.is_container:
        _container(job, clauses)
    elif clauses.machine.isdisjoint(_OPSYS):
        clauses.add(f'(TARGET.OpSys == "{job.settings.opsys}")')


def _container(job: JobMaker, clauses: _Clauses) -> None:
    clauses.add("TARGET.HasContainer")
    if job.has("DockerImage"):
        clauses.add("TARGET.HasDockerURL")
        return
    image = job.string("ContainerImage")
    if image is not None:
        wanted = {"docker": "HasDockerURL", "sif": "HasSIF", "sandbox": "HasSandboxImage"}[image_kind(image)]
        clauses.add(f"TARGET.{wanted}")


def _asks_for(job: JobMaker, attribute: str, more_than: float) -> bool:
    text = job.lookup(attribute)
    if text is None:
        return False
    value = classad_text.literal(text)
    return not isinstance(value, (int, float)) or value > more_than


def _disk(job: JobMaker, clauses: _Clauses) -> None:
    if not clauses.checks("disk"):
        if not job.has("RequestDisk"):
            clauses.add(f"(TARGET.{'TotalDisk' if job.universe == Universe.VM else 'Disk'} >= DiskUsage)")
        elif _asks_for(job, "RequestDisk", 0.0):
            plain = job.universe != Universe.VANILLA or job.settings.legacy_disk_clause
            clauses.add(
                "(TARGET.Disk >= RequestDisk)"
                if plain
                else '(versionGE(split(TARGET.CondorVersion)[1], "25.12.0") || (TARGET.Disk >= RequestDisk))'
            )
        return
    if job.universe == Universe.VM:
        return
    if job.has("RequestDisk"):
        clauses.add("(TARGET.Disk >= RequestDisk)")
    _obsolete(job, "Your", "Disk", "request_disk")


def _memory(job: JobMaker, clauses: _Clauses) -> None:
    if job.universe == Universe.VM:
        from condor_py.lang.submit import vm

        for clause in vm.size_clauses(job, clauses.machine):
            clauses.add(clause)
        return
    if _asks_for(job, "RequestMemory", 1.0):
        clauses.add("(TARGET.Memory >= RequestMemory)")
    if clauses.checks("memory"):
        _obsolete(job, "your", "Memory", "request_memory")


def _obsolete(job: JobMaker, your: str, attribute: str, command: str) -> None:
    if job.settings.deprecation_warnings:
        job.warn(
            f"{your} Requirements expression refers to TARGET.{attribute}. This is obsolete. "
            f"Set {command} and condor_submit will modify the Requirements expression as needed.\n",
            once=command,
        )


def _custom(job: JobMaker, clauses: _Clauses) -> None:
    for name in custom_attributes(job):
        tag = name[len("Request") :]
        if clauses.checks(tag.lower()):
            continue
        value = classad_text.literal(job.lookup(name) or "")
        if value is None:
            value = classad_text.evaluate(job.lookup(name) or "")
        if isinstance(value, bool):
            continue
        if isinstance(value, str):
            if value:
                clauses.add(f"regexp({name}, TARGET.{tag})")
        elif not isinstance(value, (int, float)) or value > 0:
            if job.has("Require" + tag):
                clauses.add(f"(countMatches(MY.Require{tag},TARGET.Available{tag}) >= {name})")
            else:
                clauses.add(f"(TARGET.{tag} >= {name})")


def custom_attributes(job: JobMaker) -> list[str]:
    """The Request<tag> attributes of the job that have no clause of their own, sorted without case."""
    found: dict[str, str] = {}
    for attributes in (job.cluster, job.own):
        for key, (name, _) in attributes.items():
            if key.startswith("request") and len(key) >= 9 and key[7] != "_":
                found[key] = name
    for known in ("requestcpus", "requestdisk", "requestmemory"):
        found.pop(known, None)
    if not job.settings.custom_resource_requirements:
        found = {key: name for key, name in found.items() if key == "requestgpus"}
    return [found[key] for key in sorted(found)]


def _transfer(job: JobMaker, clauses: _Clauses) -> None:
    should = job.string("ShouldTransferFiles") or "IF_NEEDED"
    if should == "NO":
        if not clauses.checks("filesystemdomain"):
            clauses.add(_DOMAIN)
        return
    if clauses.checks("hasfiletransfer", "hasjobtransferplugins"):
        return
    test = "TARGET.HasJobTransferPlugins" if job.string("TransferPlugins") else "TARGET.HasFileTransfer"
    if not clauses.checks("hasperfileencryption") and any(
        job.has(f"{dont}Encrypt{way}Files") for dont in ("", "Dont") for way in ("Input", "Output")
    ):
        test += " && TARGET.HasPerFileEncryption"
    if (
        job.string("TransferCheckpoint") is not None
        or job.boolean("PreserveRelativePaths", False)
        or job.string("WhenToTransferOutput") == "ON_SUCCESS"
    ):
        test += ' && versioncmp( split(TARGET.CondorVersion)[1], "8.9.7" ) >= 0'
    if job.boolean("RequireCommonFilesTransfer", False):
        test += " && TARGET.HasCommonFilesTransfer >= 2"
    methods = _plugin_methods(job)
    if not clauses.checks("hasfiletransferpluginmethods"):
        for method in methods:
            test += f' && stringListIMember("{method}",TARGET.HasFileTransferPluginMethods)'
            _check_signing(job, method)
    if methods:
        job.assign_string("WantTransferPluginMethods", ",".join(methods))
    if should == "IF_NEEDED" and not clauses.checks("filesystemdomain"):
        clauses.add(f"({_DOMAIN} || ({test}))")
    else:
        clauses.add(f"({test})")


def _plugin_methods(job: JobMaker) -> list[str]:
    """The URL schemes that transfers of the job use and its own plugins do not serve, sorted."""
    own: set[str] = set()
    for plugin in (job.string("TransferPlugins") or "").split(";"):
        names, equals, _ = plugin.partition("=")
        if equals:
            own.update(name.lower() for name in split_list(names))
    urls = input_urls(job)
    destination = job.string("OutputDestination")
    if destination is not None:
        if is_url(destination):
            urls.append(destination)
        else:
            job.warn(
                "output_destination must be a URL, did you mean output_directory ?\n",
                once="output_destination",
            )
    for remap in (job.string("TransferOutputRemaps") or "").split(";"):
        target = remap.partition("=")[2].strip()
        if is_url(target):
            urls.append(target)
    methods: dict[str, str] = {}
    for url in urls:
        method = url.partition("://")[0].replace("+", ".").replace("-", ".").rpartition(".")[2]
        if method.lower() not in own:
            methods.setdefault(method.lower(), method)
    return [methods[key] for key in sorted(methods)]


def _check_signing(job: JobMaker, method: str) -> None:
    if not job.settings.sign_s3_urls or method.lower() not in ("s3", "gs"):
        return
    missing = [
        (attribute, f"[s3|gs]:// {word} require [s3|aws|gs]_{command} to be set.\n")
        for attribute, word, command in (
            ("EC2AccessKeyId", "URLs", "access_key_id_file"),
            ("EC2SecretAccessKey", "URLS", "secret_access_key_file"),
        )
        if not job.has(attribute)
    ]
    if missing:
        job.messages.items.extend((True, text) for _, text in missing[:-1])
        raise job.fail(missing[-1][1])


def _deferral(job: JobMaker, clauses: _Clauses) -> None:
    if not needs_deferral(job):
        return
    if job.universe != Universe.LOCAL:
        clauses.add("TARGET.HasJobDeferral")
    if not job.has("ScheddInterval"):
        job.assign_expr("ScheddInterval", job.settings.schedd_interval or "300")
    clauses.add(_DEFERRAL)


@cache
def _cuda_pattern() -> re.Pattern[str]:
    import re

    return re.compile(r"(\d+)(?:\.(\d+))?\Z")


#: Far beyond all major versions.
_LAST_CUDA = 1_000_000


def _cuda(job: JobMaker, clauses: _Clauses) -> None:
    # The command, because the attribute already is a number when a later job of the cluster comes here.
    version = job.param("cuda_version", "CUDAVersion") or job.string("CUDAVersion")
    if version is None:
        return
    match = _cuda_pattern().match(version)
    if match is None:
        raise job.fail("cuda_version must be of the form 'x' or 'x.y', where x and y are positive integers.\n")
    major = min(as_integer(match[1]), _LAST_CUDA)
    if match[2] is not None:
        number = major * 1000 + as_integer(match[2]) % 100
    else:
        number = major if major >= 1000 else major * 1000
    job.assign_int("CUDAVersion", number)
    clauses.add("CUDAVersion <= TARGET.CUDAMaxSupportedVersion")
