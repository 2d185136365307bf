"""A starter whose slot is a data slot: fetches catalogs of common files, one after the other, and keeps them until the
claim ends. Everything is done with the identity of the job that asked, by children."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from condor_py.daemons.common.errand import Errand
from condor_py.daemons.common.loop import Loop, now
from condor_py.lang.classad import ClassAd, quote_string
from condor_py.machine.run import trees
from condor_py.machine.run.builtin_urls import load_movers
from condor_py.machine.run.failures import TransferError
from condor_py.machine.run.identity import Account, UnknownAccount, account_for, as_user
from condor_py.machine.run.job import Job, TransferWishes
from condor_py.machine.run.mapping import freeze
from condor_py.machine.run.plugins import Told
from condor_py.machine.run.sandbox import Place, clear_scratch, create_scratch
from condor_py.machine.run.transfer import Transfer
from condor_py.model.commonfiles import FINISHED, STARTED, split_list
from condor_py.model.messages.codec import Message, onward
from condor_py.model.messages.runs import CatalogsStaged, CatalogStaged, CatalogWanted, StagingStep
from condor_py.model.report import ExitReport
from condor_py.model.states import HoldCode


class Fetched(NamedTuple):
    """A child's report about a catalog: its size in KB, attributes of the transfer, or why it failed."""

    size_kb: int
    attributes: dict[str, str]
    code: int = 0
    subcode: int = 0
    reason: str = ""


@dataclass(slots=True)
class DataStarter:
    """``send`` sends a message to the startd, ``over`` takes the report that ends it."""

    loop: Loop
    place: Place
    send: Callable[[Message], None]
    over: Callable[[ExitReport], None]
    report: ExitReport
    catalogs: Sequence[CatalogWanted]
    job: Job
    job_ad: str
    _staged: list[CatalogStaged] = field(default_factory=list)
    _owner: Account | None = None
    _errand: Errand | None = None

    def begin(self) -> None:
        """Makes the directories and fetches the first catalog."""
        self.report = replace(self.report, start_time=now())
        try:
            self._owner = account_for(self.job.owner)
            create_scratch(self.place.sandbox, self._owner, self.job_ad, self.place.machine_ad)
            with as_user(self._owner):
                os.mkdir(self._top, 0o700)
        except UnknownAccount as error:
            self._fail(int(HoldCode.FAILED_TO_ACCESS_USER_ACCOUNT), 0, str(error))
            return
        except OSError as error:
            self._end(replace(self.report, error=f"starter on {self.place.slot}: {error}"))
            return
        self._next(0)

    @property
    def _top(self) -> str:
        return f"{self.place.sandbox.scratch}/staging"

    def _path(self, number: int) -> str:
        return f"{self._top}/{self.catalogs[number].key}"

    def _next(self, number: int) -> None:
        if number == len(self.catalogs):
            self.send(CatalogsStaged(self.report.claim_id, self._staged))
            return
        self.place.log("Starting common files transfer.")
        self._tell(number, STARTED)
        self._errand = Errand(self.loop, lambda: self._fetch(number), lambda got, why: self._fetched(number, got, why))

    def _tell(self, number: int, step: str, ok: bool = True, attributes: dict[str, str] | None = None) -> None:
        name = self.catalogs[number].name
        claim = self.report.claim_id
        self.send(StagingStep(claim, name, step, now(), ok, self._path(number), attributes or {}))

    def _fetch(self, number: int) -> Fetched:
        """The child: brings a catalog."""
        load_movers()
        known = self.job.wishes
        wishes = TransferWishes(allowed_directories=known.allowed_directories, keys=known.keys)
        files = split_list(self.catalogs[number].files)
        job = replace(
            self.job, cmd="", transfer_executable=False, stdin=os.devnull, proxy="", own_program="", wishes=wishes,
            input_files=files, common_files=(), staged=(),
        )  # fmt: skip
        place = self.place
        transfer = Transfer(
            job, self._path(number), place.slot, place.access_point, place.transfer, place.log, place.clock
        )
        with as_user(self._owner):
            try:
                os.mkdir(transfer.scratch, 0o700)
                transfer.fetch_input()
                freeze(transfer.scratch)
            except TransferError as error:
                text = str(error).replace("Transfer input files failure", "Transfer common input files failure")
                return Fetched(0, _attributes(transfer), error.code, error.subcode, text)
            except OSError as error:
                return Fetched(0, {}, int(HoldCode.UPLOAD_FILE_ERROR), error.errno or 0, f"{error}")
            # The first catalog answers for what else the data slot occupies.
            measured = place.sandbox.scratch if number == 0 else transfer.scratch
            return Fetched(trees.measure(measured, linked=True)[0], _attributes(transfer))

    def _fetched(self, number: int, got: Fetched | None, why: str) -> None:
        self._errand = None
        ok = got is not None and not got.reason
        self.place.log(f"Finished common files transfer: {'success' if ok else 'failure'}.")
        self._tell(number, FINISHED, ok, got.attributes if got is not None else {})
        if got is None:
            self._end(replace(self.report, error=f"starter on {self.place.slot}: {why}"))
        elif got.reason:
            self._fail(got.code, got.subcode, got.reason)
        else:
            self.place.log(f"cxfer: sizeOnDisk (staging) = {got.size_kb} (KiB)", "D_TEST")
            there = onward(CatalogStaged, self.catalogs[number], path=self._path(number), size_kb=got.size_kb)
            self._staged.append(there)
            self._next(number + 1)

    def _fail(self, code: int, subcode: int, reason: str) -> None:
        self._end(replace(self.report, hold_code=code, hold_subcode=subcode, hold_reason=reason))

    def stop(self) -> None:
        """The files are not wanted any more."""
        if self._errand is not None:
            self._errand.stop()
            self._errand = None
        self._end(replace(self.report, vacated=True))

    def _end(self, report: ExitReport) -> None:
        clear_scratch(self.place)
        self.over(replace(report, end_time=now()))

    def close(self) -> None:
        """The starter leaves."""
        if self._errand is not None:
            self._errand.stop()


def log_name(path: str, slot: str) -> str:
    """The starter's log of a data slot; its slot had the name ``slot`` before."""
    tag = slot.partition("@")[0]
    return path.removesuffix(tag) + re.sub(r"\A\D*", "data", tag) if path.endswith(f".{tag}") else path


def _attributes(transfer: Transfer) -> dict[str, str]:
    """Return the attributes of the record COMMON of a transfer: bytes and files by protocol, and plugins' reports."""
    sizes, files = dict[str, int](), dict[str, int]()
    calls: list[Told] = [one for _, one in transfer.told]
    for text in [text for one in calls for text in one.files]:
        ad = ClassAd(text)
        protocol = (ad.eval_str("TransferProtocol", None) or "url").capitalize()
        sizes[protocol] = sizes.get(protocol, 0) + ad.eval_int("TransferTotalBytes", 0)
        files[protocol] = files.get(protocol, 0) + 1
    by_us = transfer.came.files - sum(files.values())
    if by_us > 0 or not sizes:
        sizes["Cedar"], files["Cedar"] = max(0, transfer.came.bytes - sum(sizes.values())), max(0, by_us)
    stats = {f"{name}SizeBytes": str(size) for name, size in sizes.items()}
    stats.update({f"{name}FilesCount": str(count) for name, count in files.items()})
    stats["Protocols"] = quote_string(",".join(sizes))
    if not calls:
        return stats
    inside = "; ".join(f"{name} = {text}" for name, text in stats.items())
    return {
        "TransferClass": quote_string("COMMON"),
        "TransferCommonStats": f"[ {inside} ]",
        "CommonPluginInvocations": f"{{ {', '.join(one.call for one in calls)} }}",
        "CommonPluginResultList": f"{{ {', '.join(text for one in calls for text in one.files)} }}",
    }
