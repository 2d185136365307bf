"""Events of a log told again in another form (``condor_wait -echo``)."""

from __future__ import annotations

import re

from condor_py.classad.ad import ClassAd
from condor_py.store.event_log import EVENT_NAMES, LogEvent
from condor_py.store.event_parts import FormatOptions, iso_time, time_stamp
from condor_py.tools.output import ads as forms

_HEAD = re.compile(r"(\d{3,} \([-\d.]+\)) \S+[ T]\S+ ?")
_LEGACY = FormatOptions(iso_date=False)
#: MyType of an event whose name does not simply become it.
_TYPES = {1: "ExecuteEvent", 6: "JobImageSizeEvent", 7: "ShadowExceptionEvent", 28: "JobAdInformationEvent"}
#: Event number -> (attribute, pattern) of what its text tells; the pattern's group is a string, or a number if bare.
_DETAILS: dict[int, tuple[tuple[str, str], ...]] = {
    0: (("SubmitHost", r"Job submitted from host: (.*)"), ("LogNotes", r"\n +(.+)")),
    1: (("ExecuteHost", r"Job executing on host: (.*)"), ("SlotName", r"\n\tSlotName: (.*)")),
    4: (("Reason", r"\n\t(?!Code|\()([^0-9\n][^\n]*)\n"),),
    5: (
        ("ReturnValue", r"Normal termination \(return value (-?\d+)\)"),
        ("TerminatedBySignal", r"Abnormal termination \(signal (\d+)\)"),
    ),
    6: (("Size", r"Image size of job updated: (\d+)"), ("MemoryUsage", r"(\d+)  -  MemoryUsage")),
    7: (("Message", r"\n\t(.*)"),),
    9: (("Reason", r"\n\t(.*)"),),
    12: (
        ("HoldReason", r"\n\t(?!Code )(.*)"), ("HoldReasonCode", r"\n\tCode (\d+)"),
        ("HoldReasonSubCode", r"Subcode (-?\d+)"),
    ),
    13: (("Reason", r"\n\t(.*)"),),
}  # fmt: skip


def echo(event: LogEvent, options: str) -> str:
    """The text of ``event`` as ``-echo:options`` shows it (default: text with the legacy date)."""
    chosen = FormatOptions.parse(options, _LEGACY)
    words = options.upper().replace(",", " ").split()
    for form in (forms.JSON, forms.XML):
        if form.upper() in words:
            return forms.renderer(form, None, False)(event_ad(event, chosen.utc))
    stamped = f"\\g<1> {time_stamp(event.time, chosen)} "
    return _HEAD.sub(stamped, event.text, count=1) + "...\n"


def event_ad(event: LogEvent, utc: bool) -> ClassAd:
    """The event as an ad: its head, and what the texts of the common events tell."""
    if event.text[:1] in "<{":
        return _of_structured(event)
    ad = ClassAd()
    ad.set_str("MyType", _my_type(event.number))
    ad.set_int("EventTypeNumber", event.number)
    ad.set_str("EventTime", iso_time(event.time, utc))
    for name, number in (("Cluster", event.cluster), ("Proc", event.proc), ("Subproc", event.subproc)):
        ad.set_int(name, number)
    for name, pattern in _DETAILS.get(event.number, ()):
        found = re.search(pattern, event.text)
        if found is not None and re.fullmatch(r"-?\d+", found[1]):
            ad.set_int(name, int(found[1]))
        elif found is not None:
            ad.set_str(name, found[1].strip())
    if event.number == 5:
        ad.set_bool("TerminatedNormally", ad.has("ReturnValue"))
    return ad


def _of_structured(event: LogEvent) -> ClassAd:
    from condor_py.tools.adfile import parse_ads

    return parse_ads(event.text, "event", "xml" if event.text.startswith("<") else "json")[0]


def _my_type(number: int) -> str:
    known = _TYPES.get(number)
    if known is not None:
        return known
    return "".join(word.capitalize() for word in EVENT_NAMES.get(number, "FUTURE").split("_")) + "Event"
