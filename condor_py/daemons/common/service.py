"""The base of all daemons: configuration, log, lock, socket, signals, and noticing that the parent died."""

from __future__ import annotations

import os
import resource
import signal
import stat
import sys
import time
import traceback
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from condor_py.client.lockfile import take_lock
from condor_py.daemons.common.condorids import Home, condor_account
from condor_py.daemons.common.configuration import DaemonConfiguration, Outcome
from condor_py.daemons.common.configuration import answer as answer_about_settings
from condor_py.daemons.common.daemonad import OwnAds
from condor_py.daemons.common.guard import FaultGuard
from condor_py.daemons.common.link import Link, Listener
from condor_py.daemons.common.logfile import DaemonLog
from condor_py.daemons.common.loop import Loop
from condor_py.daemons.common.oldobjects import leave_old_objects_alone
from condor_py.daemons.common.strangers import may_command, serves_others
from condor_py.lang.classad import ClassAd, is_true, parse
from condor_py.lang.config import Config, load
from condor_py.lang.config.build import build
from condor_py.lang.config.builders import daemon as daemon_knobs
from condor_py.lang.config.builders import expressions
from condor_py.lang.config.builders.history import daemon_history
from condor_py.lang.config.builders.paths import paths as path_knobs
from condor_py.machine.run.identity import forget_accounts
from condor_py.model.copies import changed
from condor_py.model.errors import CondorError, ConfigError, StoreError
from condor_py.model.messages import common as say
from condor_py.model.messages.access import AccessRequest
from condor_py.model.messages.codec import Message, Refused, Vocabulary
from condor_py.model.messages.wakeups import Done
from condor_py.model.settings.paths import PoolPaths
from condor_py.model.settings.remembered import RememberedSettings
from condor_py.model.version import CONDOR_VERSION
from condor_py.store.ad_store import AdStore
from condor_py.store.address import Address, remove_address, write_ad_file, write_address
from condor_py.store.adlog import Damage
from condor_py.store.foreign import Guard
from condor_py.store.fs import RealFs, make_durable_directory, remove_temporaries
from condor_py.store.table import AdTable

if TYPE_CHECKING:
    from condor_py.daemons.common.access import Access

# What stays known of the machine of a daemon that leaves (EXPIRE_INVALIDATED_ADS).


def take_back(store: AdStore, kind: str, config: Config, now: int) -> None:
    """Takes back what a daemon has published as ``kind``; what is to be remembered becomes absent. StoreError."""
    settings = build(RememberedSettings, config)
    if settings.log and settings.keeps_invalidated:
        from condor_py.store.advertised import Advertised

        Advertised(store, settings).left(kind, store.read(kind), now)
    store.remove(kind)


def come_back(store: AdStore, kinds: Iterable[str], ads: Iterable[ClassAd], config: Config, now: int) -> None:
    """A daemon publishes for the first time: ``ads`` are absent no more. StoreError."""
    settings = build(RememberedSettings, config)
    if not settings.log:
        return
    from condor_py.store.advertised import Advertised

    for kind in kinds:
        Advertised(store, settings).returned(kind, ads, now)


PARENT_FD = "CONDOR_PY_PARENT_FD"
#: What another HTCondor hands to its own children: it says nothing about us.
_NOT_OURS = frozenset(("CONDOR_INHERIT", "CONDOR_PRIVATE_INHERIT", "CONDOR_DCADDR", PARENT_FD))
#: How long a daemon waits for its predecessor to be gone.
_LOCK_PATIENCE = 20.0
#: Seconds between two copies of a daemon's ad in its file, at least.
_AD_EVERY = 60.0
#: With this exit status a daemon says that it is not to be started again before condor_on.
NO_RESTART = 99


def make_directories(where: PoolPaths, is_public: bool) -> None:
    """Make LOCAL_DIR and what belongs below it; what is there is closed where others are not served.

    ConfigError names the knob.
    """
    mode = 0o755 if serves_others(is_public) else 0o700
    for knob, path in (
        ("LOCAL_DIR", where.local_dir),
        ("LOG", where.log),
        ("SPOOL", where.spool),
        ("LOCK", where.lock),
        ("EXECUTE", where.execute),
        ("DAEMON_SOCKET_DIR", where.sockets),
    ):
        try:
            make_durable_directory(path, mode)
            if knob != "LOCAL_DIR":  # which may be a home
                _fit(path, mode)
        except OSError as error:
            raise ConfigError(f"{knob}: cannot make the directory {path}: {error.strerror}") from None


def _fit(path: str, mode: int) -> None:
    """Close a directory of an ordinary account's pool to others, or open it again."""
    found = os.stat(path)
    if os.geteuid() and found.st_uid == os.geteuid() and (mode == 0o700 or stat.S_IMODE(found.st_mode) == 0o700):
        os.chmod(path, mode)


def daemon_environment() -> dict[str, str]:
    """Return the environment that daemons pass to one another: all of the environment of the account that started the
    pool, as HTCondor does, for the programs that they run for jobs (plugins, hooks ...). The daemons are isolated
    Pythons, which ignore PYTHONPATH and similar; jobs get an environment of their own (``machine.run.environment``)."""
    return {name: value for name, value in os.environ.items() if name not in _NOT_OURS}


class Service:
    """Base of the daemons. Subclasses fill in ``message``, ``shutdown`` and, if they like, the rest.

    ``local_name`` is the name under which knobs are looked up first (``NAME.KNOB``), from -local-name; "" for none.
    """

    subsystem = ""
    #: The kinds of ads that this daemon publishes.
    kinds: tuple[str, ...] = ()
    #: Bytes of a request that an account may make that may not command the daemon.
    longest_request = 1 << 20
    #: What it understands.
    hears = Vocabulary(*say.BY_EVERYBODY)

    def __init__(self, local_name: str = "") -> None:
        os.umask(0o022)  # whatever it was in the shell that started the pool
        _ignore_nothing()
        self.loop = Loop()
        self.born = int(time.time())
        self.own_ads = OwnAds(self.born)
        self.configuration = DaemonConfiguration(self.subsystem, local_name)
        self.paths = path_knobs(self.config)
        Guard(self.paths.spool).check()
        self.settings = daemon_knobs.daemon(self.config, self.subsystem)
        make_directories(self.paths, self.settings.is_public)
        self.name = self.subsystem.lower()
        self.log = DaemonLog(self.settings.log, self.name)
        #: The account for our programs that belong to no job; None for our own. It does not change while we run.
        self.condor = condor_account(self.config)
        self.guard = FaultGuard(self.log.write)
        self.loop.on_fault(self.guard.fault)
        leave_old_objects_alone()
        expressions.install(self.config, self.subsystem, self.log.write)
        limit_resources(self.config, self.subsystem, self.log.write)
        # Only the master knows that a predecessor is about to leave.
        patience = _LOCK_PATIENCE if PARENT_FD in os.environ else 0.0
        self._lock = take_lock(self.paths.daemon_lock(self.subsystem), patience)
        self.listener = Listener(
            self.loop,
            self.paths.socket(self.name),
            self._message,
            self.link_closed,
            complain=self.log.write,
            longest=self.longest_request,
            hears=self.hears,
            is_public=self.settings.is_public,
        )
        self._access_answers: Access | None = None
        self.stopping = ""
        self._ad_due = self._keep_due = 0.0
        self._is_back = False
        self._own_history = daemon_history(self.config, self.subsystem)
        self._dismissed = ""  # by DAEMON_SHUTDOWN
        self.loop.on_signal(signal.SIGTERM, lambda: self._shutdown("graceful"))
        self.loop.on_signal(signal.SIGQUIT, lambda: self._shutdown("fast"))
        self.loop.on_signal(signal.SIGINT, lambda: self._shutdown("fast"))
        self.loop.on_signal(signal.SIGHUP, self.reconfig)
        for number in (signal.SIGUSR1, signal.SIGUSR2):  # which end no daemon of HTCondor
            self.loop.on_signal(number, partial(self._ignore, number))
        self._watch_parent()
        self._remove_temporaries()
        self._write_address()
        self.log.write_banner(self.name, self.subsystem)

    @property
    def config(self) -> Config:
        """The configuration that this daemon holds now."""
        return self.configuration.config

    @property
    def home(self) -> Home:
        """The account that our programs run as, and their directory."""
        return Home(self.condor, self.paths.log)

    def _remove_temporaries(self) -> None:
        """Removes what daemons and commands were writing when they were killed."""
        for directory in (self.paths.log, self.paths.spool, self.paths.ads):
            try:
                for path in remove_temporaries(RealFs(), directory):
                    self.log.write(f"removing left-over {path}")
            except OSError as error:
                self.log.write(f"cannot remove what was left in {directory}: {error.strerror}")

    def _watch_parent(self) -> None:
        text = os.environ.pop(PARENT_FD, "")
        if text:
            self.loop.read(int(text), lambda: self._parent_gone(int(text)))

    def _parent_gone(self, descriptor: int) -> None:
        self.loop.forget(descriptor)
        self.log.write("The condor_master is gone: shutting down fast")
        self._shutdown("fast")

    def _ignore(self, number: int) -> None:
        self.log.write(f"DaemonCore: received request for unregistered Signal {number} !")

    def _address_file(self) -> str:
        directory = self.paths.spool if self.subsystem == "SCHEDD" else self.paths.log
        return self.config.path(f"{self.subsystem}_ADDRESS_FILE") or f"{directory}/.{self.name}_address"

    def _write_address(self) -> None:
        write_address(self._address_file(), Address(self.settings.address, CONDOR_VERSION, self.settings.platform))

    # -- messages ----------------------------------------------------------------------------------

    def _message(self, link: Link, message: Message, body: bytes) -> None:
        if isinstance(message, say.ConfigRequest):
            link.send(answer_about_settings(self.configuration, message, link.peer, self._prepare, self.log.write))
        elif isinstance(message, AccessRequest):
            link.send(self._access().answer(self.config, message, link.peer))
        elif isinstance(message, say.Order):
            self._obey(link, message)
        else:
            self.message(link, message, body)

    def _access(self) -> Access:
        """Return what answers condor_ping and the condor_token tools, which most daemons never hear of."""
        if self._access_answers is None:
            from condor_py.daemons.common.access import Access

            self._access_answers = Access(self.log.write)
        return self._access_answers

    def _obey(self, link: Link, order: say.Order[Any]) -> None:
        if not self.is_admin(link):
            link.send(Refused("denied"))
            return
        if isinstance(order, say.Reconfig):
            link.send(self.reconfig_answer(order))
            return
        link.send(Done())
        link.flush()
        if isinstance(order, say.Shutdown):
            self._shutdown(order.how)

    def is_admin(self, link: Link) -> bool:
        """Whether the peer may command this daemon: the user it runs as, and root."""
        return may_command(link.peer)

    def message(self, link: Link, message: Message, body: bytes) -> None:
        """Handle a message that not every daemon understands, or a wakeup."""

    def link_closed(self, link: Link) -> None:
        """A connection ended."""

    # -- life --------------------------------------------------------------------------------------

    def reconfig(self) -> Outcome:
        """Reads the configuration again, and says in the log what became of it."""
        forget_accounts()  # changes of groups or accounts hold from condor_reconfig on
        outcome = self.configuration.reload(self._prepare)
        if outcome.failed:
            self.log.write(f"Reconfig failed, the old configuration stays in force: {outcome.failed}")
            return outcome
        for line in (*outcome.refused, *outcome.restart):
            self.log.write(f"Reconfig: {line}")
        if self._access_answers is not None:
            self._access_answers.forget_requests()
        self.log.write("Reconfigured")
        return outcome

    def reconfig_answer(self, order: say.Reconfig) -> say.Reconfigured:
        """Obey condor_reconfig, and return the outcome for it."""
        return say.Reconfigured(*self.reconfig())

    def _prepare(self, config: Config) -> Callable[[], None]:
        settings = daemon_knobs.daemon(config, self.subsystem)
        history = daemon_history(config, self.subsystem)
        take_others = self.prepare(config)

        def take() -> None:
            self.settings, self._own_history = settings, history
            self.log.retune(settings.log)
            expressions.install(config, self.subsystem, self.log.write)
            take_others()

        return take

    def prepare(self, config: Config) -> Callable[[], None]:
        """Reads the settings of this daemon, and returns what puts them in force. ConfigError before that."""
        return lambda: None

    def _shutdown(self, how: str) -> None:
        if self.stopping == "fast" or (self.stopping and how != "fast"):
            return
        self.stopping = how
        self.log.write(f"Got a {how} shutdown request")
        self.shutdown(how)

    def published(self, ads: Sequence[ClassAd]) -> None:
        """After each look at oneself: a copy goes into the daemon's file, and DAEMON_SHUTDOWN_FAST or DAEMON_SHUTDOWN
        may say that it is time to go, for good."""
        self._write_ad(ads)
        self._keep_ad(ads)
        self._come_back(ads)
        knobs = self.settings
        for when, how in ((knobs.shutdown_fast_when, "fast"), (knobs.shutdown_when, "graceful")):
            if not when or self._dismissed in (how, "fast"):
                continue
            condition = parse(when)
            if any(is_true(ad.evaluate(condition)) for ad in ads):
                self.log.write(f'The shutdown expression "{when}" evaluated to TRUE: starting {how} shutdown')
                self._dismissed = how
                self.loop.soon(partial(self._shutdown, how))  # not while the news of before are handled

    def _come_back(self, ads: Sequence[ClassAd]) -> None:
        """Once: what the daemon before us has left as absent is here again."""
        if self._is_back:
            return
        self._is_back = True
        try:
            come_back(AdStore(self.paths.ads), self.kinds, ads, self.config, int(time.time()))
        except StoreError as error:
            self.log.write(str(error))

    def _write_ad(self, ads: Sequence[ClassAd]) -> None:
        """Other programs read an address there, and not the counts of the moment: now and then is enough."""
        path, moment = self.settings.ad_file, time.monotonic()
        if not path or not ads or moment < self._ad_due:
            return
        self._ad_due = moment + _AD_EVERY
        try:
            write_ad_file(path, ads[0])
        except StoreError as error:
            self.log.write(str(error))

    def _keep_ad(self, ads: Sequence[ClassAd]) -> None:
        """<SUBSYS>_DAEMON_HISTORY; of the startd's ads the last is its own."""
        knobs, moment = self._own_history, time.monotonic()
        if not knobs.path or not ads or moment < self._keep_due:
            return
        from condor_py.store.daemon_history import append_daemon_ad  # few daemons keep theirs

        self._keep_due = moment + knobs.interval
        try:
            append_daemon_ad(
                knobs.path, self.subsystem, ads[-1], int(time.time()),
                max_size=knobs.max_size, rotations=knobs.rotations,
            )  # fmt: skip
        except StoreError as error:
            self.log.write(str(error))

    def shutdown(self, how: str) -> None:
        """``graceful``, ``fast`` or ``peaceful``; ends in ``leave``."""
        self.leave(0)

    def leave_after(self, seconds: float) -> None:
        """Shut down gracefully after so many seconds (-runfor)."""
        self.loop.after(seconds, lambda: self._shutdown("graceful"))

    def leave(self, status: int) -> None:
        """Ends the process at the end of this turn."""
        self.status = status
        self.loop.stop()

    def serve(self) -> int:
        """Run until an order to stop; return the exit status."""
        self.status = 0
        try:
            self.loop.run()
        except Exception as error:
            self.log.write(f"ERROR {traceback.format_exc().rstrip()}")
            self.log.write(f'ERROR "{describe(error)}"')
            raise
        self._withdraw()
        if self._dismissed and self.status == 0:
            self.status = NO_RESTART
        self.listener.close()
        remove_address(self._address_file())
        if self.settings.ad_file:
            remove_address(self.settings.ad_file)
        self.log.write(
            f"**** condor_{self.name} (condor_{self.subsystem}) pid {os.getpid()} EXITING WITH STATUS {self.status}"
        )
        return self.status

    def _withdraw(self) -> None:
        """Takes back the published ads, when no callback can publish them once more."""
        ads = AdStore(self.paths.ads)
        try:
            for kind in self.kinds:
                take_back(ads, kind, self.config, int(time.time()))
        except StoreError as error:
            self.log.write(str(error))


def _ignore_nothing() -> None:
    """Reset ignored signals, so that jobs do not ignore what the process that started the pool ignores (a script in
    programs started with "&", nohup). The interpreter ignores two signals itself, and resets them for programs."""
    for number in signal.valid_signals() - {signal.SIGPIPE, signal.SIGXFSZ}:
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, signal.SIG_DFL)


#: Open files without which a daemon does not start: with fewer it can accept no jobs, or not start them.
_LEAST_DESCRIPTORS = 32


def limit_resources(config: Config, subsystem: str, tell: Callable[[str], None]) -> None:
    """Apply [<SUBSYS>_]MAX_FILE_DESCRIPTORS and CREATE_CORE_FILES to this process, as far as the kernel lets it.
    CondorError where so few files may be open that the daemon could not work."""
    knob = f"{subsystem}_MAX_FILE_DESCRIPTORS"
    files = config.integer(knob, -1)
    if files < 0:
        knob = "MAX_FILE_DESCRIPTORS"
        files = config.integer(knob, 0)
    if files > 0:
        _allow_descriptors(knob, files, tell)
    most, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    if most < _LEAST_DESCRIPTORS:
        why = f"{knob} is {files}" if most == files else "ulimit -n shows it"
        raise CondorError(
            f"condor_{subsystem.lower()} may have {most} open files ({why}): it needs {_LEAST_DESCRIPTORS} at least"
        )
    if config.macros.get("CREATE_CORE_FILES"):
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (most if config.boolean("CREATE_CORE_FILES") else 0, most))


def _allow_descriptors(knob: str, files: int, tell: Callable[[str], None]) -> None:
    """Set the limit of open files; where it may not be raised (an ordinary account, root in a container) the hard limit
    is all there is."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    hard = most if most == resource.RLIM_INFINITY else max(files, most)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, hard))
    except (ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        tell(f"WARNING: {knob} is {files}, but this process may have no more than {most} open files: using {most}")


def describe(error: BaseException) -> str:
    """One line for a log."""
    return f"{type(error).__name__}: {error}"


def run_service(make: Any, local_name: str = "", up: Callable[[Any], None] = lambda service: None) -> int:
    """Make a daemon, call ``up`` with it, and serve; what goes wrong before it has a log goes to standard error."""
    try:
        service: Service = make(local_name)
    except CondorError as error:
        sys.stderr.write(f"{error}\n")
        _last_words(make.subsystem, local_name, str(error))
        return 1
    except ModuleNotFoundError as error:
        from condor_py.model.packages import lacking

        _last_words(make.subsystem, local_name, lacking(error) or describe(error))
        raise
    except Exception as error:  # the traceback goes to the log of the master
        _last_words(make.subsystem, local_name, describe(error))
        raise
    up(service)
    return service.serve()


def _last_words(subsystem: str, local_name: str, text: str) -> None:
    """Write the reason why a daemon cannot start to its own log, where people look (as far as the log is known and can
    be written).
    """
    try:
        settings = daemon_knobs.log(load(os.environ, subsystem=subsystem, local_name=local_name), subsystem)
        DaemonLog(changed(settings, truncate=False), subsystem.lower()).write(f'ERROR "{text}"')
    except CondorError:
        return


Table = TypeVar("Table", bound=AdTable)


def open_table(make: Callable[[], Table], path: str, tell: Callable[[str], None]) -> Table:
    """Open the table at ``path`` with ``make``, and repair its log if it is damaged. StoreError when that fails."""
    try:
        table = make()
        if table.is_sound():
            return table
        table.close()
    except Damage as damage:
        tell(f"ERROR: {damage}")
    from condor_py.store.repair import mend_log

    try:
        for line in mend_log(path):
            tell(f"ERROR: {line}")
    except OSError as error:
        raise StoreError(f"{path} is damaged and cannot be repaired: {error.strerror or error}") from None
    return make()


def tell_notes(table: AdTable, tell: Callable[[str], None]) -> None:
    """Says what has happened to the file of a table."""
    for note in table.take_notes():
        tell(note)
