"""What ``Schedd`` offers to other managers of jobs: claims, exported jobs, slots that owners keep (OCU), proxies."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from condor_py.bindings import exporting, session
from condor_py.bindings.errors import HTCondorException
from condor_py.bindings.jobspec import JobSpec
from condor_py.bindings.place import AtSchedd
from condor_py.lang.classad import ClassAd, ExprTree
from condor_py.model.errors import CondorError
from condor_py.model.messages.codec import Refused
from condor_py.model.messages.queue import Ocu, OcuUnits

if TYPE_CHECKING:
    from condor_py.client.pool import Pool


class ExternalJobs(AtSchedd):
    """The part of ``Schedd`` for programs that run its jobs elsewhere, or its slots for others."""

    def get_claims(
        self,
        constraint: str | ExprTree | None = None,
        projection: list[str] = [],  # noqa: B006  (never changed; the default that HTCondor's documentation names)
    ) -> list[ClassAd]:
        """The slots that run this schedd's jobs or are kept for them, as ads of slots."""
        names = session.projection_of(projection)
        wanted = session.constraint_of(constraint)
        claimed = (ad for ad in self._here("Cannot query schedd").ads("STARTD") if ad.get("State") == "Claimed")
        return [session.projected(ad, names) for ad in claimed if session.is_true(ad, wanted)]

    def refreshGSIProxy(self, cluster: int, proc: int, proxy_filename: str, lifetime: int = -1) -> int:
        """Replace the proxy of a job. HTCondorException: jobs here have no proxy that somebody could delegate."""
        words = "DCSchedd::delegateGSIcredential:6001:Failed to connect to schedd"
        job = f"{int(cluster)}.{int(proc)}"
        self._here(words)
        _unavailable(f"DCSchedd::delegateGSIcredential: job {job} has no proxy: jobs of this pool run on its machine")

    def export_jobs(self, job_spec: JobSpec, export_dir: str, new_spool_dir: str) -> ClassAd:
        """Hand the jobs of clusters to somebody else: their ads go to the file job_queue.log in ``export_dir``.

        The jobs stay here and wait until they are taken back. ``new_spool_dir`` is where their spool will be there.
        The answer says how many there are. HTCondorException when that is not allowed, or the file cannot be written.
        """
        return exporting.export(self._here(_failed("exportJobs")), job_spec, export_dir, new_spool_dir)

    def import_exported_job_results(self, import_dir: str) -> ClassAd:
        """Take back the exported jobs that job_queue.log in ``import_dir`` has, with what became of them.

        Jobs that were held or removed here meanwhile stay as they are. HTCondorException when the file cannot be read.
        """
        return exporting.take_back(self._here(_failed("importExportedJobResults")), import_dir)

    def unexport_jobs(self, job_spec: JobSpec) -> ClassAd:
        """Undo ``export_jobs``: the jobs are this schedd's again, as they were."""
        return exporting.unexport(self._here(_failed("unexportJobs")), job_spec)

    def create_ocu(self, request: ClassAd) -> ClassAd:
        """Ask for a slot that stays with its owner: an owner capacity unit. ``request`` has Owner and RequestCpus,
        RequestMemory (MiB), RequestDisk (KiB).

        The answer has Result (0: success), OCUId and OCUName, or ErrorString. HTCondorException: no schedd answers.
        """
        session.check_ad(request, "request")
        pool = self._here("Cannot send OCU creation request to schedd")
        answer = _ask(pool, Ocu("create", ClassAd(request).text_items()), "creation")
        if isinstance(answer, Refused):
            return _refused(answer)
        return ClassAd({"Result": 0, "OCUId": answer.id, "OCUName": answer.name})

    def remove_ocu(self, request: int) -> ClassAd:
        """Give such a slot back, by its OCUId; what runs there is vacated. The answer is as for ``create_ocu``."""
        number = int(request)
        pool = self._here("Cannot send OCU removal request to schedd")
        answer = _ask(pool, Ocu("remove", id=number), "removal")
        return _refused(answer) if isinstance(answer, Refused) else ClassAd({"Result": 0, "OCUId": number})

    def query_ocu(self, request: ClassAd) -> list[ClassAd]:
        """All such units, with OCUState: U (no slot yet), I (its slot waits for a job) or R (a job runs)."""
        session.check_ad(request, "request")
        pool = self._here("Cannot send OCU query request to schedd")
        answer = _ask(pool, Ocu("query"), "query")
        if isinstance(answer, Refused):
            raise HTCondorException(f"Cannot send OCU query request to schedd: {answer.error}")
        return [ClassAd.from_text_items((name, text) for name, text in items) for items in answer.ads]


def _ask(pool: Pool, question: Ocu, what: str) -> OcuUnits | Refused:
    try:
        return pool.ask("schedd", question)
    except CondorError as error:
        raise HTCondorException(f"Cannot send OCU {what} request to schedd: {error}") from None


def _refused(answer: Refused) -> ClassAd:
    return ClassAd({"Result": -1, "ErrorString": answer.error})


def _failed(call: str) -> str:
    return f"DCSchedd::{call}:6001:Failed to connect to schedd"


def _unavailable(reason: str) -> NoReturn:
    raise HTCondorException(reason)
