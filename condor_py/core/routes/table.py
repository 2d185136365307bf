"""The routing table: routes in the transform language, or in the syntax of ClassAds that was before it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from condor_py.core.routes.oldroutes import BadRoute, old_routes
from condor_py.lang.classad import ClassAd, ClassAdParseError, finite, parse, whole
from condor_py.lang.macro.errors import MacroError, StatementError
from condor_py.lang.macro.expand import expand
from condor_py.lang.macro.statements import Assign, Host, StatementReader
from condor_py.lang.submit.text import unquote
from condor_py.lang.submit.transform import Transform, TransformError, check_statements, read_rules, statement_lines
from condor_py.lang.submit.transform_old import is_old, read_old_rules
from condor_py.model.settings.router import RouterSettings
from condor_py.model.states import Universe
from condor_py.model.texts import as_integer

_UNIVERSES = {
    "standard": 1, "vanilla": 5, "docker": 5, "container": 5, "scheduler": 7, "grid": 9, "globus": 9, "java": 10,
    "parallel": 11, "local": 12, "vm": 13,
}  # fmt: skip
_NUMBERS = {1: "STANDARD", 5: "VANILLA", 7: "SCHEDULER", 9: "GRID", 10: "JAVA", 11: "PARALLEL", 12: "LOCAL", 13: "VM"}
_FAILURE_RATE = 0.03
#: What may be set in a route and is not followed here.
_NOT_FOLLOWED = ("JobShouldBeSandboxed", "UseSharedX509UserProxy", "SandboxDir", "SendIDTokens")


class Condition:
    """An expression about a job, which may call it TARGET as well. ClassAdParseError."""

    __slots__ = ("_expression", "_of_target")

    def __init__(self, text: str) -> None:
        self._expression = parse(text)
        self._of_target = "target" in text.lower()

    def holds(self, job: ClassAd) -> bool:
        """Whether it is true; undefined is false."""
        value = job.raw(self._expression, job.copy() if self._of_target else None)
        return bool(value) if type(value) in (bool, int, float) else False


@dataclass(frozen=True, slots=True)
class Route:
    """One way for jobs. ``universe`` is a number, ``failure_rate`` in jobs a second; a test may be None."""

    name: str
    transform: Transform
    universe: int = int(Universe.GRID)
    grid_resource: str = ""
    max_jobs: int = 100
    max_idle_jobs: int = 50
    failure_rate: float = _FAILURE_RATE
    requirements: Condition | None = None
    failure_test: Condition | None = None
    edit_in_place: Condition | None = None

    def lines(self, universe: bool = True) -> list[str]:
        """The rules as condor_job_router_info shows them; without ``universe`` only what they say of it."""
        word = _NUMBERS.get(self.universe, str(self.universe)) if universe or self.transform.universe else ""
        return shown(self.transform, self.name, word)


def shown(transform: Transform, name: str, universe: str = "") -> list[str]:
    """Rules line by line, first the conditions for their jobs."""
    head = [f"NAME {name}"]
    if universe:
        head.append(f"UNIVERSE {universe}")
    if transform.requirements:
        head.append(f"REQUIREMENTS {transform.requirements}")
    return [*head, *(line.text for line in statement_lines(transform.body))]


def is_met(condition: Condition | None, job: ClassAd, default: bool = False) -> bool:
    """Whether a condition holds for a job; ``default`` without a condition."""
    return default if condition is None else condition.holds(job)


@dataclass(slots=True)
class RoutingTable:
    """The routes in their order, the transforms before and after them, and lines for the log about both."""

    routes: dict[str, Route] = field(default_factory=dict)
    pre_route: list[Transform] = field(default_factory=list)
    post_route: list[Transform] = field(default_factory=list)
    constraint: Condition | None = None
    notes: list[str] = field(default_factory=list)
    enabled: bool = True

    @classmethod
    def read(cls, settings: RouterSettings) -> RoutingTable:
        """The table that is configured. What cannot be understood is left out, and named in ``notes``."""
        table = cls(notes=list(settings.notes), enabled=settings.enabled)
        texts = dict(settings.transforms)
        table.pre_route = list(table._transforms(settings.pre_route, texts))
        table.post_route = list(table._transforms(settings.post_route, texts))
        if settings.constraint:
            table.constraint = Condition(settings.constraint)
        found: dict[str, Route] = {}
        for name, text in (*_old(settings, table.notes), *settings.routes):
            if (route := table._route(name, text, settings)) is not None:
                found[name.lower()] = route
        order = list(found) if settings.order is None else [name.lower() for name in settings.order]
        for name in order:
            if name in found:
                table.routes[name] = found.pop(name)
            elif name not in table.routes:
                written = next((each for each in settings.order or () if each.lower() == name), name)
                table.notes.append(f"route '{written}' from JOB_ROUTER_ROUTE_NAMES not found in the routing table.")
        if found:
            unused = ", ".join(route.name for route in found.values())
            table.notes.append(f"Routes not in JOB_ROUTER_ROUTE_NAMES will be disabled: {unused}")
        return table

    def keep_routes(self, before: RoutingTable) -> None:
        """Take over the routes of another table."""
        self.routes = dict(before.routes)

    def _transforms(self, names: tuple[str, ...], texts: dict[str, str]) -> Iterator[Transform]:
        for name in names:
            if name not in texts:
                continue
            try:
                yield _rules(texts[name], name, f"JOB_ROUTER_TRANSFORM_{name}")
            except TransformError as error:
                self.notes.append(f"JOB_ROUTER_TRANSFORM_{name} load error: {error}")
                self.enabled = False

    def _route(self, name: str, text: str, settings: RouterSettings) -> Route | None:
        try:
            route = read_route(name, text, settings)
        except BadRoute as error:
            self.notes.append(f"CONFIGURATION ERROR: {error}")
            self.notes.append(f"Ignoring route entry in JOB_ROUTER_ROUTE_{name}")
            return None
        if route.requirements is None and not settings.constraint:
            self.notes.append(f"CONFIGURATION ERROR: Missing Requirements in job route {name}.")
            return None
        macros = {line.text.partition("=")[0].strip().lower() for line in statement_lines(route.transform.body)}
        self.notes += [
            f"WARNING: {name}: {word} is not supported and ignored." for word in _NOT_FOLLOWED if word.lower() in macros
        ]
        return route


def _old(settings: RouterSettings, notes: list[str]) -> list[tuple[str, str]]:
    """Name and text of the routes of old tables; a table that cannot be read is logged and left out."""
    try:
        return old_routes(settings.old, settings.old_defaults, notes)
    except BadRoute as error:
        notes.append(f"CONFIGURATION ERROR: {error}")
        return []


def _rules(text: str, name: str, source: str) -> Transform:
    return read_old_rules(text, name) if is_old(text) else read_rules(text, name, source, keep_name=True)


def read_route(name: str, text: str, settings: RouterSettings) -> Route:
    """The route of a text in either syntax. BadRoute says why there is none."""
    try:
        transform = _rules(text, name, f"JOB_ROUTER_ROUTE_{name}")
        if problem := check_statements(transform):
            raise BadRoute(f"JOB_ROUTER_ROUTE_{name}: {problem}")
        macro = _macros(transform, settings)
        return _with_limits(name, transform, macro, settings)
    except (TransformError, MacroError, StatementError, ClassAdParseError) as error:
        raise BadRoute(f"JOB_ROUTER_ROUTE_{name}: {error}") from None


def _with_limits(name: str, transform: Transform, macro: Callable[[str], str], settings: RouterSettings) -> Route:
    def condition(word: str) -> Condition | None:
        value = macro(word)
        return Condition(value) if value else None

    rate = _number(macro("FailureRateThreshold"), _FAILURE_RATE, "FailureRateThreshold")
    return Route(
        name=name,
        transform=transform,
        universe=_universe(transform.universe or macro("TargetUniverse")),
        grid_resource=unquote(macro("GridResource")) or macro("GridResource"),
        max_jobs=whole(_number(macro("MaxJobs"), settings.default_max_jobs, "MaxJobs")),
        max_idle_jobs=whole(_number(macro("MaxIdleJobs"), settings.default_max_idle_jobs, "MaxIdleJobs")),
        failure_rate=rate,
        requirements=Condition(transform.requirements) if transform.requirements else None,
        failure_test=condition("JobFailureTest"),
        edit_in_place=condition("EditJobInPlace"),
    )


def _number(text: str, default: float, word: str) -> float:
    if not text:
        return default
    value = finite(ClassAd().raw(parse(text)))
    if value is None:
        raise BadRoute(f"{word}: {text} is not a number")
    return value


def _universe(word: str) -> int:
    if not word:
        return int(Universe.GRID)
    bare = (unquote(word) or word).strip().lower()
    number = as_integer(bare) if bare.isdecimal() else _UNIVERSES.get(bare, 0)
    if number not in _NUMBERS:
        raise BadRoute(f"{word} is not a universe")
    return number


def _macros(transform: Transform, settings: RouterSettings) -> Callable[[str], str]:
    """Looks up what the rules set, expanded; "" for what they do not set. Nothing is carried out for that."""
    values: dict[str, str] = {}

    def lookup(name: str) -> str | None:
        return values.get(name.lower()) or settings.macro(name)

    host = Host(lookup=lookup, expand=lambda raw: expand(raw, lookup))
    for statement in StatementReader(transform.body, transform.source, host, submit=True):
        if isinstance(statement, Assign):
            values[statement.name.lower()] = statement.value

    def value(name: str) -> str:
        return expand(values.get(name.lower(), ""), lookup).strip()

    return value
