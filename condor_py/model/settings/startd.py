"""Settings of the startd. Expressions are kept as ClassAd text; an empty text means "not defined"."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from condor_py.model.settings.backfill import CommandSettings
from condor_py.model.settings.containers import ContainerAbilities
from condor_py.model.settings.java import JavaAbilities
from condor_py.model.settings.knob import Settings, boolean, expression, integer, path, string, words
from condor_py.model.settings.power import PowerSettings
from condor_py.model.settings.shared import CLAIM_WORKLIFE, MODIFY_REQUEST, MUST_MODIFY_REQUEST_EXPRS, UPDATE_INTERVAL
from condor_py.model.settings.virtual import VmAbilities

FailureMode = Literal["CONTINUE", "CLEAR", "ABORT"]
Pairs = tuple[tuple[str, str], ...]


class SlotPolicy(Settings, group="Startd: slots"):
    """The knobs that may differ from slot to slot (SLOT_TYPE_<N>_<KNOB>, SLOT<N>_<KNOB>).

    ``consumption`` maps resources to what a match takes of them (CONSUMPTION_POLICY), and is empty without.
    ``vanilla`` holds (knob, text) of the ``<KNOB>_VANILLA`` forms. ``modify_request`` maps the job's Request
    attribute to the expression that rounds it. ``attrs`` are the custom attributes (STARTD_ATTRS) with their
    values.
    """

    start: str = "true"
    is_owner: str = "false"
    want_suspend: str = "false"
    suspend: str = "false"
    continue_: str = "true"
    preempt: str = "false"
    want_vacate: str = "true"
    kill: str = "false"
    want_hold: str = ""
    want_hold_reason: str = ""
    want_hold_subcode: str = ""
    rank: str = "0.0"
    max_job_retirement_time: str = "0"
    machine_max_vacate_time: str = "10 * 60"
    run_benchmarks: str = ""
    start_backfill: str = ""
    evict_backfill: str = ""
    hibernate: str = ""
    slot_weight: str = "Cpus"
    cpu_busy: str = "false"
    fetch_work_delay: str = ""
    hook_keyword: str = ""
    vanilla: Pairs = ()
    modify_request: Pairs = MODIFY_REQUEST
    must_modify_requests: bool = MUST_MODIFY_REQUEST_EXPRS
    consumption: Pairs = ()
    num_claims: int | None = None
    attrs: Pairs = ()


@dataclass(frozen=True, slots=True)
class SlotType:
    """``count`` slots of one type; ``share`` is the text of SLOT_TYPE_<N> ("auto" when not set), ``prefix`` what
    their names begin with."""

    type_id: int
    count: int = 1
    partitionable: bool = True
    share: str = "auto"
    policy: SlotPolicy = field(default_factory=SlotPolicy)
    prefix: str = "slot"
    #: SLOT_TYPE_<N>_BACKFILL: its slots have what the primary slots have, once more.
    backfill: bool = False


class MachineResource(NamedTuple):
    """A custom resource (MACHINE_RESOURCE_<name>): ``quantity`` units, each with an id when ``ids`` is not empty.
    ``properties`` are attributes of single units, by id; ``attrs`` those that its inventory tells of the machine.
    ``detected``: a program has found it, so that Detected<name> lists the ids. ``offline`` are units that no slot has
    had since the startd started."""

    name: str
    quantity: float
    ids: tuple[str, ...] = ()
    properties: tuple[tuple[str, Pairs], ...] = ()
    attrs: Pairs = ()
    detected: bool = False
    offline: tuple[str, ...] = ()

    def property_name(self, unit: str) -> str:
        """The attribute that shows the properties of a unit: GPUs_GPU_1234."""
        return f"{self.name}_{re.sub(r'[^A-Za-z0-9_]', '_', unit)}"


class FetchHooks(NamedTuple):
    """The programs behind a hook keyword that fetch work; "" for those that are not set."""

    keyword: str
    fetch_work: str
    reply_fetch: str = ""
    evict_claim: str = ""


class StartdEventLogSettings(Settings, group="Startd: the machine"):
    """The startd's event log; at ``max_size`` bytes it is moved to ``.old`` and a new one begins."""

    path: str = path("STARTD_EVENTLOG", "", "Event log of the startd itself; empty for none.")
    max_size: int = integer(
        "STARTD_EVENTLOG_MAX", 1048576, "Size in bytes at which the event log of the startd is moved to .old."
    )


class DiskStore(NamedTuple):
    """The volume group or thin pool that the scratch directories of jobs are in: its ``name``, and bytes: all, those of
    volumes that are not of jobs, and an extent, by which sizes grow. ``loopback``: it is on LVM_BACKING_FILE."""

    name: str
    thin: bool
    loopback: bool
    detected: int
    foreign: int
    extent: int


class StartdSettings(Settings, group="Startd: policy"):
    """All settings of a startd. Memory is MB, disk and swap KB, times seconds; None means "as detected".

    ``backfill_command`` is what BACKFILL_SYSTEM = COMMAND runs; None for the one client of all slots.
    ``inventories`` are the command lines of MACHINE_RESOURCE_INVENTORY_<name>, by name: the daemon runs them at its
    start and adds what they find to ``resources``. ``offline`` are units that no job gets from now on, by the name of
    their resource in lower case."""

    #: Knobs that ask for an isolation of jobs which does not exist here.
    missing_isolation: tuple[str, ...] = ()
    #: Whether scratch directories can be encrypted.
    encrypts: bool = False
    #: Whether a job can take no more disk than it asked for; where, if that is a volume group.
    enforces_disk: bool = False
    disk_store: DiskStore | None = None
    #: NO_JOB_NETWORKING is false, or cannot be kept.
    job_networking: bool = True
    #: MappingMethod: how common files get into scratch directories, "" where they are not staged.
    mapping_method: str = "Hardlink"
    transfer_methods: tuple[str, ...] = ("data", "dav", "davs", "file", "ftp", "http", "https")
    containers: ContainerAbilities = ContainerAbilities()
    virtual: VmAbilities = VmAbilities()
    java: JavaAbilities = JavaAbilities()
    startd_name: str = ""
    uid_domain: str = ""
    filesystem_domain: str = ""
    collector_host: str = string(
        "COLLECTOR_HOST", "$(CONDOR_HOST)", "Where the pool's ads are; here always this machine."
    )
    private_network: str = string(
        "PRIVATE_NETWORK_NAME", "$(FULL_HOSTNAME)", "Daemons with the same name here talk over their private addresses."
    )
    num_cpus: int | None = None
    memory_mb: int | None = None
    disk_kb: int | None = None
    reserved_memory_mb: int = integer("RESERVED_MEMORY", 0, "Megabytes kept from jobs.")
    reserved_disk_kb: int = integer("RESERVED_DISK", 0, "Megabytes of disk kept from jobs.", least=0, factor=1024)
    reserved_swap_kb: int = integer("RESERVED_SWAP", 0, "Megabytes of swap space kept free.", factor=1024)
    resources: tuple[MachineResource, ...] = ()
    inventories: Pairs = ()
    offline: tuple[tuple[str, tuple[str, ...]], ...] = ()
    types: tuple[SlotType, ...] = (SlotType(0),)
    overrides: tuple[tuple[int, SlotPolicy], ...] = ()
    failure_mode: FailureMode = "CONTINUE"
    slot_attrs: tuple[str, ...] = ()
    job_attrs: tuple[str, ...] = ()
    child_attrs: tuple[str, ...] = words(
        "STARTD_PARTITIONABLE_SLOT_ATTRS", None, "Attributes of a dynamic slot that its parent lists."
    )
    latched: tuple[str, ...] = ()
    daemon_attrs: Pairs = ()
    claim_worklife: int = CLAIM_WORKLIFE
    killing_timeout: int = integer("KILLING_TIMEOUT", 30, "Seconds between killing a job and giving up on it.", least=0)
    match_timeout: int = integer("MATCH_TIMEOUT", 120, "Seconds for which a match waits to be claimed.")
    lease: int = 1800
    #: Seconds without a sign of life after which leases begin to count.
    silence: float = 15.0
    noclaim_shutdown: int = integer(
        "STARTD_NOCLAIM_SHUTDOWN", 0, "Seconds without a claim after which the startd ends; 0 for never."
    )
    draining_start: str = expression(
        "DEFAULT_DRAINING_START_EXPR", None, "START while draining, where condor_drain does not give one."
    )
    backfill: bool = False
    backfill_command: CommandSettings | None = None
    power: PowerSettings = PowerSettings()
    fetch_hooks: tuple[FetchHooks, ...] = ()
    polling_interval: int = integer(
        "POLLING_INTERVAL", 5, "Seconds between two evaluations of the policy while jobs run.", least=1
    )
    update_interval: int = UPDATE_INTERVAL
    slots_connected_to_keyboard: int = integer(
        "SLOTS_CONNECTED_TO_KEYBOARD", 0, "Number of slots that see the use of the keyboard."
    )
    slots_connected_to_console: int = integer(
        "SLOTS_CONNECTED_TO_CONSOLE", 0, "Number of slots that see the use of the console."
    )
    keyboard_idle_boost: int = integer(
        "DISCONNECTED_KEYBOARD_IDLE_BOOST",
        1200,
        "Seconds of idleness that a slot without keyboard has when the startd starts.",
    )
    show_uptime: bool = boolean(
        "ADVERTISE_CMR_UPTIME_SECONDS",
        False,
        "Slots show Uptime<resource>Seconds, too, the seconds that monitors of devices have added up.",
    )
    #: Whether there is a log of the startd's events.
    events: bool = False
    colors: bool = boolean(
        "TESTING_COLOR_FROM_JOB_AD", False, "Whether the ColorAd of a running job is shown by the slots of its number."
    )
    #: D_LOAD and D_KEYBOARD: 0 not at all, 1 with every update, 2 at every look.
    log_load: int = 0
    log_idle: int = 0

    def fetch_hooks_of(self, keyword: str) -> FetchHooks | None:
        """The programs of a hook keyword (case not minded); None when it has none that fetches work."""
        return next((hooks for hooks in self.fetch_hooks if hooks.keyword.lower() == keyword.lower()), None)

    def policy(self, slot_id: int, type_id: int) -> SlotPolicy:
        """The policy of slot number ``slot_id``: its own override, else that of its type, else the defaults."""
        for number, policy in self.overrides:
            if number == slot_id:
                return policy
        for slot_type in self.types:
            if slot_type.type_id == type_id:
                return slot_type.policy
        return SlotPolicy()
