"""What configuration tells the accountant."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AccountantSettings:
    """How usage turns into priority, and the factor that a new submitter gets.

    ``halflife`` seconds (PRIORITY_HALFLIFE). ``group_factors``: (group name, GROUP_PRIO_FACTOR_<group>), case
    does not matter. ``group_names``: GROUP_NAMES as configured, without the root. ``local_domain`` empty:
    nobody is remote.
    """

    halflife: float = 86400.0
    default_factor: float = 1000.0
    nice_user_factor: float = 1e10
    nice_user_group: str = "nice-user"
    remote_factor: float = 1e7
    local_domain: str = ""
    group_factors: tuple[tuple[str, float], ...] = ()
    group_names: tuple[str, ...] = ()
    use_slot_weights: bool = True
    discount_suspended: bool = False
