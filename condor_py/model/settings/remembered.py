"""Which ads of machines are remembered when nobody renews them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RememberedSettings:
    """``log`` is the file that keeps such ads, "" for none: then nothing is remembered.

    A machine whose ad expires becomes absent when the expression ``absent`` is true of the ad, and is forgotten
    ``absent_seconds`` later; one that is offline ``offline_seconds`` after it was advertised. 0 means never.
    ``keeps_invalidated``: an ad that is taken back has expired, and may so become absent, too.
    """

    log: str = ""  # COLLECTOR_PERSISTENT_AD_LOG
    absent: str = ""  # ABSENT_REQUIREMENTS
    absent_seconds: int = 2_592_000  # ABSENT_EXPIRE_ADS_AFTER
    keeps_invalidated: bool = False  # EXPIRE_INVALIDATED_ADS
    offline_seconds: int = 0  # OFFLINE_EXPIRE_ADS_AFTER
