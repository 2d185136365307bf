"""The history of a daemon's own ads (<SUBSYS>_DAEMON_HISTORY): an ad, RecordWriteDate, and a banner that tells whose
and when::

    *** SCHEDD CurrentTime=1795214128

Nothing waits for these records: they are not synced.
"""

from __future__ import annotations

from condor_py.lang.classad import ClassAd
from condor_py.store.fs import FileSystem
from condor_py.store.history import rotate
from condor_py.store.limited import append_limited
from condor_py.store.longform import ad_text


def append_daemon_ad(
    path: str, subsystem: str, ad: ClassAd, now: int, *, max_size: int, rotations: int, fs: FileSystem | None = None
) -> None:
    """One more record; first the file is moved away when it would grow above ``max_size`` bytes. StoreError."""
    text = f"{ad_text(ad)}RecordWriteDate = {now}\n*** {subsystem} CurrentTime={now}\n"

    def move(file_system: FileSystem) -> None:
        rotate(file_system, path, rotations, now)

    append_limited(path, text.encode("utf-8", "surrogateescape"), max_size, move, fs)
