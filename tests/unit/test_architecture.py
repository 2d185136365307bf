"""The layers and the direction of imports, as condor_py/ARCHITECTURE.md describes them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from sources import nodes_of, tree_of

pytestmark = pytest.mark.xdist_group("sources")
ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "condor_py"

#: Layers, and those that each may import: the ground first. Folders of one layer have rules of their own below.
BELOW: dict[str, tuple[str, ...]] = {
    "model": (),
    "lang": ("model",),
    "core": ("model", "lang"),
    "store": ("model", "lang"),
    "machine": ("model", "lang"),
    "client": ("model", "lang", "core", "store", "machine"),
    "simulate": ("model", "lang", "core", "store", "machine", "client"),
    "bindings": ("model", "lang", "core", "store", "machine", "client", "simulate"),
    "daemons": ("model", "lang", "core", "store", "machine", "client", "simulate", "bindings"),
    "cli": ("model", "lang", "core", "store", "machine", "client", "simulate", "bindings", "daemons"),
}
#: Languages, each of which may use those before it.
LANGUAGES = ("classad", "events", "macro", "config", "submit", "dag")
CORES = ("accounts", "match", "jobs", "slots", "runs", "dag", "grid", "routes")
#: Languages that a core may use beside ClassAds and macros: routes are written in that of submit files, and so are the
#: transforms that jobs bring for the end of a run; event logs tell of jobs.
SPOKEN = {"routes": {"submit"}, "jobs": {"submit", "events"}, "dag": {"dag"}}
#: Languages that get settings, too.
GIVEN_SETTINGS = {("lang", "classad"), ("lang", "submit")}
#: The modules by which users name packages that lie elsewhere.
NAMES_FOR_USERS = {"htcondor", "simulator"}

#: Files that are in circles when imports for the type checker count, too. This number may only shrink.
IN_CIRCLES = 0

#: What a core must not reach: the clock, files, sockets, processes, the environment.
FORBIDDEN_IN_CORES = {
    "time",
    "datetime",
    "os",
    "pathlib",
    "socket",
    "subprocess",
    "selectors",
    "asyncio",
    "threading",
    "tempfile",
    "shutil",
    "random",
    "secrets",
    "psutil",
}


def may_import(path: Path, name: str) -> bool:
    """Whether the module at ``path`` may import ``name``, a dotted name below condor_py."""
    layer, folder = place_of(path)
    other, inside = [*name.split(".")[1:3], ""][:2]
    if other in BELOW[layer]:
        return layer != "core" or other != "lang" or inside in {"classad", "macro", *SPOKEN.get(folder, ())}
    if other != layer:
        return False
    if layer == "lang" and inside:
        return LANGUAGES.index(inside) <= LANGUAGES.index(folder)
    return layer != "machine" or inside in ("", folder)


def place_of(path: Path) -> tuple[str, str]:
    """The layer of a module, and the folder in it; "" for what has none."""
    parts = path.relative_to(PACKAGE).parts
    return (parts[0] if len(parts) > 1 else "", parts[1] if len(parts) > 2 else "")


def modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "__pycache__" not in path.parts)


def imports(path: Path) -> Iterator[tuple[int, str]]:
    for node in nodes_of(path):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: relative import"
            base = node.module or ""
            if base == "time" and {alias.name for alias in node.names} <= {
                "localtime",
                "gmtime",
                "strftime",
                "struct_time",
            }:
                continue  # turning a given time into a date is no look at the clock
            if base in ("condor_py", "condor_py.lang"):
                for alias in node.names:
                    yield node.lineno, f"{base}.{alias.name}"
            if base != "condor_py.lang":  # whose folders have rules of their own
                yield node.lineno, base


def test_imports_point_down() -> None:
    wrong = []
    for path in modules():
        if not place_of(path)[0]:
            assert path.stem in {"__init__", "__main__", *NAMES_FOR_USERS}
            continue
        for line, name in imports(path):
            if name.startswith("condor_py.") and not may_import(path, name):
                wrong.append(f"{path.relative_to(ROOT)}:{line} imports {name}")
    assert wrong == []


def test_layers_are_the_folders() -> None:
    assert {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"} == set(BELOW)


def test_no_circle_of_imports() -> None:
    """Imports at the top of modules, and those inside of functions, which wait for the first call."""
    found = circles(import_graph())
    assert not found, f"they import each other: {[sorted(circle) for circle in found]}"


def test_few_modules_need_each_others_types() -> None:
    """Circles in which imports for the type checker count: a class and the part that takes the whole of it."""
    found = circles(import_graph(typing=True))
    count = sum(map(len, found))
    assert count <= IN_CIRCLES, f"more than before: {[sorted(circle) for circle in found]}"
    assert count == IN_CIRCLES, f"IN_CIRCLES can be {count}"


def import_graph(*, typing: bool = False) -> dict[str, set[str]]:
    """Module -> modules that it imports; with ``typing`` also what is imported for the type checker alone."""
    names = {_module_name(path): path for path in modules()}
    return {name: _imported(tree_of(path), names, typing) - {name} for name, path in names.items()}


def _module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


def _imported(tree: ast.AST, names: Iterable[str], typing: bool) -> set[str]:
    found: set[str] = set()
    for node in ast.iter_child_nodes(tree):
        is_typing = isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        if is_typing and not typing:
            continue
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                found.add(inner if inner in names else node.module)
        found |= _imported(node, names, typing)
    return {name for name in found if name in names}


def circles(graph: dict[str, set[str]]) -> set[frozenset[str]]:
    """Groups of modules each of which reaches all of the others."""
    reach = {name: _reached(graph, name) for name in graph}
    return {frozenset(other for other in reach[name] if name in reach[other]) for name in graph if name in reach[name]}


def _reached(graph: dict[str, set[str]], start: str) -> set[str]:
    found: set[str] = set()
    work = list(graph[start])
    while work:
        name = work.pop()
        if name not in found:
            found.add(name)
            work.extend(graph[name])
    return found


@pytest.mark.parametrize("core", CORES)
def test_cores_are_pure(core: str) -> None:
    for path in (PACKAGE / "core" / core).rglob("*.py"):
        for line, name in imports(path):
            assert name.split(".")[0] not in FORBIDDEN_IN_CORES or _environment_switch(path), (
                f"{path.relative_to(ROOT)}:{line} imports {name}"
            )


def _environment_switch(path: Path) -> bool:
    """The choice between the C kernel and its twin is made once, at import, from the environment."""
    return path == PACKAGE / "core" / "accounts" / "kernel.py"


def test_only_the_store_syncs() -> None:
    for path in modules():
        if place_of(path)[0] == "store":
            continue
        text = path.read_text(encoding="utf-8")
        assert "os.fsync" not in text, path
        assert "os.fdatasync" not in text, path


def test_only_config_names_knobs() -> None:
    """Others get frozen settings; daemons and commands, which load the configuration, may ask it."""
    for path in modules():
        if place_of(path)[0] in ("core", "store", "machine", "model") or place_of(path) in GIVEN_SETTINGS:
            for line, name in imports(path):
                assert not f"{name}.".startswith("condor_py.lang.config.") or _runtime(path), (
                    f"{path}:{line} imports {name}"
                )


def _runtime(path: Path) -> bool:
    """The files in which condor_config_val -set keeps knobs are configuration."""
    return path == PACKAGE / "store" / "runtime_config.py"


#: What others may ask a core of the schedd for, besides handing it events: functions that change nothing.
LOOKS = {
    "demand",
    "waiting",
    "elsewhere",
    "promises",
    "running_gangs",
    "counts",
    "requested",
    "removal",
    "isinstance",
    "len",
    "ScheddAds",
    "demand_message",
}
#: What ``Schedd`` offers; ``books`` is there to be looked at.
DOOR = {
    "handle", "take", "validate", "settings", "jobs", "known", "idle", "claims", "runs", "counters", "ticks",
    "policies_left", "updates_left", "request_ad", "ocu_ads", "state", "grid_busy", "grid_jobs", "needs_leases",
    "lacking",
}  # fmt: skip
MUTATORS = {"add", "append", "clear", "discard", "extend", "pop", "popleft", "remove", "setdefault", "update"}


def chain(node: ast.AST) -> list[str]:
    """The names of ``a.b.c``, [] for anything else; what stands in brackets is passed over."""
    if isinstance(node, ast.Subscript):
        return chain(node.value)
    if isinstance(node, ast.Attribute):
        before = chain(node.value)
        return [*before, node.attr] if before else []
    return [node.id] if isinstance(node, ast.Name) else []


def stores(nodes: Iterable[ast.AST]) -> Iterator[tuple[int, list[str]]]:
    """What is assigned to or deleted, with the line."""
    for node in nodes:
        if isinstance(node, ast.Attribute | ast.Subscript) and isinstance(node.ctx, ast.Store | ast.Del):
            yield node.lineno, chain(node)


def test_the_books_of_the_schedd_have_owners() -> None:
    """What the schedd core knows is changed by the methods of its owners, or in one file; the type checker keeps
    everybody from changing what they show."""
    files = {
        "settings": {"core.py"}, "logs": {"core.py"}, "fits": {"reuse.py"}, "stagings": {"staging.py"},
        "ocus": {"ocu.py"}, "known": {"moves.py"}, "own_ad": {"core.py"},
    }  # fmt: skip
    for path in (PACKAGE / "core" / "jobs").glob("*.py"):
        nodes = nodes_of(path)
        for line, names in stores(nodes):
            if names[:1] == ["core"] and len(names) > 1:
                assert path.name in files.get(names[1], set()), f"{path.name}:{line} changes {'.'.join(names)}"
        for node in nodes:
            names = chain(node)
            if names[:2] in (["core", "stagings"], ["core", "fits"]) and names[-1] in MUTATORS:
                assert path.name in files[names[1]], f"{path.name}:{node.lineno} calls {'.'.join(names)}"


def test_claims_and_runs_of_the_schedd_change_themselves() -> None:
    """What changes of a claim, a run or a counter is changed by a method of its own; claims and runs are put together
    by their books."""
    own = {
        "executing", "stop_code", "stop_reason", "by_policy", "releasing", "reserved", "used", "limits", "keep",
        "kept_until", "started", "completed",
    }  # fmt: skip
    for path in (PACKAGE / "core" / "jobs").glob("*.py"):
        for line, names in stores(nodes_of(path)):
            if names[-2:-1] in (["claim"], ["run"], ["counters"]):
                where = f"{path.name}:{line} changes {'.'.join(names)}"
                assert names[-1] not in own, where
                assert names[-1] != "job" or path.name == "claims.py", where


def test_outside_the_schedd_is_told_of_events_only() -> None:
    for path in modules():
        if place_of(path)[0] not in ("daemons", "simulate", "client", "cli", "bindings"):
            continue
        nodes = nodes_of(path)
        if "schedd" not in path.parts[-2] and "condor_py.core.jobs.core" not in {name for _, name in imports(path)}:
            continue
        where = path.relative_to(ROOT)
        for line, names in stores(nodes):
            inside = names[names.index("core") :] if "core" in names else []
            assert len(inside) < 2, f"{where}:{line} changes {'.'.join(names)}"
        for node in nodes:
            names = chain(node)
            if isinstance(node, ast.Attribute) and names[-2:-1] == ["core"]:
                assert names[-1] in DOOR, f"{where}:{node.lineno} reaches for {'.'.join(names)}"
            if isinstance(node, ast.Call) and any(chain(one)[-2:] == ["core", "state"] for one in node.args):
                called = chain(node.func)[-1]
                assert called in LOOKS, f"{where}:{node.lineno} gives the books to {called}"


#: Modules of processes that work for several users, and of tools that root runs, and how many calls they have that open
#: a file without ``starter.userfiles``, as no user can put anything in its place, or it cannot make them wait.
OPENS = {
    "client/authorization.py": (1, "a table of the package"),
    "client/chirp.py": (1, "it runs in a job"),
    "client/chirp_client.py": (4, "it runs in a job"),
    "client/dag/description.py": (3, "a tool, with the rights of its user"),
    "client/dag/files.py": (2, "a tool, with the rights of its user"),
    "client/dag/prepare.py": (1, "a tool, with the rights of its user"),
    "client/lockfile.py": (4, "the pool's, /proc"),
    "client/tokens.py": (4, "a tool, with the rights of its user; O_NONBLOCK"),
    "client/wire.py": (1, "a directory, O_PATH"),
    "machine/batch/notices.py": (1, "in the user's own gridmanager, O_NONBLOCK"),
    "daemons/common/logfile.py": (2, "the pool's, /dev/null"),
    "daemons/gangliad/daemon.py": (1, "the administrator's"),
    "daemons/gangliad/gmond.py": (1, "the administrator's"),
    "daemons/gangliad/metrics.py": (1, "the package's"),
    "daemons/localtokens.py": (2, "the administrator's"),
    "daemons/master/launch.py": (3, "the pool's"),
    "daemons/master/obituary.py": (1, "the pool's"),
    "daemons/master/startup.py": (1, "the pool's"),
    "daemons/schedd/factories.py": (1, "the pool's"),
    "daemons/schedd/daemon.py": (1, "the pool's"),
    "daemons/startd/backfillwork.py": (1, "the administrator's"),
    "daemons/startd/daemon.py": (1, "the pool's"),
    "daemons/starter/chirp.py": (2, "O_EXCL, O_NONBLOCK"),
    "daemons/starter/jobcredentials.py": (2, "descriptors"),
    "daemons/starter/chirpsession.py": (3, "has the same rule, and serves devices as well; a descriptor"),
    "machine/run/backingfile.py": (2, "the pool's, /sys"),
    "machine/run/checkpointcleanup.py": (1, "the administrator's map file"),
    "machine/run/checkpointlists.py": (1, "condor_manifest, whose file its user names"),
    "machine/run/copying.py": (1, "a child with the user's rights; shutil refuses pipes"),
    "machine/run/dockerclient.py": (1, "named pipes that the job asks for, in its own process"),
    "machine/run/dockercredentials.py": (1, "a descriptor"),
    "machine/run/dockerwords.py": (1, "beside the scratch directory"),
    "machine/run/encryption.py": (2, "the pool's, /proc"),
    "machine/run/engine.py": (1, "/proc"),
    "machine/run/tooldaemon.py": (1, "/proc"),
    "machine/run/logicalvolume.py": (2, "beside the scratch directory"),
    "machine/run/machinetools.py": (2, "O_EXCL; a descriptor"),
    "machine/run/mapping.py": (1, "shutil refuses pipes"),
    "machine/run/means.py": (1, "/dev/null"),
    "machine/run/namespaces.py": (4, "/proc, O_PATH"),
    "machine/run/process.py": (4, "/dev/null; standard streams, which may be pipes (_check_pipe); O_NONBLOCK"),
    "machine/run/projectquota.py": (2, "directories"),
    "machine/run/session.py": (1, "/proc"),
    "machine/run/java.py": (2, "of the package, and beside the scratch directory"),
    "machine/run/singularitywords.py": (2, "beside the scratch directory; a descriptor"),
    "machine/run/sandbox.py": (1, "a descriptor"),
    "machine/run/trial.py": (2, "the pool's"),
    "machine/run/transfer.py": (1, "the pool's"),
    "machine/run/trees.py": (7, "O_PATH, directories"),
    "machine/run/userfiles.py": (3, "here it is"),
    "machine/run/vm/executor.py": (1, "/dev/net/tun"),
    "machine/run/vm/keeper.py": (1, "/dev/null"),
    "machine/run/vm/libvirt.py": (4, "beside the scratch directory"),
    "machine/run/vm/qemu.py": (1, "O_EXCL"),
    "machine/run/vm/saved.py": (1, "a descriptor"),
    "machine/run/volume.py": (1, "O_EXCL"),
    "cli/preen.py": (1, "-log FILE, which its user names"),
}  # fmt: skip
#: The gridmanager runs as the user whose jobs it follows.
OWN_RIGHTS = PACKAGE / "daemons" / "gridmanager"
#: condor_dagman is a job of its user.
DAGMAN = PACKAGE / "daemons" / "dagman"
OPENING = {"open", "copy", "copy2", "copyfile", "copytree"}
READING = {"read_text", "read_bytes", "write_text", "write_bytes"}


def opened(path: Path) -> list[int]:
    """The lines with calls that open a file."""
    found = []
    for node in nodes_of(path):
        if isinstance(node, ast.Call):
            names = chain(node.func)
            of_a_module = names[:-1] in (["os"], ["shutil"]) and names[-1] in OPENING
            method = isinstance(node.func, ast.Attribute) and node.func.attr in READING
            if names == ["open"] or of_a_module or method:
                found.append(node.lineno)
    return found


def test_what_a_user_may_have_replaced_is_opened_in_one_place() -> None:
    """A pipe there would make everybody wait, a link show the files of others."""
    found: dict[str, list[int]] = {}
    tools = [PACKAGE / "cli" / "preen.py", PACKAGE / "cli" / "tail.py"]
    for folder in ("client", "machine/batch", "daemons", "machine/run"):
        tools += [path for path in (PACKAGE / folder).rglob("*.py") if not {OWN_RIGHTS, DAGMAN} & set(path.parents)]
    for path in tools:
        if lines := opened(path):
            found[path.relative_to(PACKAGE).as_posix()] = lines
    told = {name: (len(found.get(name, ())), OPENS.get(name, (0, ""))[0]) for name in {*found, *OPENS}}
    wrong = {name: found.get(name) for name, (have, allowed) in told.items() if have != allowed}
    assert not wrong, f"open these with starter.userfiles, or say in OPENS why not: {wrong}"
