"""Every file, function, command and knob that the guides name exists, and their links lead somewhere."""

from __future__ import annotations

import ast
import importlib.util
import re
from pathlib import Path

import pytest

from condor_py.cli.entry import PROGRAMS
from condor_py.lang.config import load
from condor_py.lang.config.lint import lint
from condor_py.lang.config.table import family, knob
from condor_py.lang.config.templates import TEMPLATES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "condor_py"
GUIDES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "condor_py/ARCHITECTURE.md",
    "docs/admin-guide.md",
    "docs/developer-guide.md",
    "docs/differences.md",
    "docs/tour.md",
    "docs/user-guide.md",
    "tests/bench/README.md",
)
#: Words in capitals that are no knobs: variables of the environment, values, names of templates and of columns.
NO_KNOBS = {
    "TYPE_CHECKING",
    "BATCH_SYSTEMS", "SCHED_BATCH", "SGE_ROOT", "SLURM_CONF",
    "COMMON_FILES", "CONDOR_CONFIG", "CONFIG_ROOT", "CONDOR_PY_CLIENTS", "CONDOR_PY_REAL_HTCONDOR",
    "CONDOR_PY_HOSTILE", "CONDOR_PY_TEST_DOCKER", "CONDOR_PY_WALKS", "INVALIDATE_STARTD_ADS", "JOB_CLEANUP",
    "UPDATE_JOB_INFO", "X509_CERT_DIR",
    "CUDA_VISIBLE_DEVICES", "CURL_IGNORE_HTTP_PROXY", "CURL_MAX_RETRY_ATTEMPTS", "EVENT_NAMES", "JOB_TERMINATED",
    "DAG_ExitCode", "DAG_FailedNodes", "DAG_NodesQueued",
    "MAX_JOBS_PER_OWNR", "OMP_NUM_THREADS", "ON_EXIT", "ON_EXIT_OR_EVICT", "PRE_SKIP", "SO_PEERCRED",
    "VMGAHP_ERR_VM_INVALID_SUSPEND_FILE", "VMPARAM_Initrd", "VMPARAM_Kernel", "VMPARAM_Kernel_Params", "VM_AvailNum",
    "VM_MACAddr", "VM_Networking_Types", "VM_Type", "VM_Memory",
    *(name for _, templates in TEMPLATES.values() for name in templates),
}  # fmt: skip


def text_of(guide: str) -> str:
    return (ROOT / guide).read_text(encoding="utf-8")


def place(name: str) -> Path | None:
    """The file or directory that a guide calls ``name``: below the package, or in the repository."""
    if "/" not in name and (found := sorted(PACKAGE.rglob(name))):
        return found[0]
    return next((base / name for base in (PACKAGE, ROOT) if (base / name).exists()), None)


def names_in(path: Path) -> set[str]:
    """The functions, classes, methods (``Class.method``) and tables of a module."""
    found: set[str] = set()
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            found.add(node.name)
        if isinstance(node, ast.ClassDef):
            found.update(f"{node.name}.{part.name}" for part in node.body if isinstance(part, ast.FunctionDef))
        if isinstance(node, ast.Assign):
            found.update(target.id for target in node.targets if isinstance(target, ast.Name))
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            found.add(node.target.id)
    return found


@pytest.mark.parametrize("guide", GUIDES)
def test_files_and_functions_exist(guide: str) -> None:
    text = text_of(guide)
    missing = []
    for name, part in re.findall(r"`([\w./-]+\.(?:py|c|h|tsv|sh|toml|md))(?:::([\w.]+))?`", text):
        path = place(name)
        if path is None:
            missing.append(name)
        elif part and part not in names_in(path):
            missing.append(f"{name}::{part}")
    for name in re.findall(r"`((?:tests|etc|docs|man|bin|completions)/[\w./-]*)", text):
        if place(name) is None:
            missing.append(name)
    assert not missing, guide


def headings(path: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    lines = re.findall(r"^#+ (.*)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("guide", GUIDES)
def test_links_lead_somewhere(guide: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", text_of(guide)):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / guide).parent / name if name else ROOT / guide
        assert path.exists(), target
        assert not anchor or anchor in headings(path), target


@pytest.mark.parametrize("guide", [name for name in GUIDES if name != "docs/differences.md"])
def test_commands_exist(guide: str) -> None:
    #: HTCondor's programs and files of which the guides say that they are not ours.
    theirs = {"condor_py", "condor_dagman", "condor_config", "condor_submit_description", "condor_starter"}
    daemons = {"condor_schedd", "condor_startd", "condor_negotiator"}
    named = set(re.findall(r"(?<![\w/.-])(condor_\w+|classad_eval)\b(?![/.(=\[{])", text_of(guide)))
    assert named - theirs - daemons <= set(PROGRAMS), guide


def test_the_user_guide_names_every_command() -> None:
    chapter = text_of("docs/user-guide.md").partition("## All commands")[2]
    assert set(PROGRAMS) - set(re.findall(r"`([a-z_]+)", chapter)) == set()


@pytest.mark.parametrize("guide", GUIDES)
def test_knobs_exist(guide: str) -> None:
    text = re.sub(r"```console\n.*?```", "", text_of(guide), flags=re.DOTALL)
    text = re.sub(r"::\w+", "", text)  # parts of modules, which test_files_and_functions_exist looks for
    words = set(re.findall(r"(?<![\w$/.<-])[A-Z][A-Z0-9]*(?:_[A-Za-z0-9]+)+(?![\w<*])", text))
    unknown = [word for word in words - NO_KNOBS if not knob(word) and not family(word) and not word.endswith("_")]
    assert sorted(unknown) == [], guide


def test_lint_finds_nothing_in_the_settings_of_the_administrator_guide(tmp_path: Path) -> None:
    text = text_of("docs/admin-guide.md")
    lines = re.findall(r"^    (\w+ *= .*|use \w+ : .*)$", text, re.MULTILINE)
    lines += [one.replace("\\|", "|") for one in re.findall(r"\| `(\w+ = [^`]+|use \w+ : [^`]+)`", text)]
    lines = [line for line in lines if not line.startswith("accounting_group")]
    assert len(lines) > 10
    path = tmp_path / "condor_config"
    path.write_text("\n".join(lines) + "\n")
    findings = lint(load({"CONDOR_CONFIG": str(path)}, subsystem="MASTER"))
    elsewhere = re.compile("there is no (?:program|account)|not there|it lists Local")  # of blocks, or of real machines
    findings = [one for one in findings if not elsewhere.search(one.message)]
    assert [f"{lines[(one.line or 1) - 1]}: {one.message}" for one in findings] == []


def test_the_picture_is_up_to_date() -> None:
    spec = importlib.util.spec_from_file_location("picture", ROOT / "docs" / "picture.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert module.PICTURE.read_text(encoding="utf-8") == module.picture(), "run python docs/picture.py"
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages == set(module.imports()), "a package has no place in docs/picture.py"
