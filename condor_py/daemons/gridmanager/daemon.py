"""The condor_gridmanager of one user: receives the user's grid jobs from the schedd, and has remote systems run them.

It is started by the schedd with one end of a pair of sockets, gives up root before it does anything for its user, and
leaves when the schedd closes the other end. What it knows is in the queue and at the remote systems.
"""

from __future__ import annotations

import codecs
import json
import os
import socket
import sys
import traceback
from collections.abc import Callable, Iterator

from condor_py.core.grid import events
from condor_py.core.grid.actions import (
    Action,
    AskAd,
    AskJob,
    Cancel,
    CleanOthers,
    Engine,
    Look,
    Order,
    Say,
    StageIn,
    StageOut,
    Submit,
    Tell,
)
from condor_py.core.grid.ads import resource_ads
from condor_py.core.grid.core import GridManager
from condor_py.core.grid.naming import type_of
from condor_py.daemons.common.link import Link
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Loop, Timer, now
from condor_py.daemons.gridmanager.host import Host
from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config, load
from condor_py.lang.config.build import build
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders.grid import grid as grid_knobs
from condor_py.lang.config.builders.starter import transfer as transfer_knobs
from condor_py.machine.run.identity import Account, account_for
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError
from condor_py.model.messages import grid as say
from condor_py.model.messages.codec import Message, Refused
from condor_py.model.settings.grid import GridPlaces
from condor_py.model.states import HoldCode

# The engines of a gridmanager, by the type of resource; made when the first job needs them.


def _batch(host: Host) -> Engine:
    from condor_py.daemons.gridmanager.batchengine import BatchEngine

    return BatchEngine(host)


def _condor(host: Host) -> Engine:
    from condor_py.daemons.gridmanager.condorengine import CondorEngine

    return CondorEngine(host)


def _arc(host: Host) -> Engine:
    from condor_py.daemons.gridmanager.arcengine import ArcEngine

    return ArcEngine(host)


#: What makes the engine of a type.
MAKERS: dict[str, Callable[[Host], Engine]] = {"batch": _batch, "condor": _condor, "arc": _arc}


#: What files are opened with, and what looks up the address of a host.
_CODECS = ("ascii", "idna")


def load_engines() -> None:
    """Import what all engines need, codecs included, before the process takes the rights of a user: the account may
    not be able to read the directory of Python, where a codec that was not used before is "unknown"."""
    from condor_py.daemons.gridmanager import arcengine, batchengine, condorengine  # noqa: F401

    for codec in _CODECS:
        codecs.lookup(codec)


def engine_for(host: Host, engines: dict[str, Engine], kind: str) -> Engine:
    """The engine of a type. CondorError for an unknown type."""
    found = engines.get(kind)
    if found is None:
        maker = MAKERS.get(kind)
        if maker is None:
            raise CondorError(f"no jobs of grid type {kind!r} are run here")
        found = engines[kind] = maker(host)
    return found


def engines_in(host: Host, engines: dict[str, Engine]) -> Iterator[Engine]:
    """All engines that may have something to clean up: those in use, and that of batch systems, which leaves files."""
    engine_for(host, engines, "batch")
    return iter(list(engines.values()))


#: Seconds between two looks at what the ads of the resources say.
_SHOW_EVERY = 2.0
#: Seconds between two bundles of reports: each is a transaction of the queue. The first goes at once.
_TOGETHER = 0.1


class GridManagerDaemon:
    """Inbox, core, engines."""

    def __init__(self, sock: socket.socket, owner: str, config: Config) -> None:
        account = account_for(owner)
        self.owner = owner
        self.log = _open_log(config, owner)
        self._config = config
        directory = _directory(build(GridPlaces, config).sandbox, owner, account)
        _become(account)
        os.umask(0o022)
        self.loop = Loop()
        self.loop.on_fault(self._fault)
        self.loop.watch_children()
        self.core = GridManager(grid_knobs(config), int(now()))
        self._engines: dict[str, Engine] = {}
        self._host = Host(
            loop=self.loop,
            tell=self.tell,
            log=self.log.write,
            owner=owner,
            directory=directory,
            places=build(GridPlaces, config),
            transfer=transfer_knobs(config),
            access_point=daemon_knobs.daemon(config, "SCHEDD").schedd_name,
            job_named=self.core.job_named,
            remote_id=self.core.remote_id,
            names=lambda: list(self.core.state.names),
        )
        self._reports: list[Tell] = []
        self._collects = False
        self._shown: list[list[tuple[str, str]]] = []
        self._shows = False
        self._timer: tuple[int, Timer] | None = None
        self.link = Link(self.loop, sock, self._heard, self._left_alone, hears=say.FROM_SCHEDD)
        self.loop.on_batch_end(self._work)
        self.log.write_banner("gridmanager", owner=owner)

    # -- messages ----------------------------------------------------------------------------------

    def tell(self, event: events.Event) -> None:
        """Something for the core; what comes of it is done at the end of the turn."""
        self.core.handle(event, int(now()))
        self.loop.soon(_nothing)

    def _heard(self, link: Link, message: Message, body: bytes) -> None:
        match message:
            case say.GridJob(job, status, resource, global_id, grid_id, attempt, grid_status):
                self.tell(events.JobTold(job, status, resource, global_id, grid_id, attempt, grid_status))
            case say.GridJobGone(job):
                self.tell(events.JobGone(job))
            case say.GridAllTold():
                self.tell(events.AllTold())
            case say.GridAd(job):
                self.tell(events.AdCame(job, _ad_of(body)))
            case say.GridSettled(number):
                self.tell(events.Settled(number))
            case say.GridReconfig():
                self._reconfigure()
            case Refused(error):
                self.log.write(f"ERROR the schedd says: {error}")

    def _left_alone(self, link: Link) -> None:
        """The schedd has nothing for us to do, or is gone. What our commands have begun our successor will find."""
        for engine in self._engines.values():
            engine.close()
        self.loop.stop()

    def _reconfigure(self) -> None:
        try:
            config = load(os.environ, subsystem="GRIDMANAGER")
            settings = grid_knobs(config)
            self._host.configure(build(GridPlaces, config), transfer_knobs(config))
        except CondorError as error:
            self.log.write(f"Reconfig failed, the old configuration stays in force: {error}")
            return
        self.tell(events.Reconfigured(settings))

    # -- what is to be done ------------------------------------------------------------------------

    def _work(self) -> None:
        """The end of a turn: all that the core wants, and all that comes of it at once."""
        while actions := self.core.take():
            for action in actions:
                try:
                    self._carry_out(action)
                except CondorError as error:
                    self._cannot(action, str(error))
                except Exception as error:  # whatever is wrong with one job: what others want is done
                    self._fault(error)
                    self._cannot(action, f"{type(error).__name__}: {error}")
        if self._reports and not self._collects:
            self._collects = True
            self.loop.after(_TOGETHER, self._collected)
            self._report()
        self._set_timer()
        if not self._shows:
            self._shows = True
            self.loop.after(_SHOW_EVERY, self._show)

    def _report(self) -> None:
        reports, self._reports = self._reports, []
        self.link.send(say.GridReports(reports[-1].number, [_message(report) for report in reports]))

    def _collected(self) -> None:
        """Allow the next bundle: reports collected since the last one are sent at the end of this turn of the loop."""
        self._collects = False

    def _show(self) -> None:
        """The ads of the resources, when they have changed."""
        self._shows = False
        ads = resource_ads(self.core.state, self.owner)
        if ads != self._shown:
            self._shown = ads
            self.link.send(say.GridAds(ads))

    def _carry_out(self, action: Action) -> None:
        match action:
            case Tell():
                self._reports.append(action)
            case AskAd(job):
                self.link.send(say.GridAdWanted(job))
            case AskJob(job):
                self.link.send(say.GridJobWanted(job))
            case Say(text):
                self.log.write(text)
            case CleanOthers():
                for engine in engines_in(self._host, self._engines):
                    engine.carry_out(action)
            case _:
                engine_for(self._host, self._engines, type_of(action.resource)).carry_out(action)

    def _cannot(self, action: Action, why: str) -> None:
        """Fail an action on a resource that is not served here: it was submitted elsewhere, or edited since."""
        self.log.write(f"ERROR {why}")
        match action:
            case StageIn(job) | StageOut(job):
                self.tell(events.StageFailed(job, int(HoldCode.UNSPECIFIED), 0, why))
            case Submit(job):
                self.tell(events.SubmitFailed(job, why))
            case Look(resource):
                self.tell(events.LookFailed(resource, why))
            case Cancel(job, _, _, remote_id):
                self.tell(events.CancelFailed(job, remote_id, why))
            case Order(job, _, _, remote_id):
                self.tell(events.Disobeyed(job, remote_id, why))

    def _set_timer(self) -> None:
        due = self.core.due()
        if self._timer is not None and self._timer[0] == due:
            return
        if self._timer is not None:
            self._timer[1].cancel()
            self._timer = None
        if due is not None:
            self._timer = due, self.loop.after(max(0.05, due - now() + 0.05), self._tick)

    def _tick(self) -> None:
        self._timer = None
        self.tell(events.Tick())

    def _fault(self, error: Exception, what: str = "") -> None:
        self.log.write("ERROR " + "".join(traceback.format_exception(error)).rstrip())

    def serve(self) -> int:
        """Until the schedd lets go of us."""
        self.loop.run()
        self.log.write(f"**** condor_gridmanager (condor_GRIDMANAGER) pid {os.getpid()} EXITING WITH STATUS 0")
        return 0


def _nothing() -> None:
    """Makes the end of the turn come."""


def _message(report: Tell) -> say.GridReport:
    return say.GridReport(
        report.job,
        report.step.value,
        report.assignments,
        report.deletions,
        report.reason,
        report.code,
        report.subcode,
        report.when,
    )


def _ad_of(body: bytes) -> ClassAd | None:
    items = json.loads(body or b"{}")
    return ClassAd.from_text_items(items.items()) if items else None


def _open_log(config: Config, owner: str) -> DaemonLog:
    """GRIDMANAGER_LOG, one a user: its name is added unless the knob has it."""
    settings = daemon_knobs.log(config, "GRIDMANAGER")
    if settings.path and not settings.path.endswith(f".{owner}"):
        settings = changed(settings, path=f"{settings.path}.{owner}")
    return DaemonLog(settings, "gridmanager")


def _directory(top: str, owner: str, account: Account | None) -> str:
    """The user's own directory, which no other account may enter."""
    os.makedirs(top, 0o755, exist_ok=True)
    path = f"{top}/{owner}"
    os.makedirs(path, 0o700, exist_ok=True)
    if account is not None and os.geteuid() == 0:
        os.chown(path, account.uid, account.gid, follow_symlinks=False)
    return path


def _become(account: Account | None) -> None:
    """From here on everything is done with the rights of the user."""
    if account is None or os.geteuid() != 0 or account.uid == 0:
        return
    load_engines()
    os.setgroups(account.groups)
    os.setgid(account.gid)
    os.setuid(account.uid)
    os.environ.update(HOME=account.home, USER=account.name, LOGNAME=account.name)


def serve(words: list[str]) -> int:
    """``DESCRIPTOR OWNER``: the socket to the schedd, and whose jobs it is about."""
    try:
        sock, owner = socket.socket(fileno=int(words[0])), words[1]
    except (IndexError, ValueError, OSError):
        sys.stderr.write("condor_gridmanager is started by the condor_schedd\n")
        return 1
    try:
        daemon = GridManagerDaemon(sock, owner, load(os.environ, subsystem="GRIDMANAGER"))
    except (CondorError, OSError) as error:
        sys.stderr.write(f"condor_gridmanager for {owner}: {error}\n")
        return 1
    return daemon.serve()
