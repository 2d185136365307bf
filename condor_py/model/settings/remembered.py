"""The settings for remembering ads of machines that are no longer renewed."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, integer, path, string


class RememberedSettings(Settings, group="Collector"):
    """``log`` is the file that keeps such ads, "" for none: then nothing is remembered.

    A machine whose ad expires becomes absent when the expression ``absent`` is true of the ad, and is forgotten
    ``absent_seconds`` later; one that is offline ``offline_seconds`` after it was advertised. 0 means never.
    ``keeps_invalidated``: an ad that is taken back has expired, and may so become absent, too.
    """

    log: str = path("COLLECTOR_PERSISTENT_AD_LOG", None, "File that keeps the ads of absent and sleeping machines.")
    absent: str = string(
        "ABSENT_REQUIREMENTS", None, "Expression for machines that are remembered as absent when their ads expire."
    )
    absent_seconds: int = integer(
        "ABSENT_EXPIRE_ADS_AFTER", 2592000, "Seconds after which absent machines are forgotten.", least=0
    )
    keeps_invalidated: bool = boolean(
        "EXPIRE_INVALIDATED_ADS", False, "Machines whose ads are taken back may become absent, as if these had expired."
    )
    offline_seconds: int = integer(
        "OFFLINE_EXPIRE_ADS_AFTER", None, "Seconds after which the ad of a sleeping machine is forgotten.", least=0
    )
