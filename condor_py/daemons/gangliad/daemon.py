"""The condor_gangliad daemon: sends figures of the pool's ads to Ganglia."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from condor_py.daemons.common.loop import monotonic, now
from condor_py.daemons.common.service import Service
from condor_py.daemons.gangliad import gmond
from condor_py.daemons.gangliad.gmond import Channel, Sender, Times
from condor_py.daemons.gangliad.metrics import Collection, Metric, check, definitions_of, spoofed, usual
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.build import build
from condor_py.lang.config.builders.ganglia import ganglia as ganglia_knobs
from condor_py.model.arguments import ArgumentError, words_of
from condor_py.model.errors import ConfigError, StoreError
from condor_py.model.settings.ganglia import GangliaSettings
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.store.ad_store import AdStore
from condor_py.store.advertised import Advertised

#: Seconds between two signs of life of a host.
_HEARTBEAT = 20.0
_KINDS = ("MASTER", "SCHEDD", "NEGOTIATOR", "STARTD", "SUBMITTERS", "DEFRAG", "ACCOUNTING")


@dataclass(frozen=True, slots=True)
class _Plan:
    """Settings, and the content of the files that they name."""

    knobs: GangliaSettings
    definitions: list[ClassAd]
    channels: list[Channel]
    gstat: list[str]

    @property
    def times(self) -> Times:
        """Until a metric is late, and forgotten."""
        late = self.knobs.interval * 2
        return Times(late, max(late * 3, self.knobs.lifetime))


def _plan(config: Config) -> _Plan:
    """Read everything. ConfigError."""
    knobs = ganglia_knobs(config)
    places: list[Channel] = []
    if knobs.library != "NOOP":
        places = gmond.channels(knobs.config)
        if not places and not knobs.gmetric:
            raise ConfigError(f"GANGLIA_CONFIG: {knobs.config} has no udp_send_channel", "GANGLIA_CONFIG")
    try:
        words = words_of(knobs.gstat)
    except ArgumentError as error:
        raise ConfigError(f"GANGLIA_GSTAT_COMMAND: {error}", "GANGLIA_GSTAT_COMMAND") from None
    return _Plan(knobs, _definitions(knobs.definitions), places, words)


def _definitions(directory: str) -> list[ClassAd]:
    """The definitions in the files of a directory; the usual ones where there is none. ConfigError."""
    if not os.path.isdir(directory):
        found = usual()
        for each in found:
            check(each, "the usual metrics")
        return found
    found = []
    for name in sorted(os.listdir(directory)):
        path = os.path.join(directory, name)
        if name.startswith((".", "#")) or name.endswith(("~", ".rpmsave", ".rpmnew", ".dpkg-old", ".dpkg-dist")):
            continue
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                found += definitions_of(file.read(), path)
        except OSError as error:
            raise ConfigError(f"GANGLIAD_METRICS_CONFIG_DIR: cannot read {path}: {error.strerror}") from None
    return found


class GangliadDaemon(Service):
    """Reads the ads of the pool every GANGLIAD_INTERVAL seconds."""

    subsystem = "GANGLIAD"
    kinds = ()

    def __init__(self, local_name: str = "") -> None:
        super().__init__(local_name)
        self._plan = _plan(self.config)
        self._sender = Sender(self._plan.channels)
        self._numbers: dict[str, float] = {}
        self._hosts: frozenset[str] = frozenset()
        self._needy: set[str] = set()
        self._zeros: dict[str, Metric] = {}
        self._due = 0.0
        self._say()
        self._beating = self.loop.every(self._beat_every(), self._beat)

    def _beat_every(self) -> float:
        return max(1.0, min(_HEARTBEAT, float(self._plan.knobs.interval)))

    def _say(self) -> None:
        knobs = self._plan.knobs
        self.log.write(f"{len(self._plan.definitions)} metrics are defined")
        if knobs.interval < 0:
            self.log.write("GANGLIAD_INTERVAL is less than 0, so no stats publications will be made.")
        elif knobs.library == "NOOP":
            self.log.write("GANGLIA_LIB=NOOP, so nothing is sent")
        else:
            how = knobs.gmetric or ", ".join(f"{place.host}:{place.port}" for place in self._plan.channels)
            self.log.write(f"Will publish every GANGLIAD_INTERVAL={knobs.interval} seconds to {how}.")

    def prepare(self, config: Config) -> Callable[[], None]:
        """Other metrics, or another place."""
        plan = _plan(config)

        def take() -> None:
            self._plan = plan
            self._sender.close()
            self._sender = Sender(plan.channels)
            self._due = 0.0
            self._beating.change(self._beat_every())
            self._say()

        return take

    def _beat(self) -> None:
        knobs = self._plan.knobs
        if knobs.interval < 0:
            return
        if monotonic() >= self._due:
            self._due = monotonic() + knobs.interval - 0.5
            self._publish()
        for host in sorted(self._needy):
            self._send_heartbeat(host)

    def _publish(self) -> None:
        knobs = self._plan.knobs
        if not knobs.all_hosts and knobs.library != "NOOP":
            self._hosts = gmond.known_hosts(self._plan.gstat, self.log.write)
        try:
            ads = self._ads()
        except StoreError as error:
            self.log.write(f"Couldn't fetch ads: {error}")
            return
        self._needy.clear()
        collection = Collection(knobs.rules, self.settings.host, self._numbers)
        metrics = collection.take(self._plan.definitions, ads)
        self._numbers = collection.numbers
        sent = sum([self._send(metric) for metric in [*metrics, *self._gone(metrics)]])
        self.log.write(f"Ganglia metrics sent: {sent}")

    def _ads(self) -> list[ClassAd]:
        """Every ad of the pool. StoreError."""
        store, moment = AdStore(self.paths.ads), int(now())
        others = Advertised(store, build(RememberedSettings, self.config))
        return [ad for kind in _KINDS for ad in (*store.read(kind), *others.read(kind, moment))]

    def _gone(self, metrics: list[Metric]) -> list[Metric]:
        """The sums of before that there are no more, as zero (GANGLIAD_WANT_RESET_METRICS)."""
        if not self._plan.knobs.resets:
            return []
        from dataclasses import replace

        sums = {each.name: each for each in metrics if each.group == "HTCondor Pool" and each.kind != "string"}
        zeros = [replace(each, value="0") for name, each in self._zeros.items() if name not in sums]
        self._zeros = sums
        return zeros

    def _send(self, metric: Metric) -> bool:
        knobs = self._plan.knobs
        if not metric.machine:
            return False
        if metric.machine not in self._hosts and knobs.library != "NOOP":
            if not knobs.all_hosts:
                return False
            self._needy.add(spoofed(metric))
        if knobs.library == "NOOP":
            return True
        if knobs.gmetric:
            problem = gmond.run(gmond.gmetric(knobs.gmetric, knobs.config, metric, self._plan.times))
        else:
            problem = self._packets(list(gmond.packets(metric, self._plan.times)))
        if problem:
            self.log.write(f"Failed to publish metric {metric.name} for {metric.machine}: {problem}")
        return not problem

    def _send_heartbeat(self, host: str) -> None:
        knobs = self._plan.knobs
        if knobs.gmetric:
            gmond.run([knobs.gmetric, f"--conf={knobs.config}", f"--spoof={host}", "--heartbeat"])
        else:
            self._packets(list(gmond.heartbeat(host)))

    def _packets(self, data: list[bytes]) -> str:
        """Send packets, and return what is wrong; "" for nothing."""
        try:
            for each in data:
                self._sender.send(each)
        except OSError as error:
            return error.strerror or str(error)
        return ""

    def shutdown(self, how: str) -> None:
        """Leaves at once."""
        self.leave(0)
