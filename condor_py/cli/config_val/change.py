"""-set, -rset, -unset and -runset: settings that a daemon takes over with the next reconfiguration."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from condor_py.cli.config_val.spec import SPEC
from condor_py.lang.config.dynamic import assigned
from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.cli.config_val.remote import Daemon
    from condor_py.cli.options import Args

_NAME = re.compile(r"\$?[\w.]+\Z", re.ASCII)


def change_all(args: Args, daemon: Daemon, how: str) -> int:
    """Carry out every change of the command line, until one fails. CondorError then."""
    for text in args.positional:
        _change(daemon, text.lstrip(), how, mixed_case=args.has("mixedcase"))
    return 0


def _change(daemon: Daemon, text: str, how: str, *, mixed_case: bool) -> None:
    sets = how in ("set", "rset")
    key = _key(text, sets=sets)
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.common import ConfigSet, ConfigUnset

    kind = ConfigSet if sets else ConfigUnset
    found = daemon.told(kind(key if mixed_case else key.lower(), text if sets else "", how in ("set", "unset")))
    verb = "set" if sets else "unset"
    place = f"{daemon.kind} {daemon.name} {daemon.address}"
    if isinstance(found, Refused):
        raise CondorError(f'Attempt to {verb} configuration "{text}" on {place} failed.\n{found.error}')
    print(
        f'Successfully {verb} configuration "{text}" on {place}. '
        "The change will take effect on the next condor_reconfig."
    )


def _key(text: str, *, sets: bool) -> str:
    """The name under which the daemon keeps the setting. CondorError for a text that is no setting."""
    is_template = text.lower().startswith("use ")
    key = assigned(text)
    if (sets or is_template) and not key and "=" not in text:
        raise CondorError(
            f'{SPEC.name}: Can\'t set configuration value ("{text}")\n'
            'You must specify "macro_name = value" or "use category:option"'
        )
    if not (sets or is_template):
        if ":" in text or "=" in text:
            raise CondorError(
                f'{SPEC.name}: Can\'t unset configuration value ("{text}")\n'
                "To unset, you only specify the name of the attribute"
            )
        key = text.partition(" ")[0]
    if _NAME.match(key) is None:
        raise CondorError(
            f"{SPEC.name}: Error: Configuration variable name ({key.removeprefix('$')}) is not valid, "
            "alphanumeric and _ only"
        )
    return key
