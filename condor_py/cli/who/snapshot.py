"""``-snapshot``: a slot as four ads: all of it, what it was set up as, what it does, and the job of its claim (without
it when ``-startd`` shows the slots)."""

from __future__ import annotations

from condor_py.lang.classad import ClassAd

#: What of a slot's ad tells of the moment; all else is how the slot was set up.
_STATE = frozenset(
    """
    AcceptedWhileDraining ActivationRequests Activity CanHibernate ClaimEndTime ClaimRequests ClientMachine ClockDay
    ClockMin CondorLoadAvg ConsoleIdle CpusUsage CurrentRank DaemonCoreDutyCycle DetectedCpus DetectedMemory Disk
    DiskUsage EnteredCurrentActivity EnteredCurrentState ExecutableSize ExpectedMachineGracefulDrainingBadput
    ExpectedMachineGracefulDrainingCompletion ExpectedMachineQuickDrainingBadput
    ExpectedMachineQuickDrainingCompletion GlobalJobId HardwareAddress HibernationLevel HibernationState
    HibernationSupportedStates ImageSize IsSplittable IsWakeAble IsWakeOnLanEnabled IsWakeOnLanSupported JobId JobPid
    JobPreemptions JobRankPreemptions JobStart JobStarts JobUniverse JobUserPrioPreemptions KeyboardIdle LastBenchmark
    LastFetchWorkCompleted LastFetchWorkSpawned LoadAvg MemoryUsage NewDSlotNotMatch NextFetchWorkDelay NumPids
    PublicClaimId RecentActivationRequests RecentClaimRequests RecentDaemonCoreDutyCycle RecentJobPreemptions
    RecentJobRankPreemptions RecentJobStarts RecentJobUserPrioPreemptions RecentNewDSlotNotMatch RemoteAutoregroup
    RemoteNegotiatingGroup RemoteOwner RemoteScheddName RemoteUser ResidentSetSize RetirementTimeRemaining StarterPid
    State SubnetMask TimeToLive TotalClaimRunTime TotalCondorLoadAvg TotalJobRunTime TotalLoadAvg TotalSlots
    TotalTimeClaimedBusy TotalTimeOwnerIdle TotalVirtualMemory WakeOnLanEnabledFlags WakeOnLanSupportedFlags
    """.lower().split()
)
_BOTH = frozenset(("name", "mytype", "mycurrenttime", "hasvm"))


def parts(slot: ClassAd, claim: ClassAd | None) -> list[ClassAd]:
    """The ads of one slot, in HTCondor's order; ``claim`` is the ad of its job, None to leave that out."""
    items = slot.text_items()
    config = [item for item in items if item[0].lower() not in _STATE]
    state = [item for item in items if item[0].lower() in _STATE | _BOTH or item[0].lower().startswith("monitorself")]
    found = [slot]
    for kind, ad in (
        ("Config", ClassAd.from_text_items(config)), ("State", ClassAd.from_text_items(state)), ("Claim", claim),
    ):  # fmt: skip
        if ad is not None:
            ad.set_str("MyType", f"Slot.{kind}")
            found.append(ad)
    return found
