"""Ads that programs publish in addition to those of the daemons, and take away again, by the commands of a
collector."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from condor_py.client.pool import Pool
    from condor_py.lang.classad import ClassAd

#: The kind of ads that each command is about, without its verb.
KINDS = {
    "STARTD_AD": "STARTD",
    "STARTD_AD_WITH_ACK": "STARTD",
    "SCHEDD_AD": "SCHEDD",
    "MASTER_AD": "MASTER",
    "SUBMITTOR_AD": "SUBMITTERS",
    "COLLECTOR_AD": "COLLECTOR",
    "NEGOTIATOR_AD": "NEGOTIATOR",
    "ACCOUNTING_AD": "ACCOUNTING",
    "LICENSE_AD": "LICENSE",
    "STORAGE_AD": "STORAGE",
    "HAD_AD": "HAD",
    "GRID_AD": "GRID",
    "CREDD_AD": "CREDD",
    "PLACEMENTD_AD": "PLACEMENTD",
    "AD_GENERIC": "GENERIC",
}
#: A command whose sender waits until the ad is stored, as all do here.
_WITH_ACK = "STARTD_AD_WITH_ACK"
#: Seconds that an ad is kept where nothing says it.
_LIFETIME = 900


class Order(NamedTuple):
    """Meaning of a command: the kind of ads, and whether they are taken away."""

    kind: str
    removes: bool


def command_names() -> list[str]:
    """Return every command."""
    return [
        *(f"UPDATE_{word}" for word in KINDS),
        *(f"INVALIDATE_{_plural(word)}" for word in KINDS if word != _WITH_ACK),
    ]


def _plural(word: str) -> str:
    return "ADS_GENERIC" if word == "AD_GENERIC" else f"{word}S"


def order_of(command: str) -> Order | None:
    """Return the order of a command in any case; None for one that does not exist."""
    verb, _, word = command.upper().partition("_")
    if verb == "INVALIDATE":
        word = "AD_GENERIC" if word == "ADS_GENERIC" else word.removesuffix("S")
    kind = KINDS.get(word)
    return None if kind is None or verb not in ("UPDATE", "INVALIDATE") else Order(kind, verb == "INVALIDATE")


def advertise(pool: Pool, order: Order, ads: Iterable[ClassAd]) -> None:
    """Publish ads until CLASSAD_LIFETIME or what their ClassAdLifetime says, or take those away that they mean.
    StoreError for an account that may not write the pool's published ads."""
    from condor_py.lang.config.build import build
    from condor_py.model.settings.remembered import RememberedSettings
    from condor_py.store.ad_store import AdStore
    from condor_py.store.advertised import Advertised

    store, now = Advertised(AdStore(pool.paths.ads), build(RememberedSettings, pool.config)), int(pool.now())
    if not order.removes:
        store.update(order.kind, ads, now, pool.config.integer("CLASSAD_LIFETIME", _LIFETIME))
        return
    for ad in ads:
        store.remove(order.kind, _meant_by(ad), now)


def _meant_by(ad: ClassAd) -> Callable[[ClassAd], bool]:
    """Return a test for the ads that an invalidating ad means: those that its Requirements accept, or of its Name."""
    from condor_py.lang.classad import is_true, is_valid, parse

    wanted, name = ad.text("Requirements"), ad.eval_str("Name", None)
    if not wanted:
        return lambda own: own.eval_str("Name", None) == name
    if not is_valid(wanted):
        return lambda own: False
    expression = parse(wanted)
    return lambda own: is_true(own.raw(expression))
