"""What configuration tells the accountant."""

from __future__ import annotations

from condor_py.model.settings.knob import Settings, boolean, real, string
from condor_py.model.settings.shared import NEGOTIATOR_USE_SLOT_WEIGHTS, NICE_USER_ACCOUNTING_GROUP_NAME


class AccountantSettings(Settings, group="Accountant"):
    """How usage turns into priority, and the factor that a new submitter gets.

    ``halflife`` seconds (PRIORITY_HALFLIFE). ``group_factors``: (group name, GROUP_PRIO_FACTOR_<group>), case
    does not matter. ``group_names``: GROUP_NAMES as configured, without the root. ``local_domain`` empty:
    nobody is remote.
    """

    halflife: float = real(
        "PRIORITY_HALFLIFE",
        "86400",
        "Seconds in which a user's real priority moves half way to the current usage.",
        least=1e-05,
    )
    default_factor: float = real("DEFAULT_PRIO_FACTOR", "1000", "Priority factor of a user seen for the first time.")
    nice_user_factor: float = real("NICE_USER_PRIO_FACTOR", "1e10", "Priority factor of nice users.")
    nice_user_group: str = NICE_USER_ACCOUNTING_GROUP_NAME
    remote_factor: float = real(
        "REMOTE_PRIO_FACTOR", "1e7", "Priority factor of users of other domains than ACCOUNTANT_LOCAL_DOMAIN."
    )
    local_domain: str = string("ACCOUNTANT_LOCAL_DOMAIN", "", "Domain whose users are local; empty means all are.")
    group_factors: tuple[tuple[str, float], ...] = ()
    group_names: tuple[str, ...] = ()
    use_slot_weights: bool = NEGOTIATOR_USE_SLOT_WEIGHTS
    discount_suspended: bool = boolean(
        "NEGOTIATOR_DISCOUNT_SUSPENDED_RESOURCES", False, "Whether suspended claims are not charged."
    )
