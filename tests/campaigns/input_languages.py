"""The languages that people write: submit descriptions, configuration, DAGs, transforms, routes, maps, schedules.

Where a language has several files, they are one input: a line ``%%FILE NAME`` begins the next.
"""

from __future__ import annotations

import importlib.util
import itertools
import re
import sys
import tempfile
from functools import cache
from pathlib import Path
from types import ModuleType

from input_maker import Maker, Parser, text_of

from condor_py.core.jobs.crontab import BadSchedule, next_run, schedule_of
from condor_py.core.routes.table import RoutingTable
from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.usermap import UserMap
from condor_py.lang.config.loader import load
from condor_py.lang.dag.build import build
from condor_py.lang.dag.check.checker import CheckOptions, check
from condor_py.lang.dag.cycles import walk
from condor_py.lang.dag.reader import FileProblem
from condor_py.lang.macro.expand import Expander
from condor_py.lang.submit.build import BuildOptions, clusters_of
from condor_py.lang.submit.env import join_environment, parse_environment
from condor_py.lang.submit.errors import SubmitError
from condor_py.lang.submit.items import ItemSources
from condor_py.lang.submit.submit_file import Surroundings
from condor_py.lang.submit.submit_file import parse as parse_submit
from condor_py.lang.submit.transform import check_statements, read_rules
from condor_py.lang.submit.transform_old import Iteration, is_old, read_old_rules
from condor_py.lang.submit.transform_run import Log, Session, Subject, applies, run
from condor_py.model.arguments import join_v2, parse_arguments, split_v2
from condor_py.model.settings.dagman import LanguageSettings
from condor_py.model.settings.router import RouterSettings
from condor_py.model.settings.submit import SubmitSettings

_SPEC = Path(__file__).resolve().parents[1] / "spec"
NOW = 1_795_300_000
#: Jobs of one description that are made.
_MOST_JOBS = 20


@cache
def spec_module(folder: str, name: str) -> ModuleType:
    """A module of the comparisons with HTCondor."""
    spec = importlib.util.spec_from_file_location(f"{folder}_{name}", _SPEC / folder / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


# submit descriptions


_ALL_FILES = re.compile(
    r"(?:^|[=,:+(\s\"']|(?<!/)/)/++(?:usr|etc|proc|sys|lib|var|home|work|tmp|bin|opt|dev|root|run)?+/*+\.*+/*+"
    r"(?=[\s,;)\"':]|$)"
)


class EnoughError(SubmitError):
    """No more jobs are made."""


def _sources() -> ItemSources:
    def text(name: str) -> str:
        if "no" in name:
            raise FileNotFoundError(2, "No such file or directory", name)
        return "a b\nc, d\n\n# e\n(f)\n"

    return ItemSources(text, text, lambda pattern: [f"{pattern[:99]}1", f"{pattern[:99]}2/"], lambda told: None)


@cache
def _submit_samples() -> tuple[str, ...]:
    return (*spec_module("submit", "generator").singles(), *spec_module("submit", "directed").texts())


def _submit(maker: Maker) -> bytes:
    generator = spec_module("submit", "generator")
    if maker.chance.random() < 0.6:
        return maker.pick([generator.description(maker.chance)])
    return maker.pick(_submit_samples())


_SUBMIT_WORDS = (
    "queue", "queue 3", "queue x in (a b)", "queue x from (", ")", "queue in [1:2] (", "\nqueue 1\n", "\nif ",
    "\nelse\n", "\nendif\n", "elif ", "include : x", "include command : y", "$(Process)", "$(x:y)", "$INT(x,%d)",
    "$REAL(x,%f)", "$STRING(x,%s)", "$SUBSTR(x,1,-1)", "$CHOICE(x,a,b)", "$RANDOM_INTEGER(1,9)", "$RANDOM_CHOICE(a)",
    "$Fpnx(log)", "$EVAL(x)", "$ENV(HOME)", "$(DOLLAR)", "$$(Cpus:1)", "$$([1])", "+A = ", "MY.A = ", " = ", "@=end\n",
    "\n@end\n", "defined ", "version > 8", "true", "MATCHING FILES", "universe = vm\n", "universe = docker\n", "my.",
    "max_idle = 3\n", "materialize_max_idle = 1\n", "requirements = ", "arguments = \"", "environment = \"",
    "transfer_input_files = ", "request_memory = ", "1G", "auto", "container_image = ", "cron_minute = ",
    "use Template : x", "x = $(x) y",
)  # fmt: skip


def _read_submit(data: bytes) -> None:
    made = itertools.count(1)

    def enough() -> None:
        if next(made) > _MOST_JOBS:
            raise EnoughError("enough")

    around = Surroundings({"HOME": "/home/a"}, lambda below: 0, NOW, "/tmp", _sources())
    settings = SubmitSettings(uid_domain="example.net", filesystem_domain="example.net")
    text = text_of(data)
    if _ALL_FILES.search(text):
        return  # the sizes of all files of this machine would be added up
    file = parse_submit(text, "job.sub", settings=settings, surroundings=around)
    options = BuildOptions(user="alice", check_executable=False, before_job=enough)
    for draft in clusters_of(file)[:5]:
        try:
            cluster = draft.make(7, options)
            for own in cluster.own:
                ad = ClassAd.from_text_items(({**cluster.attributes, **own}).values())
                for name, text in ad.text_items():
                    assert "\n" not in text, f"{name} has several lines"
                    assert text, f"{name} is empty"
        except EnoughError:
            break
    file.unused()


# configuration


class Files:
    """The files of an input, by name; the first is ``root``."""

    def __init__(self, data: bytes) -> None:
        first, *others = text_of(data).split("%%FILE ")
        self.files = {"root": first}
        for other in others[:20]:
            name, _, text = other.partition("\n")
            self.files[name.strip()] = text

    def read(self, path: str) -> str:
        """The text of a file."""
        name = path.rpartition("/")[2]
        if name not in self.files:
            raise FileNotFoundError(2, "No such file or directory", path)
        return self.files[name]

    def run(self, command: str) -> tuple[int, str]:
        """What a command prints: a file, or nothing and a failure."""
        name = (command.split() or [""])[-1].rpartition("/")[2]
        return (0, self.files[name]) if name in self.files else (1, "")


_CONFIG_WORDS = (
    "if ", "elif ", "else", "endif", "include : f0", "include ifexist : f1", "include command : cat f0",
    "use FEATURE : GPUs", "use ROLE : Personal", "use SECURITY : Strong", "use POLICY : Preempt_If_Runtime_Exceeds(1)",
    "@=end", "@end", "$(A)", "$(A:B)", "$INT(A)", "$REAL(A)", "$EVAL(A)", "$ENV(X)", "$Fpn(A)", "$CHOICE(0,A)",
    "$SUBSTR(A,1)", "$RANDOM_CHOICE(A)", "$STRING(A)", "$(DOLLAR)", "defined ", "version >= 25", "A = ", "B = $(A)\n",
    "\n+=", "error : x", "warning : x", "[x]", "SCHEDD.A = ", "LOCAL_CONFIG_FILE = f0", "LOCAL_CONFIG_DIR = /x",
    "NUM_CPUS = ", "SLOT_TYPE_1 = ", "START = ", "MAX_JOBS_RUNNING = ", "%%FILE f0\n", "%%FILE f1\n",
    "use FEATURE : PartitionableSlot(1, 50%)", "JOB_ROUTER_ROUTE_X @=e",
)  # fmt: skip


def _config(maker: Maker) -> bytes:
    chance = maker.chance
    if chance.random() < 0.4:
        return maker.pick([_knobs(maker)])
    grammar = spec_module("config", "grammar")
    with tempfile.TemporaryDirectory(dir=".") as place:
        folder = Path(place)
        case = grammar.Grammar(chance, folder).case()
        parts = [case.root.read_bytes()]
        for path in sorted(folder.iterdir()):
            if path != case.root:
                parts.append(b"%%FILE " + path.name.encode() + b"\n" + path.read_bytes())
        return maker.pick([b"".join(parts).replace(str(folder).encode(), b"/x")])


@cache
def _known_knobs() -> tuple[tuple[str, str], ...]:
    from condor_py.lang.config.table import all_knobs

    return tuple((knob.name, str(knob.default or "")) for knob in all_knobs())


def _knobs(maker: Maker) -> str:
    chance = maker.chance
    lines = []
    for name, default in chance.sample(_known_knobs(), 6):
        value = chance.choice((default, default, *_VALUES))
        part = chance.choice(_PARTS_OF_NAMES)
        lines.append(f"{re.sub('<[^>]*>', part, name)} = {value}\n")
    return "".join(lines)


_VALUES = (
    "", "0", "-1", "1", "true", "false", "x", "1.5", "1e400", "3 * 4", "2147483648", "99999999999999999999", "a, b, c",
    "$(NOPE)", "/tmp/x", "1/0", "undefined", "\"text\"", "{1,2}", "auto", "50%", "10 MB", "1h", "$(NUM_CPUS)",
    "TARGET.x > 1", "*", "user@host", "a=b c=d", "[ a = 1 ]", "cpus=1, mem=25%", "=", ";", "'", "9" * 5000,
    f"cpus=1/{'9' * 5000}", f"x={'9' * 400}%", "\u0663s", "real(\"inf\")",
)  # fmt: skip
#: What names have in place of ``<N>``, ``<SUBSYS>`` and the like.
_PARTS_OF_NAMES = ("1", "x", "GPUs", "SCHEDD", "WRITE", "0", "9" * 5000)


def _read_config(data: bytes) -> None:
    files = Files(data)
    environ = {"CONDOR_CONFIG": "/x/root", "HOME": "/nonexistent"}
    config = load(environ, root="/x/root", read=files.read, run=files.run, subsystem="TOOL")
    for macro in itertools.islice(config.macros, 30):
        for how in (config.string, config.list, config.path, config.boolean, config.integer, config.real, config.size):
            try:
                how(macro.name)
            except Parser.errors:
                continue


def _read_lint(data: bytes) -> None:
    from condor_py.lang.config.lint import lint

    files = Files(data)
    environ = {"CONDOR_CONFIG": "/x/root", "HOME": "/nonexistent"}
    for finding in lint(load(environ, root="/x/root", read=files.read, run=files.run)):
        assert str(finding).strip()


# DAGs


#: Directories within each other that a DAG meets.
_MOST_DIRECTORIES = 5


class DagTree:
    """The files of a DAG."""

    def __init__(self, data: bytes) -> None:
        self.files = Files(data)
        self.reads = itertools.count()

    def read(self, path: str) -> str:
        """The text of a file."""
        if path.count("/") > _MOST_DIRECTORIES:
            raise FileProblem("Too many levels of symbolic links")
        try:
            return self.files.read(path)
        except FileNotFoundError:
            raise FileProblem("Provided file path does not exist") from None

    def enter(self, path: str) -> None:
        """Every directory is there."""

    def exists(self, path: str) -> bool:
        """Whether there is a file."""
        return path.rpartition("/")[2] in self.files.files

    def job_problem(self, text: str | None, path: str, directory: str, every: bool) -> tuple[str, str]:
        """No description has a mistake."""
        return "", ""


_DAG_LINES = (
    "JOB A a.sub", "JOB B b.sub DIR d NOOP", "JOB C { \n executable = x\n }", "JOB D @=end\nqueue\n@end",
    "JOB E a.sub DONE", "PARENT A CHILD B C", "PARENT A B CHILD C D", "PARENT C CHILD A", "WEAK PARENT A CHILD B",
    "SPLICE S f0 DIR x", "SPLICE T f0", "SUBDAG EXTERNAL U f1 DIR d", "INCLUDE f0", "INCLUDE f1", "CONNECT S T",
    "PIN_IN A 1", "PIN_OUT B 1", "SCRIPT PRE A p.sh $JOB $RETRY", "SCRIPT DEFER 1 60 POST B q.sh $RETURN",
    "SCRIPT HOLD A h", "SCRIPT DEBUG f ALL PRE A x", "RETRY A 3 UNLESS-EXIT 2", "RETRY ALL_NODES 2",
    "ABORT-DAG-ON A 3 RETURN 1", 'VARS A x="1" y="a \\"b\\""', 'VARS ALL_NODES PREPEND n="$(JOB)"', "PRIORITY A 5",
    "CATEGORY A c", "CATEGORY B +c", "MAXJOBS c 2", "MAXJOBS +c 0", "CONFIG c.config",
    "DOT d.dot UPDATE DONT-OVERWRITE INCLUDE h", "NODE_STATUS_FILE s 30 ALWAYS-UPDATE", "JOBSTATE_LOG l", "REJECT",
    "FINAL F f.sub", "PROVISIONER P p.sub", "SERVICE V v.sub", "SAVE_POINT_FILE A s.save", "SET_JOB_ATTR X = 1",
    'ENV SET A=1;B=2', "ENV GET PATH HOME", "PRE_SKIP A 1", "DONE A", "SUBMIT-DESCRIPTION d { \n q\n}", "JOB G d",
    "TOLERANCE A 50%", "NODE_FAILURE_TOLERANCE ALL_NODES 1", "# comment", "//c", "JOB H \\", "RETRY S+A 1",
    "PARENT S CHILD A", "%%FILE f0", "%%FILE f1", "PARENT ALL_NODES CHILD A", "JOB 1.2 a.sub", "JOB A+B x",
)  # fmt: skip


def _dag(maker: Maker) -> bytes:
    text = maker.lines(_DAG_LINES, 14)
    if maker.chance.random() < 0.5:
        text += f"%%FILE f0\n{maker.lines(_DAG_LINES, 6)}"
    return maker.pick([text])


def _read_dag(data: bytes) -> None:
    settings = LanguageSettings(any_characters=len(data) % 3 == 0, strict=len(data) % 4)
    dag, notes = build(["root"], DagTree(data), "/home", settings)
    for note in notes:
        assert isinstance(note.text, str)
    walk(dag)
    for number in range(min(50, len(dag.names))):
        dag.parents_of(number)


def _read_dag_check(data: bytes) -> None:
    options = CheckOptions(strict=len(data) % 2 == 0, sub_dags=len(data) % 3 == 0, scripts=True, jobs=True)
    checked = check("root", DagTree(data), "/home", options)
    for error in checked.errors:
        assert str(error).strip()


# transforms and routes

_TRANSFORM_LINES = (
    "NAME x", "REQUIREMENTS JobPrio > 1", "REQUIREMENTS true", "UNIVERSE vanilla", "SET Foo 17", "SET Foo = $(x)",
    "DEFAULT Foo 9", "EVALSET Foo RequestCpus + 1", 'EVALSET Foo split("a b")', "EVALMACRO x RequestCpus * 10",
    "COPY Cmd OrigCmd", "COPY /^Request(.+)/ Original\\1", "RENAME /^(Job)(Prio)$/ \\2\\1_\\0", "DELETE /^request/",
    "RENAME JobPrio Prio", "DELETE Foo", "x = 1", "y = $(x)2", "SET Foo $(MY.RequestMemory)",
    "SET Foo $INT(MY.JobPrio)", "if defined x", "if $(x) > 1", "else", "endif", "elif true", "REQUIREMENTS (",
    "TRANSFORM 2", "TRANSFORM x in (a b c)", "TRANSFORM x,y from (", "1 2", ")", "x @=end", "SET A B", "@end",
    "SET RequestMemory \\", "  5", "# c", "include : f0", "MaxJobs = 5", "MaxIdleJobs = x",
    "GridResource = \"batch slurm\"", "SET GridResource \"condor a b\"", "SET JobStatus 5", "SET Owner \"root\"",
    "EVALSET X 1/0", "SET X $EVAL(MY.Cmd)", "COPY X /(/", "SET X $(MY.Nothing:$(x))",
)  # fmt: skip
_OLD_RULES = (
    '[ Name = "a"; Requirements = true; set_A = 1; copy_Cmd = "OldCmd"; delete_B = true; eval_set_C = A * 2; x = 1 ]',
    '[ TargetUniverse = 9; GridResource = "batch slurm"; set_x = "y"; eval_set_y = x; x = 5; MaxJobs = 3;'
    " Requirements = TARGET.JobPrio > 1 ]",
    '[ GridResource = "condor a b"; Name = "r1"; ] [ Name = "r2"; set_A = 2 ]',
)
_JOB = {
    "ClusterId": "1", "ProcId": "0", "RequestCpus": "2", "RequestMemory": "RequestCpus * 100", "Cmd": '"/bin/sleep"',
    "JobPrio": "5", "JobUniverse": "5", "JobStatus": "1", "Owner": '"a"',
}  # fmt: skip


def _transform(maker: Maker) -> bytes:
    if maker.chance.random() < 0.2:
        return maker.pick(_OLD_RULES)
    return maker.pick([maker.lines(_TRANSFORM_LINES, 10)])


def _read_transform(data: bytes) -> None:
    text = text_of(data)
    rules = read_old_rules(text, "NAME") if is_old(text) else read_rules(text, "NAME")
    check_statements(rules)
    session = Session(lambda name: {"site": "north"}.get(name), {"HOME": "/h"}, read=lambda path: "SET Included 1\n")
    rows: list[tuple[dict[str, str], dict[str, str]]] = [({}, {})]
    if rules.iterate:
        rows += itertools.islice(Iteration(rules, Expander(lambda name: None), _sources()).variables(), 3)
    for items, counters in rows:
        session.items, session.counters = items, counters
        subject = Subject(ClassAd.from_text_items(_JOB.items()))
        if applies(rules, subject.ad):
            run(rules, subject, session, Log())
            for name, value in subject.ad.text_items():
                assert "\n" not in value, f"{name} has several lines: {value[:60]!r}"
        session.forget()


def _read_route(data: bytes) -> None:
    text = text_of(data)
    settings = RouterSettings(
        routes=(("R", text), ("S", "UNIVERSE vanilla\nREQUIREMENTS true")), old=(("JOB_ROUTER_ENTRIES", text),),
        old_defaults=text[:100], order=("R", "S"), transforms=(("T", text),), pre_route=("T",),
    )  # fmt: skip
    table = RoutingTable.read(settings)
    job = ClassAd.from_text_items(_JOB.items())
    for route in table.routes.values():
        route.lines()
        if route.requirements is not None:
            route.requirements.holds(job)
    for note in table.notes:
        assert note.strip()


# small languages


def _arguments(maker: Maker) -> bytes:
    return maker.pick(
        ("a b c", "\"a 'b c' d\"", "\"it''s ''\"\"q\"\" 'x y'\"", "", "-f 'a' \\\"x\\\"", "\"''\"", "a\tb")
    )


def _read_arguments(data: bytes) -> None:
    text = text_of(data)
    words, _ = parse_arguments(text)
    again = split_v2(join_v2(words))
    if not any("\0" in word for word in words):
        assert again == words, f"{words!r:.200} reads back as {again!r:.200}"


def _environment(maker: Maker) -> bytes:
    return maker.pick(("\"A=1 B='2 3'\"", "A=1;B=2", "\"A='''q''' \"", "A=b=c;D", '"A=""x"""', "PATH=/bin;X="))


def _read_environment(data: bytes) -> None:
    table = parse_environment(text_of(data))
    again = parse_environment('"' + join_environment(table).replace('"', '""') + '"')
    assert again == table, f"{table!r:.200} reads back as {again!r:.200}"


def _crontab(maker: Maker) -> bytes:
    fields = (
        "*",
        "0",
        "5",
        "0,30",
        "1-5/2",
        "*/15",
        "7",
        "0-59",
        "12",
        "31",
        "2",
        "x",
        "",
        "1,2,3-9/3",
        "60",
        "-1",
        "5-1",
    )
    return maker.pick(["\n".join(maker.chance.choice(fields) for _ in range(5))])


def _read_crontab(data: bytes) -> None:
    ad = ClassAd()
    names = ("CronMinute", "CronHour", "CronDayOfMonth", "CronMonth", "CronDayOfWeek")
    for name, text in zip(names, text_of(data).split("\n"), strict=False):
        ad.set_str(name, text)
    schedule = schedule_of(ad)
    when = next_run(schedule, NOW)
    assert when > NOW


_MAP_LINES = (
    "* alice physics", "* /^(.*)@example.net$/ \\1", "SSL /CN=x/i y", '* "a b" "c d"', "* /bob/U x,y", "# c",
    "* (.*) \\1", "@include other", "* /(a+)+$/ b", "FS x", "* /[/ x", "* alice",
    "SCITOKENS /^https:\\/\\/x,(.*)$/ \\1\\2\\0", "* a \\9",
)  # fmt: skip


def _map(maker: Maker) -> bytes:
    return maker.pick([maker.lines(_MAP_LINES)])


def _read_map(data: bytes) -> None:
    text = text_of(data)
    for prefixes in (False, True):
        found = UserMap(text, lambda path: "* included yes\n", prefixes=prefixes)
        for part, name in (("*", "alice"), ("*", "bob@example.net"), ("ssl", "/CN=x"), ("*", "aaaaaaaaa!")):
            found.output(part, name)
        for problem in found.problems:
            assert problem.startswith("line ")


PARSERS = (
    Parser("submit", _submit, _read_submit, _SUBMIT_WORDS),
    Parser("config", _config, _read_config, _CONFIG_WORDS),
    Parser("config-lint", _config, _read_lint, _CONFIG_WORDS),
    Parser("dag", _dag, _read_dag, _DAG_LINES),
    Parser("dag-checker", _dag, _read_dag_check, _DAG_LINES),
    Parser("transforms", _transform, _read_transform, _TRANSFORM_LINES),
    Parser("routes", _transform, _read_route, _TRANSFORM_LINES),
    Parser("arguments", _arguments, _read_arguments),
    Parser("environment", _environment, _read_environment),
    Parser("crontab", _crontab, _read_crontab, errors=(*Parser.errors, BadSchedule)),
    Parser("maps", _map, _read_map, _MAP_LINES),
)
