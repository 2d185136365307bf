"""Every file, function, command and knob that the guides name exists, their links lead somewhere, and a line fits on a
page; the site is made of the same files."""

from __future__ import annotations

import ast
import importlib.util
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

from condor_py.cli.entry import PROGRAMS
from condor_py.lang.config import load
from condor_py.lang.config.lint import lint
from condor_py.lang.config.table import family, knob
from condor_py.lang.config.templates import TEMPLATES

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "condor_py"
PAPERS = sorted(
    str(path.relative_to(ROOT))
    for path in ROOT.rglob("*.md")
    if not {".venv", ".venv24", "build", ".git", ".pytest_cache"} & set(path.relative_to(ROOT).parts)
)
#: Papers in which no line of text is longer than 120 characters.
FITTING = (
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "condor_py/ARCHITECTURE.md",
    "docs/admin-guide.md",
    "docs/developer-guide.md",
    "docs/differences.md",
    "docs/disks.md",
    "docs/how-it-is-tested.md",
    "docs/htcondor-tests.md",
    "docs/power.md",
    "etc/cron/README.md",
    "etc/examples/README.md",
    "tests/bench/README.md",
    "docs/README.md",
    "docs/batch-systems.md",
    "docs/coming-from.md",
    "docs/continuous-integration.md",
    "docs/faq.md",
    "docs/growing.md",
    "docs/tour.md",
    "docs/troubleshooting.md",
    "docs/user-guide.md",
    "docs/virtual-machines.md",
)
GUIDES = (
    "README.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "condor_py/ARCHITECTURE.md",
    "docs/README.md",
    "docs/admin-guide.md",
    "docs/batch-systems.md",
    "docs/coming-from.md",
    "docs/continuous-integration.md",
    "docs/developer-guide.md",
    "docs/differences.md",
    "docs/disks.md",
    "docs/growing.md",
    "docs/how-it-is-tested.md",
    "docs/htcondor-tests.md",
    "docs/power.md",
    "docs/faq.md",
    "docs/tour.md",
    "docs/troubleshooting.md",
    "docs/user-guide.md",
    "docs/virtual-machines.md",
    "etc/examples/README.md",
    "tests/bench/README.md",
)
#: Words in capitals that are no knobs: variables of the environment, values, names of templates and of columns.
NO_KNOBS = {
    "TDP_AP_PID", "TYPE_CHECKING", "WAIT_FOR_ALL",
    "BATCH_SYSTEMS", "SCHED_BATCH", "SGE_ROOT", "SLURM_CONF",
    "CONDOR_TESTREQ_CONFIG", "OVERFLOW_AFTER", "OVERFLOW_BACK_AFTER",
    "COMMON_FILES", "CONDOR_CONFIG", "CONFIG_ROOT", "CONDOR_PY_CLIENTS", "CONDOR_PY_PURE", "CONDOR_PY_REAL_HTCONDOR",
    "CONDOR_PY_HOSTILE", "CONDOR_PY_TEST_DOCKER", "CONDOR_PY_WALKS", "INVALIDATE_STARTD_ADS", "JOB_CLEANUP",
    "UPDATE_JOB_INFO", "X509_CERT_DIR",
    "CUDA_VISIBLE_DEVICES", "CURL_IGNORE_HTTP_PROXY", "CURL_MAX_RETRY_ATTEMPTS", "EVENT_NAMES", "JOB_TERMINATED",
    "DAG_ExitCode", "DAG_FailedNodes", "DAG_NodesQueued",
    "STARTD_State", "SUBMIT_TIME",
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


def without_code(text: str) -> str:
    """The text of a paper without its blocks of code."""
    return re.sub(r"^ *(```+).*?^ *\1$", "", text, flags=re.MULTILINE | re.DOTALL)


def without_spans(text: str) -> str:
    """The text of a paper without any code."""
    return re.sub(r"`[^`\n]+`", "", without_code(text))


def headings(path: Path) -> set[str]:
    """The anchors of a page, as GitHub makes them."""
    lines = re.findall(r"^#+ (.*)$", without_code(path.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", line.lower()).replace(" ", "-") for line in lines}


@pytest.mark.parametrize("paper", PAPERS)
def test_links_lead_somewhere(paper: str) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", without_spans(text_of(paper))):
        if "://" in target:
            continue
        name, _, anchor = target.partition("#")
        path = (ROOT / paper).parent / name if name else ROOT / paper
        assert path.exists(), target
        assert not anchor or anchor in headings(path), target


@pytest.mark.parametrize("paper", FITTING)
def test_a_line_fits_on_a_page(paper: str) -> None:
    lines = without_code(text_of(paper)).splitlines()
    assert [line for line in lines if len(line) > 120 and not line.startswith(("|", "!["))] == []


@pytest.mark.parametrize(
    "paper", [name for name in FITTING if not name.endswith(("README.md", "CONTRIBUTING.md", "CHANGELOG.md"))]
)
def test_the_contents_of_a_long_paper_are_complete(paper: str) -> None:
    text = without_code(text_of(paper))
    chapters = re.findall(r"^## (.*)$", text, re.MULTILINE)
    named = re.findall(r"\[([^\]]*)\]\(#", " ".join(text.partition("\n## ")[0].split()))
    assert [chapter for chapter in chapters if chapter not in named] == [], "not in the contents at the top"


def test_the_index_names_every_paper() -> None:
    index = text_of("docs/README.md")
    for path in sorted((ROOT / "docs").glob("*.md")):
        assert path.name == "README.md" or f"]({path.name})" in index, path.name


@pytest.mark.parametrize("guide", sorted({*GUIDES} - {"docs/differences.md", "docs/htcondor-tests.md"}))
def test_commands_exist(guide: str) -> None:
    #: HTCondor's programs and files of which the guides say that they are not ours.
    theirs = {
        "condor_py", "condor_annex", "condor_dagman", "condor_config", "condor_submit_description", "condor_starter",
        "condor_store_cred",
    }  # fmt: skip
    volumes = {"condor_STARTD"}
    daemons = {"condor_schedd", "condor_startd", "condor_negotiator"}
    named = set(re.findall(r"(?<![\w/.-])(condor_\w+|classad_eval)\b(?![/.(=\[{])", text_of(guide)))
    assert named - theirs - daemons - volumes <= set(PROGRAMS), guide


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


@pytest.mark.parametrize("guide", GUIDES)
def test_tables_of_knobs_give_the_defaults(guide: str) -> None:
    wrong = []
    for table in re.findall(r"^\| knob \| default \|.*\n\|[-|]*\n((?:\|.*\n)*)", text_of(guide), re.MULTILINE):
        for name, default in re.findall(r"^\| `(\w+)` \| ([^|]*?) ?\|", table, re.MULTILINE):
            known = knob(name)
            if known is None or known.no_effect or (known.default or "") != default.strip("`"):
                wrong.append(f"{name}: {default}, the default is {known and known.default}")
    assert wrong == [], guide


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


def program(name: str) -> ModuleType:
    """A program of docs, imported."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "docs" / f"{name}.py")
    assert spec
    assert spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_pictures_are_up_to_date() -> None:
    module = program("picture")
    assert module.PICTURE.read_text(encoding="utf-8") == module.picture(), "run python docs/picture.py"
    assert module.LIFE.read_text(encoding="utf-8") == module.life(), "run python docs/picture.py"
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")}
    assert packages == set(module.imports()), "a package has no place in docs/picture.py"


def test_the_pages_of_the_site_have_no_dead_links(tmp_path: Path) -> None:
    site = program("papers")
    site.stage(tmp_path)
    for _, pages in site.CONTENTS:
        assert [page for page in pages if not (tmp_path / site.page(page)).exists()] == []
    dead = []
    for path in tmp_path.rglob("*.md"):
        for target in re.findall(r"(?<!\\)\]\(([^)\s]+)\)", without_spans(path.read_text(encoding="utf-8"))):
            name = target.partition("#")[0]
            if "://" not in target and name and not (path.parent / name).is_file():
                dead.append(f"{path.relative_to(tmp_path)}: {target}")
    assert dead == []
    assert (tmp_path / "man/man1/condor_q.1.md").exists()


@pytest.mark.parametrize(
    ("target", "there"),
    [
        ("../README.md#start", "../index.md#start"),
        ("tour.md", "tour.md"),
        ("../etc/examples/README.md", "../etc/examples/README.md"),
        ("../etc/examples/hello.sub", "../etc/examples/hello.sub.md"),
        ("../etc/examples/dags", "../etc/examples/dags/README.md"),
        ("../man/man1", "../man/README.md"),
        ("../man/man5/condor_config.5", "../man/man5/condor_config.5.md"),
        ("life.svg", "life.svg"),
        ("#begin", "#begin"),
        ("../tests/clients", None),
    ],
)
def test_where_a_link_leads_on_the_site(target: str, there: str | None) -> None:
    pages = {
        "README.md", "docs/tour.md", "etc/examples/README.md", "etc/examples/hello.sub.md", "man/README.md",
        "etc/examples/dags/README.md", "man/man5/condor_config.5.md",
    }  # fmt: skip
    assert program("papers").place("docs/user-guide.md", target, pages) == there


def test_a_manual_page_becomes_a_page_of_the_site() -> None:
    site = program("papers")
    assert site.page_of(
        '.TH CONDOR_X 1 "2026" "condor_py" "HTCondor"\n.SH SEE ALSO\n.TP\n.B \\-af[:H] *\nShows\nall.\n'
        ".IP 1. 4\nFirst,\nsecond.\n.nf\na  *b\n.fi\n.PP\n.BR condor_q (1)\nand \\fIx\\fR_y.\n"
    ) == (
        "# condor_x\n\n## See also\n\n\n`-af[:H] *`\n: Shows\n  all.\n\n1. First,\n   second.\n\n"
        "```text\na  *b\n```\n\n\n`condor_q`(1)\nand *x*\\_y.\n"
    )
    with pytest.raises(ValueError, match="unknown request"):
        site.page_of(".TH X 1\n.XX y\n")


def test_the_site_builds_without_a_warning(tmp_path: Path) -> None:
    for package in ("sphinx", "myst_parser", "furo"):
        pytest.importorskip(package, reason="pip install condor_py[docs]")
    command = [sys.executable, str(ROOT / "docs" / "papers.py"), "-strict", str(tmp_path / "site")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (tmp_path / "site" / "searchindex.js").exists()
    fetched = {
        found
        for page in (tmp_path / "site").rglob("*.html")
        for found in re.findall(r'<(?:script|link|img)[^>]* (?:src|href)="(https?:[^"]*)', page.read_text("utf-8"))
    }
    assert fetched == set(), "a page fetches something from a network"
