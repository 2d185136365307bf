"""Events of a log told again in another form (``condor_wait -echo``)."""

from __future__ import annotations

import re

from condor_py.model.event_types import JobEventType
from condor_py.store.event_log import LogEvent
from condor_py.store.event_parts import FormatOptions, time_stamp

_HEAD = re.compile(r"(\d{3,} \([-\d.]+\)) \S+[ T]\S+ ?")
_LEGACY = FormatOptions(iso_date=False)


def echo(event: LogEvent, options: str) -> str:
    """The text of ``event`` as ``-echo:options`` shows it (default: text with the legacy date)."""
    chosen = FormatOptions.parse(options, _LEGACY)
    words = options.upper().replace(",", " ").split()
    if "JSON" in words or "XML" in words:
        return _structured(event, "JSON" in words, chosen.utc)
    stamped = f"\\g<1> {time_stamp(event.time, chosen)} "
    text = _HEAD.sub(stamped, event.text, count=1)
    if event.number == JobEventType.JOB_AD_INFORMATION:  # by name, as HTCondor, which has read them into an ad
        head, *body = text.splitlines(keepends=True)
        text = head + "".join(sorted(body, key=str.lower))
    return text + "...\n"


def _structured(event: LogEvent, as_json: bool, utc: bool) -> str:
    from condor_py.cli.output import ads as forms
    from condor_py.lang.classad import ClassAd
    from condor_py.store.event_log import event_items
    from condor_py.store.event_read import notes_items, parse, typed

    if event.text[:1] in "<{":
        items = parse(event)
    else:
        read = typed(event)
        items = [*event_items(read, utc=utc), *notes_items(read)]
    return forms.renderer(forms.JSON if as_json else forms.XML, None, False)(ClassAd.from_text_items(items))
