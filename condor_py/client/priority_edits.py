"""Edits of priorities: carried out directly where the caller owns the spool, else by the negotiator."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, NamedTuple

from condor_py.model.errors import CondorError

if TYPE_CHECKING:
    from condor_py.client.pool import Pool


class Edit(NamedTuple):
    """One change: the negotiator's name for it and its arguments, what to say when it is done, and how to begin
    the complaint when the negotiator refuses it or cannot be asked."""

    name: str
    arguments: tuple[Any, ...]
    done: str
    refused: str
    unsent: str


def apply(pool: Pool, edit: Edit) -> None:
    """Change the record, durably. CondorError when it is refused."""
    if pool.owns_spool:
        _directly(pool, edit)
    else:
        _by_negotiator(pool, edit)


def _directly(pool: Pool, edit: Edit) -> None:
    from condor_py.client import wire
    from condor_py.core.accounts import Accountant
    from condor_py.core.accounts.edits import EditRefused, apply_edit
    from condor_py.lang.config.builders.negotiator import accountant as accountant_knobs
    from condor_py.store import fs
    from condor_py.store.accountant_log import AccountantLog

    accountant = Accountant(accountant_knobs(pool.config))
    path = pool.paths.accountant_log
    try:
        fs.make_pool_directory(os.path.dirname(path))
    except OSError as error:
        raise CondorError(f"condor_userprio: cannot make the directory of {path}: {error.strerror}") from error
    table = AccountantLog(path)
    try:
        with table.transaction() as transaction:
            accountant.load(table.customers(), table.resources(), table.last_update)
            accountant.update(pool.now())
            apply_edit(accountant, edit.name, list(edit.arguments), pool.now())
            transaction.extend(accountant.take_log())
    except EditRefused as error:
        raise CondorError(edit.refused + str(error)) from error
    finally:
        table.close()
    wire.ring(pool.paths.socket("negotiator"))


def _by_negotiator(pool: Pool, edit: Edit) -> None:
    from condor_py.client.pool import why_closed
    from condor_py.client.wire import WireError
    from condor_py.model.messages.codec import Refused
    from condor_py.model.messages.cycles import EditPriorities

    unsent = f"failed to send {edit.unsent} command to negotiator"
    try:
        answer = pool.ask("negotiator", EditPriorities(edit.name, list(edit.arguments)))
    except WireError as error:
        raise CondorError(why_closed(pool.paths) or unsent) from error
    if not isinstance(answer, Refused):
        return
    reason = answer.error
    if reason == "denied":
        reason = f"only the owner of {pool.paths.spool} or root may change priorities"
    raise CondorError(edit.refused + reason if edit.refused else f"{unsent}: {reason}")
