"""``Schedd`` of the first version, and its iterators."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NoReturn

from condor_py.bindings import enums
from condor_py.bindings import schedd as second
from condor_py.bindings.errors import HTCondorException, HTCondorIOError, HTCondorValueError
from condor_py.bindings.first.ads import ClassAd, of
from condor_py.bindings.first.enums import DaemonTypes
from condor_py.bindings.first.places import DaemonLocation, location_of
from condor_py.bindings.first.raising import with_first_exceptions
from condor_py.bindings.first.submits import Submit, SubmitResult, Transaction
from condor_py.lang.classad import ClassAd as SecondAd
from condor_py.lang.classad import ExprTree as SecondExpr


@with_first_exceptions
class QueryIterator(Iterator[ClassAd]):
    """The answer of ``xquery``, ad by ad."""

    def __init__(self, ads: Iterable[SecondAd], tag: str) -> None:
        self._ads = iter(ads)
        self._tag = tag

    def __next__(self) -> ClassAd:
        return of(next(self._ads))

    def nextAdsNonBlocking(self) -> list[ClassAd]:
        """All ads that are there."""
        return list(self)

    def tag(self) -> str:
        """The name given to ``xquery``."""
        return self._tag

    def watch(self) -> int:
        """No descriptor to wait for: the answer is there. -1."""
        return -1

    def done(self) -> bool:
        """Whether nothing more comes."""
        return True


class BulkQueryIterator(Iterator[QueryIterator]):
    """Queries whose answers are there."""

    def __init__(self, queries: Iterable[QueryIterator]) -> None:
        self._queries = iter(list(queries))

    def __next__(self) -> QueryIterator:
        return next(self._queries)


@with_first_exceptions
class HistoryIterator(Iterator[ClassAd]):
    """The answer of ``history``, ad by ad."""

    def __init__(self, ads: Iterable[SecondAd]) -> None:
        self._ads = iter(ads)

    def __next__(self) -> ClassAd:
        return of(next(self._ads))


class EditResult:
    """The number of jobs that an edit changed."""

    def __init__(self, count: int) -> None:
        self._count = count

    def __int__(self) -> int:
        return self._count

    def __str__(self) -> str:
        return str(self._count)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (int, EditResult)) and int(other) == self._count

    def __hash__(self) -> int:
        return hash(self._count)


@with_first_exceptions
class Schedd(second.Schedd):
    """The schedd of this machine."""

    def __init__(self, location_ad: SecondAd | DaemonLocation | None = None) -> None:
        super().__init__(location_of(location_ad))

    @property
    def location(self) -> DaemonLocation:
        """The address of this schedd."""
        return DaemonLocation(DaemonTypes.Schedd, self._addr, self._version)

    # -- asking -------------------------------------------------------------------------------------------------------

    def query(
        self,
        constraint: Any = "true",
        projection: list[str] = [],  # noqa: B006
        callback: Callable[[ClassAd], Any] | None = None,
        limit: int = -1,
        opts: int = 0,
        *,
        attr_list: list[str] | None = None,
        requirements: Any = None,
    ) -> list[Any]:
        """The jobs for which ``constraint`` (once ``requirements``) is true, with the attributes of ``projection``
        (once ``attr_list``)."""
        found = self.xquery(constraint, projection, limit, opts, attr_list=attr_list, requirements=requirements)
        if callback is None:
            return list(found)
        return [item for item in map(callback, found) if item is not None]

    def xquery(
        self,
        constraint: Any = "true",
        projection: list[str] = [],  # noqa: B006
        limit: int = -1,
        opts: int = 0,
        name: str | None = None,
        *,
        attr_list: list[str] | None = None,
        requirements: Any = None,
    ) -> QueryIterator:
        """As ``query``, one ad after the other."""
        wanted = constraint if requirements is None else requirements
        names = list(projection if attr_list is None else attr_list)
        ads = self._ads(wanted, names, int(limit), enums.QueryOpt(int(opts)))
        return QueryIterator(ads, str(name or self._addr))

    def history(  # type: ignore[override]
        self,
        constraint: Any = None,
        projection: list[str] = [],  # noqa: B006
        match: int = -1,
        since: Any = None,
        *,
        requirements: Any = None,
    ) -> HistoryIterator:
        """Jobs that left the queue, newest first."""
        wanted = constraint if requirements is None else requirements
        return HistoryIterator(super().history(_text(wanted), list(projection), match, since))

    def jobEpochHistory(  # type: ignore[override]
        self,
        constraint: Any = None,
        projection: list[str] = [],  # noqa: B006
        match: int = -1,
        since: Any = None,
        ad_type: Any = None,
    ) -> HistoryIterator:
        """The runs of jobs, newest first."""
        return HistoryIterator(
            super().jobEpochHistory(_text(constraint), list(projection), match, since, ad_type=ad_type)
        )

    def query_users(
        self,
        constraint: Any = "true",
        projection: list[str] = [],  # noqa: B006
        limit: int = -1,
    ) -> list[ClassAd]:
        """The records of users."""
        return [of(ad) for ad in self.queryUserAds(str(constraint), list(projection), None, limit)]

    # -- changing -----------------------------------------------------------------------------------------------------

    def act(self, action: Any, job_spec: Any, reason: Any = None) -> ClassAd:
        """Hold, release, remove … jobs; the totals."""
        return of(super().act(enums.JobAction(int(action)), job_spec, reason))

    def edit(  # type: ignore[override]
        self, job_spec: Any, attr: Any = None, value: Any = None, flags: int = 0, *, ad: Any = None
    ) -> EditResult:
        """Set an attribute of jobs, or those of an ad."""
        attr = attr if ad is None else ad
        if isinstance(attr, (dict, SecondAd)):
            return EditResult(
                super().edit_multiple(job_spec, {name: _text(ClassAd(dict(attr)).lookup(name)) for name in attr})
            )
        return EditResult(super().edit(job_spec, attr, _text(value), enums.TransactionFlag(int(flags))))

    def edit_multiple(self, edits: Iterable[tuple[Any, Any]], flags: int = 0) -> EditResult:  # type: ignore[override]
        """Several edits: (jobs, ad) each."""
        return EditResult(sum(int(self.edit(job_spec, ad)) for job_spec, ad in edits))

    def enable_users(self, users: list[str], add: bool = False) -> ClassAd:
        """Let users submit; with ``add`` those without a record, too."""
        return of(self.addUserRec(users) if add else self.enableUserRec(users))

    def enable_users_matching(self, constraint: Any) -> ClassAd:
        """Let the users submit for whose record ``constraint`` is true."""
        return of(self.enableUserRec(SecondExpr(str(constraint))))

    def disable_users(self, users: list[str], reason: str | None = None) -> ClassAd:
        """Refuse the submits of users."""
        return of(self.disableUserRec(users, reason))

    def disable_users_matching(self, constraint: Any, reason: str | None = None) -> ClassAd:
        """Refuse the submits of the users for whose record ``constraint`` is true."""
        return of(self.disableUserRec(SecondExpr(str(constraint)), reason))

    # -- submitting ---------------------------------------------------------------------------------------------------

    def submit(  # type: ignore[override]
        self,
        description: Submit,
        count: int = 1,
        spool: bool = False,
        ad_results: list[Any] | None = None,
        itemdata: Any = None,
    ) -> SubmitResult:
        """Queue jobs. A ``count`` of 0 or 1 leaves the number to the description's queue statement, if it has one."""
        if not isinstance(description, Submit):
            raise HTCondorValueError("Not a Submit object")
        return Transaction(self).submit(description, 0 if count <= 1 else count, ad_results, itemdata, spool)

    def submitMany(
        self, cluster_ad: SecondAd, proc_ads: Any, spool: bool = False, ad_results: list[Any] | None = None
    ) -> int:
        """Queue jobs of raw ads: ``proc_ads`` are (ad, how many) each. The cluster number."""
        from condor_py.client import submitting
        from condor_py.client.submission import SubmittedCluster

        common = cluster_ad.text_items()
        procs = [ad.text_items() for ad, count in proc_ads for _ in range(int(count))]
        try:
            numbers = submitting.submit(
                self._here("Failed to connect to schedd."),
                lambda first, user, owner, now: [SubmittedCluster(first, common, procs)],
            )
        except HTCondorException:
            raise
        except Exception as error:
            raise HTCondorIOError(f"Failed to create new proc id. {error}") from None
        if ad_results is not None:
            ad_results += self.query(f"ClusterId == {numbers[0]}")
        return numbers[0]

    def insert_jobs(self, ads: Any) -> NoReturn:
        """Put jobs of another schedd into the queue. HTCondorIOError: there is no other one."""
        raise HTCondorIOError("Failed to insert jobs: jobs come to a pool of one machine by being submitted")

    def spool(self, ad_list: Any) -> None:
        """Copy the input files of spooled jobs (a result of ``submit``, or the ads of jobs) into the spool."""
        if isinstance(ad_list, SubmitResult):
            super().spool(ad_list)
            return
        for cluster in sorted({int(ad["ClusterId"]) for ad in ad_list}):
            super().spool(SubmitResult(cluster, 0, 0, SecondAd(), []))

    def transaction(self, flags: int = 0, continue_txn: bool = False) -> Transaction:
        """Submits that belong together: ``with schedd.transaction() as txn: submit.queue(txn)``."""
        self._here("Failed to connect to schedd.")
        return Transaction(self)

    def negotiate(self, owner: str, ad: Any = None) -> NoReturn:
        """Act as a negotiator. HTCondorIOError: jobs are matched by the condor_negotiator of the pool only."""
        raise HTCondorIOError("Failed to create socket to remote schedd: only the pool's negotiator may negotiate")


def poll(queries: Iterable[QueryIterator], timeout_ms: int = 20000) -> BulkQueryIterator:
    """The queries of ``xquery`` whose answers are there: all."""
    return BulkQueryIterator(queries)


def _text(value: Any) -> Any:
    return repr(value) if isinstance(value, SecondExpr) else value
