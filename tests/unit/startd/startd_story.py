"""Stories of startds: what happens to one, line by line, and below each line what comes of it.

A line that begins with ``> `` is a step. Behind it stand lines of the StartLog (``| ``), effects (``[Name] ...``) and
what has changed in the ads (``slot1@vm: Name = value  -Other``: Other is there no more). Of a step that begins with
``>> `` nothing is shown.

    > with killing_timeout=20 backfill=True      settings, before ``start`` or ``reconfig``
    > policy preempt="KeyboardIdle < 5"          of the slots; > attrs A=expression: their custom attributes
    > hooks keyword=X fetch_work=/f              programs that fetch work
    > static 2, > partitionable                  the slots (without: one partitionable slot)
    > start, > again                             a startd, and its successor
    > wait 10 load_avg=6.0                       time passes, then Poll, with other facts this once
    > claim slot1@vm RequestCpus=2               by alice; > claim slot1@vm by=bob: claims are called c1, c2, ...
    > better slot1@vm rank by=bob, > withdraw    a better claim
    > ready c1, > starter-gone c1 9              of the starter
    > run c1 1.0 A=expression, > started c1, > usage c1 A=expression, > end c1 1.0 exit_code=0, > end-fetched c1
    > stage c1 1.-1, > staged c1 A B, > run-with c1 1.0 A      common files: catalogs of 100 KB, 200 KB, ...
    > backfill-slots, > gpus 2                   partitionable slots that have it all once more; GPUs of the machine
    > EventName field=value ...                  any other event
    > ads slot1@vm Name ...                      attributes of an ad
    > wake                                       when the next timer ends
    > estimates                                  from here on it is shown when the machine would be drained

What follows from a line is not shown: that changed ads are published, and that a slot has entered a new state or
activity now. ``[Publish]`` stands where no more than the seconds of a state have changed, ``[unpublished]`` where more
has changed and is not published.
"""

from __future__ import annotations

import re
import shlex
from textwrap import wrap
from typing import Any

from startd_bench import FACTS, Bench, ev, fx, job_ad

from condor_py.lang.classad import ClassAd
from condor_py.model.ids import JobId
from condor_py.model.messages.runs import CatalogStaged
from condor_py.model.report import ExitReport
from condor_py.model.settings.startd import FetchHooks, MachineResource, SlotPolicy, SlotType, StartdSettings

#: What changes with every look, or says once more what others say.
_NOISE = re.compile(
    r"MyCurrentTime|LastHeardFrom|UpdateSequenceNumber|Updates\w+|ConsoleIdle|KeyboardIdle|ClockMin|ClockDay|"
    r"Recent(?!Job)\w+|Child(?!State)\w+|TotalInUse\w+|MonitorSelf\w+"
)
#: What the ad of the machine says of drains that nobody has asked for.
_ESTIMATES = re.compile(r"ExpectedMachine\w+")
#: Attributes that tell since when another one is as it is.
_SINCE = {"EnteredCurrentState": "State", "EnteredCurrentActivity": "Activity"}
#: Attributes that go on by themselves.
_CLOCKS = re.compile(r"Total(?:Time|Job|Claim|Machine)\w+|RetirementTimeRemaining|ExpectedMachine\w+")
_WIDTH = 116


class Story:
    """One startd, told step by step."""

    def __init__(self) -> None:
        self._settings: dict[str, Any] = {}
        self._expressions: dict[str, str] = {}
        self._types: list[tuple[bool, int]] = []
        self._behind = self._estimated = self._is_news = False
        self._bench: Bench | None = None
        self._seen: dict[str, dict[str, str]] = {}
        self._claims: dict[str, str] = {}
        self._remembered: dict[str, Any] | None = None

    @property
    def bench(self) -> Bench:
        assert self._bench is not None
        return self._bench

    def step(self, text: str) -> list[str]:
        """What comes of one step."""
        word, *rest = shlex.split(text)
        own = getattr(self, "_" + word.replace("-", "_"), None)
        before = 0 if self._bench is None or word == "again" else len(self._bench.log)
        if self._bench is not None:
            self._bench.effects = []
        lines = (own(*rest) if own is not None else self._event(word, rest)) or []
        if self._bench is None or word in ("ads", "wake"):
            return [self._named(line) for line in lines]
        shown = [f"| {line}" for line in self.bench.log[before:]]
        for effect in self.bench.effects:
            shown += _shown(effect)
        self._is_news = False
        changes, is_published = self._changes(), any(isinstance(one, fx.Publish) for one in self.bench.effects)
        if is_published != self._is_news:
            shown.append("[Publish]" if is_published else "[unpublished]")
        return [self._named(line) for line in (*lines, *shown, *changes)]

    # ---- steps ---------------------------------------------------------------------------------------------------

    def _with(self, *texts: str) -> None:
        self._settings.update(_values(texts))

    def _policy(self, *texts: str) -> None:
        self._expressions.update(text.split("=", 1) for text in texts)  # type: ignore[arg-type]

    def _attrs(self, *texts: str) -> None:
        self._expressions["attrs"] = tuple(tuple(text.split("=", 1)) for text in texts)  # type: ignore[assignment]

    def _hooks(self, *texts: str) -> None:
        self._settings["fetch_hooks"] = (FetchHooks(**_values(texts)),)

    def _static(self, count: str) -> None:
        self._types.append((False, int(count)))

    def _partitionable(self, count: str = "1") -> None:
        self._types.append((True, int(count)))

    def _backfill_slots(self) -> None:
        self._behind = True

    def _estimates(self) -> None:
        self._estimated = True

    def _gpus(self, count: str) -> None:
        units = tuple(f"GPU-{number}" for number in range(int(count)))
        self._settings["resources"] = (MachineResource("GPUs", float(count), ids=units),)

    def _made(self) -> StartdSettings:
        policy = SlotPolicy(**self._expressions)
        types = tuple(
            SlotType(number, count, whole, "auto", policy) for number, (whole, count) in enumerate(self._types, 1)
        )
        if self._behind:
            types += (SlotType(9, policy=policy, prefix="behind", backfill=True),)
        return StartdSettings(types=types or (SlotType(0, policy=policy),), events=True, **self._settings)

    def _start(self, *facts: str) -> None:
        made = Bench(self._made(), FACTS._replace(**_values(facts)), remembered=self._remembered)
        self._bench, made.effects = made, made.all_effects
        self._changes()

    def _again(self) -> None:
        """A new startd, which is told what the former one wanted to be remembered."""
        told = [effect.remembered for effect in self.bench.all_effects if isinstance(effect, fx.RememberDrain)]
        self._remembered = dict(told[-1]) if told else None
        self._start()

    def _reconfig(self) -> None:
        self.bench.do(ev.Reconfig(self._made()))

    def _wait(self, seconds: str, *facts: str) -> None:
        self.bench.wait(float(seconds), **_values(facts))

    def _claim(self, slot: str, *texts: str) -> None:
        words = dict(text.split("=", 1) for text in texts)
        by = words.pop("by", "alice")
        self.bench.ask(slot, job_ad(**words), f"{by}@example.net")
        self._learn()

    def _learn(self) -> None:
        for claim_id in sorted(self.bench.claim_ids() - set(self._claims.values())):
            self._claims[f"c{len(self._claims) + 1}"] = claim_id

    def _better(self, slot: str, why: str, *texts: str) -> None:
        words = dict(text.split("=", 1) for text in texts)
        by = words.pop("by", "bob")
        self.bench.requests += 1
        name = f"r{self.bench.requests}"
        request = ev.ClaimRequest(name, slot, f"{by}@example.net", by, job_ad(**words))
        self.bench.do(ev.BetterClaim(request, why == "rank"))
        self._learn()

    def _withdraw(self, name: str = "") -> None:
        self.bench.do(ev.WithdrawClaim(name))

    def _ready(self, claim: str) -> None:
        self.bench.do(ev.Ready(self._claims[claim], 4711))
        self._learn()

    def _run(self, claim: str, job: str, *texts: str) -> None:
        ad = job_ad(**dict(text.split("=", 1) for text in texts))
        self.bench.do(ev.Activate(self._claims[claim], job, 1, ad))

    def _stage(self, claim: str, job: str) -> None:
        self.bench.do(ev.Activate(self._claims[claim], job, 1, job_ad(), stages=True))

    def _staged(self, claim: str, *names: str) -> None:
        made = (
            CatalogStaged(name, "", f"id{name}", f"key{name}", "1", "ClusterId", "ap", f"/execute/{name}", 100 * number)
            for number, name in enumerate(names, 1)
        )
        self.bench.do(ev.CatalogsStaged(self._claims[claim], tuple(made)))

    def _run_with(self, claim: str, job: str, *names: str) -> None:
        keys = tuple(f"key{name}" for name in names)
        self.bench.do(ev.Activate(self._claims[claim], job, 1, job_ad(), common=keys))

    def _started(self, claim: str) -> None:
        self.bench.do(ev.RunStarted(self._claims[claim], JobId(1, 0), 1, 5000, 0.0, "/dir_1"))

    def _usage(self, claim: str, *texts: str) -> None:
        pairs = dict(text.split("=", 1) for text in texts)
        self.bench.do(ev.RunUpdate(self._claims[claim], JobId(1, 0), 1, pairs))

    def _end(self, claim: str, job: str, *texts: str) -> None:
        report = ExitReport(self._claims[claim], job, 1, **_values(texts))
        self.bench.do(ev.RunEnded(report))
        self._learn()

    def _end_fetched(self, claim: str, *texts: str) -> None:
        """The same of a job that was fetched, which has numbers of its own."""
        found = [effect for effect in self.bench.all_effects if isinstance(effect, fx.StartJob)]
        claim_id = self._claims[claim]
        job, run = next((one.job, one.run) for one in reversed(found) if one.claim == claim_id)
        self.bench.do(ev.RunEnded(ExitReport(claim_id, job, run, **_values(texts))))
        self._learn()

    def _starter_gone(self, claim: str, status: str = "0") -> None:
        self.bench.do(ev.StarterGone(self._claims[claim], int(status)))
        self._learn()

    def _event(self, word: str, texts: list[str]) -> None:
        fields = _values(tuple(texts))
        if "claim" in fields:
            fields["claim"] = self._claims[fields["claim"]]
        for name in ("pairs", "results", "jobs"):
            if isinstance(fields.get(name), str) and word in ("BenchmarksDone", "CronJobs", "CronAd", "UpdateAd"):
                fields[name] = _compound(word, name, fields[name])
        if word == "Sample":
            fields["attributes"] = {}
        if word == "WorkFetched":
            pairs = [part.split(":", 1) for part in str(fields["job"]).split(";") if part]
            fields["job"] = ClassAd.from_text_items(pairs) if pairs else None  # type: ignore[arg-type]
        self.bench.do(getattr(ev, word)(**fields))
        self._learn()

    def _ads(self, name: str, *attributes: str) -> list[str]:
        ad = self.bench.ads()[name]
        texts = dict(ad.text_items())
        return [f"{one} = {texts.get(one, '(none)')}" for one in attributes or sorted(texts)]

    def _wake(self) -> list[str]:
        when = self.bench.startd.next_wakeup()
        return ["never" if when is None else f"in {when - self.bench.now:g} s"]

    # ---- showing -------------------------------------------------------------------------------------------------

    def _changes(self) -> list[str]:
        """What is different in the ads since the last step."""
        now = {
            name: {key: text for key, text in ad.text_items() if not self._is_noise(key)}
            for name, ad in self.bench.ads().items()
        }
        machine = now["vm"]
        for name, texts in now.items():  # what the ad of the startd says is said there alone
            if name != "vm":
                now[name] = {key: text for key, text in texts.items() if machine.get(key) != text}
        lines = []
        for name in sorted({*self._seen, *now}):
            old, new = self._seen.get(name, {}), now.get(name)
            if new is None:
                lines.append(f"{name}: gone")
                self._is_news = True
            elif not old:
                lines.append(f"{name}: new")
                self._is_news = True
            else:
                changed = [key for key in sorted(new) if self._has_changed(key, old, new)]
                words = [f"{key} = {new[key]}" for key in changed] + [f"-{key}" for key in sorted(old.keys() - new)]
                self._is_news |= any(not _CLOCKS.fullmatch(key) for key in (*changed, *(old.keys() - new)))
                lines += _wrapped(f"{name}: ", words)
        self._seen = now
        return lines

    def _is_noise(self, key: str) -> bool:
        return bool(_NOISE.fullmatch(key) or (not self._estimated and _ESTIMATES.fullmatch(key)))

    def _has_changed(self, key: str, old: dict[str, str], new: dict[str, str]) -> bool:
        """Whether it is worth a word that an attribute is now so."""
        if key in _SINCE and old.get(_SINCE[key]) != new.get(_SINCE[key]):
            return new[key] != str(int(self.bench.now))
        return old.get(key) != new[key]

    def _named(self, line: str) -> str:
        for name, claim in self._claims.items():
            line = line.replace(claim, name)
        return line


def _shown(effect: fx.Effect) -> list[str]:
    if isinstance(effect, fx.Publish):
        return []
    values = {name: getattr(effect, name) for name in effect.__match_args__}
    if isinstance(effect, fx.RunOver):
        return _wrapped("[RunOver] ", [f"{name} = {text}" for name, text in sorted(effect.ad.text_items())])
    if isinstance(effect, fx.RememberDrain):
        return _wrapped("[RememberDrain] ", [f"{name}: {value}" for name, value in sorted(effect.remembered.items())])
    if isinstance(effect, fx.RunEnded):
        told = effect.report.to_wire()
        values = {key: told[key] for key in told if key != "usage"} | values | {"report": ""}
        values = {key: value for key, value in values.items() if value != 0}
    words = [
        f"{name}={value}" for name, value in values.items() if not isinstance(value, ClassAd) and value not in ("", ())
    ]
    return [f"[{type(effect).__name__}] {' '.join(words)}".rstrip()]


def _wrapped(head: str, words: list[str]) -> list[str]:
    """The words behind a head, in as many lines as they take."""
    return wrap(head + "  ".join(words), _WIDTH, subsequent_indent="    ") if words else []


def _compound(word: str, name: str, text: str) -> Any:
    """Lists of names, or of name:expression pairs, separated by semicolons."""
    parts = [part for part in text.split(";") if part]
    if name == "jobs":
        return tuple(parts)
    pairs = tuple(tuple(part.split(":", 1)) for part in parts)
    return dict(pairs) if word == "BenchmarksDone" else pairs  # type: ignore[arg-type]


def _values(texts: tuple[str, ...]) -> dict[str, Any]:
    words: dict[str, Any] = {"True": True, "False": False, "None": None}
    pairs = (text.split("=", 1) for text in texts)
    return {name: words[value] if value in words else _number(value) for name, value in pairs}


def _number(text: str) -> float | str:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    return float(text) if re.fullmatch(r"-?\d+\.\d+", text) else text


def tell(text: str) -> str:
    """The story with what comes of its steps now; comments and empty lines as they are."""
    story, lines = Story(), []
    for line in text.splitlines():
        if line.startswith("> "):
            lines.append(line)
            lines += story.step(line[2:])
        elif line.startswith(">> "):
            lines.append(line)
            story.step(line[3:])
        elif not line or line.startswith("#"):
            lines.append(line)
    return "\n".join(lines) + "\n"
