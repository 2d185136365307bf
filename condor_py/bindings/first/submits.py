"""``Submit`` of the first version, and its transactions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from condor_py.bindings import session
from condor_py.bindings import submit as second
from condor_py.bindings.enums import JobAction
from condor_py.bindings.errors import HTCondorException, HTCondorValueError
from condor_py.bindings.first.ads import ClassAd, of
from condor_py.bindings.first.listed import Listed
from condor_py.bindings.first.raising import with_first_exceptions
from condor_py.bindings.schedd import Schedd as SecondSchedd
from condor_py.bindings.submitting import FROM_QUEUE, statement_of
from condor_py.bindings.submitting import SubmitResult as _Result


class SubmitResult(_Result):
    """The result of a submit."""

    def clusterad(self) -> ClassAd:
        """Return the attributes common to all jobs of the cluster."""
        return of(super().clusterad())

    @classmethod
    def like(cls, result: _Result) -> SubmitResult:
        """A result of the second version as one of the first."""
        return cls(result.cluster(), result.first_proc(), result.num_procs(), result._clusterad, result._spooledProcAds)


@with_first_exceptions
class QueueItemsIterator(Iterator[Any]):
    """The items of a queue statement."""

    def __init__(self, items: Iterator[dict[str, str]] | None) -> None:
        self._items = iter(()) if items is None else items

    def __next__(self) -> dict[str, str]:
        return next(self._items)


@with_first_exceptions
class SubmitJobsIterator(Iterator[ClassAd]):
    """The ads of jobs that a description would make."""

    def __init__(self, ads: Iterator[ClassAd]) -> None:
        self._ads = ads
        self._cluster: ClassAd | None = None

    def __next__(self) -> ClassAd:
        ad = next(self._ads)
        self._cluster = ClassAd(ad.parent) if ad.parent is not None else ad
        return ad

    def clusterad(self) -> ClassAd:
        """Return the attributes common to the jobs, once one was made. HTCondorValueError before."""
        if self._cluster is None:
            raise HTCondorValueError("No cluster ad")
        return self._cluster


@with_first_exceptions
class Submit(Listed, second.Submit):
    """A submit description; values may be of any type and become texts."""

    def __init__(self, input: Any = None, **kwargs: Any) -> None:
        if input is not None and not isinstance(input, (str, dict)):
            input = dict(input)
        super().__init__(_texts(input) if isinstance(input, dict) else input)
        self.update(kwargs)

    def __setitem__(self, key: str, value: Any) -> None:
        super().__setitem__(key, text_of(value))

    def __str__(self) -> str:
        text = "".join(f"{name} = {value}\n" for name, value in self.items())
        return f"{text}queue {self.getQArgs()}" if self.getQArgs() else text

    def __repr__(self) -> str:
        return repr(str(self))

    def setdefault(self, key: str, default: Any = None) -> Any:
        """The text of a command, which is set to ``default`` first when missing."""
        if key not in self:
            self[key] = default
        return self[key]

    @property
    def oauth_services(self) -> list[str]:
        """The services whose tokens the jobs ask for."""
        return (self.get("use_oauth_services", "") or "").replace(",", " ").split()

    def itemdata(self, qargs: str | None = "") -> Any:
        """The items of the queue statement, or of ``qargs``."""
        return QueueItemsIterator(super().itemdata(qargs or None))

    def queue(self, txn: Transaction, count: int = 0, ad_results: list[Any] | None = None) -> int:
        """Add the jobs to a transaction of ``Schedd.transaction``; the cluster number."""
        return txn.submit(self, count, ad_results).cluster()

    def queue_with_itemdata(
        self, txn: Transaction, count: int = 1, itemdata: Any = None, spool: bool = False
    ) -> SubmitResult:
        """Add ``count`` jobs for each item to a transaction."""
        return txn.submit(self, count, None, itemdata, spool)

    def jobs(
        self,
        count: int = 0,
        itemdata: Any = None,
        clusterid: int = 1,
        procid: int = 0,
        qdate: int = 0,
        owner: str = "",
    ) -> Any:
        """The ads of the jobs that this description makes, whole."""
        return SubmitJobsIterator(self._made(count, itemdata, clusterid, procid, qdate, owner, whole=True))

    def procs(
        self,
        count: int = 0,
        itemdata: Any = None,
        clusterid: int = 1,
        procid: int = 0,
        qdate: int = 0,
        owner: str = "",
    ) -> Any:
        """As ``jobs``: the first ad is whole, the others have what differs."""
        return SubmitJobsIterator(self._made(count, itemdata, clusterid, procid, qdate, owner, whole=False))

    def _made(
        self, count: int, itemdata: Any, cluster: int, first: int, qdate: int, owner: str, *, whole: bool
    ) -> Iterator[ClassAd]:
        from condor_py.lang.submit.build import BuildOptions, clusters_of

        file = self.parsed(None if itemdata is None else statement_of(itemdata, None), session.pool())
        for queued in file.statements:
            queued.args.count = count or queued.args.count
        user = session.pool().user if owner else ""
        for draft in clusters_of(file):
            built = draft.build(
                cluster, user, owner, BuildOptions(user=owner, check_executable=False, first_proc=first)
            )
            common = ClassAd()
            common.set_texts(built.ad_items)
            for number, items in enumerate(built.procs, first):
                whole_ad = whole or number == first
                ad = ClassAd(common) if whole_ad else ClassAd()
                ad.set_texts([*items, ("ProcId", str(number))])
                if whole_ad:
                    ad.set_int("ClusterId", cluster)
                    if not owner:
                        ad.set_text("Owner", "undefined")
                    if qdate:
                        ad.set_int("QDate", qdate)
                ad.parent = common
                yield ad


def _texts(mapping: dict[str, Any]) -> dict[str, str]:
    return {name: text_of(value) for name, value in mapping.items()}


def text_of(value: Any) -> str:
    """A value as the text of a command; nothing is undefined."""
    return "undefined" if value is None else second.text_of(value)


@with_first_exceptions
class Transaction:
    """Submits of one ``Schedd.transaction``; each is durable when it returns, and taken back if the transaction ends
    with an exception."""

    def __init__(self, schedd: SecondSchedd) -> None:
        self._schedd = schedd
        self._clusters: list[int] = []

    def __enter__(self) -> Transaction:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None or not self._clusters:
            return
        constraint = " || ".join(f"ClusterId == {cluster}" for cluster in self._clusters)
        with suppress(HTCondorException):  # that of the transaction says more
            SecondSchedd.act(self._schedd, JobAction.Remove, constraint, "The transaction was aborted.")

    def submit(
        self,
        description: Submit,
        count: int = 0,
        ad_results: list[Any] | None = None,
        itemdata: Any = None,
        spool: bool = False,
    ) -> SubmitResult:
        """Queue the jobs; their ads go to ``ad_results``."""
        items = FROM_QUEUE if itemdata is None else iter(itemdata)
        result = SubmitResult.like(SecondSchedd.submit(self._schedd, description, count, spool, items))
        self._clusters.append(result.cluster())
        if ad_results is not None:
            ad_results += self._schedd.query(f"ClusterId == {result.cluster()}")
        return result
