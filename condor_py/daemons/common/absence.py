"""What stays known of the machine of a daemon that leaves (EXPIRE_INVALIDATED_ADS)."""

from __future__ import annotations

from collections.abc import Iterable

from condor_py.lang.classad import ClassAd
from condor_py.lang.config import Config
from condor_py.lang.config.rooms.remembered import remembered
from condor_py.store.ad_store import AdStore


def take_back(store: AdStore, kind: str, config: Config, now: int) -> None:
    """Takes back what a daemon has published as ``kind``; what is to be remembered becomes absent. StoreError."""
    settings = remembered(config)
    if settings.log and settings.keeps_invalidated:
        from condor_py.store.advertised import Advertised

        Advertised(store, settings).left(kind, store.read(kind), now)
    store.remove(kind)


def come_back(store: AdStore, kinds: Iterable[str], ads: Iterable[ClassAd], config: Config, now: int) -> None:
    """A daemon publishes for the first time: ``ads`` are absent no more. StoreError."""
    settings = remembered(config)
    if not settings.log:
        return
    from condor_py.store.advertised import Advertised

    for kind in kinds:
        Advertised(store, settings).returned(kind, ads, now)
