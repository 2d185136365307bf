"""The ad of the collector: there is no such process, so that who asks for it puts it together from what the daemons
have published."""

from __future__ import annotations

from collections.abc import Sequence

from condor_py.lang.classad.ad import ClassAd

#: What the collector has in common with the master, which acts as it.
_OF_THE_MASTER = (
    "Machine", "MyAddress", "AddressV1", "CondorVersion", "CondorPlatform", "DaemonStartTime", "DetectedCpus",
    "DetectedMemory", "MyCurrentTime", "LastHeardFrom", "DaemonCoreDutyCycle", "RecentDaemonCoreDutyCycle",
    "MonitorSelfAge", "MonitorSelfCPUUsage", "MonitorSelfImageSize", "MonitorSelfRegisteredSocketCount",
    "MonitorSelfResidentSetSize", "MonitorSelfSecuritySessions", "MonitorSelfTime",
)  # fmt: skip
_STATES = ("Claimed", "Owner", "Unclaimed")


def collector_ad(
    name: str, admin: str, master: ClassAd, slots: Sequence[ClassAd], submitters: Sequence[ClassAd]
) -> ClassAd:
    """The ad; ``name`` is COLLECTOR_NAME, the ads of slots may be mixed with those of startds."""
    ad = ClassAd()
    for attribute in _OF_THE_MASTER:
        text = master.text(attribute)
        if text is not None:
            ad.set_text(attribute, text)
    address = master.eval_str("MyAddress") or ""
    ad.set_str("MyType", "Collector")
    ad.set_str("Name", f"{name}@{master.eval_str('Machine') or ''}")
    ad.set_str("CollectorIpAddr", address)
    ad.set_str("CondorAdmin", admin)
    machines = [slot for slot in slots if slot.eval_str("MyType") in ("Machine", "Slot")]
    ad.set_int("MachineAds", len(machines))
    ad.set_int("HostsTotal", len(machines))
    for state in _STATES:
        ad.set_int(f"Hosts{state}", sum(slot.eval_str("State") == state for slot in machines))
    ad.set_int("SubmitterAds", len(submitters))
    for attribute in ("RunningJobs", "IdleJobs"):
        ad.set_int(attribute, sum(submitter.eval_int(attribute) or 0 for submitter in submitters))
    return ad
