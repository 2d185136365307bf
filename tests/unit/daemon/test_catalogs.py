"""What a submit writes of common files, and what the starter and the spool make of them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from condor_py.client.submission import with_catalogs
from condor_py.core.jobs.spooled import input_files, staged_in
from condor_py.lang.classad import ClassAd
from condor_py.machine.run.job import read_job
from condor_py.model.ids import JobId

PLAIN = {"CommonInputFiles": '"a.txt"'}
CATALOGS = {"CommonInputCatalogs": '"big, small"', "_x_catalog_big": '"b.txt c.txt"', "_x_catalog_small": '"d.txt"'}


def identity(name: str, scope: int, schedd: str = "ap") -> str:
    nothing = hashlib.sha256(b"").hexdigest()
    return hashlib.sha256(f"{name}@{schedd}#{scope}_{nothing}={nothing}".encode()).hexdigest()


def submitted(attributes: dict[str, str], cluster: int = 7, proc: Sequence[tuple[str, str]] = ()) -> ClassAd:
    """Job 0 of a new cluster."""
    ad, procs = with_catalogs(cluster, list(attributes.items()), [proc], "ap")
    above, job = ClassAd(), ClassAd()
    above.set_texts(ad)
    job.set_texts(procs[0])
    job.chain(above)
    return job


def test_files_without_a_name_are_a_catalog_of_the_cluster() -> None:
    job = submitted(PLAIN)
    assert job["RequestedCatalogs"] == ["ClusterId_7"]
    assert job["RequestedCatalogIDs"] == [identity("ClusterId_7", 7)]
    assert submitted(PLAIN, 8)["RequestedCatalogs"] == ["ClusterId_8"]


def test_the_jobs_of_a_dag_have_their_catalogs_in_common() -> None:
    first, second = (submitted({**PLAIN, **CATALOGS, "DAGManJobId": "3"}, cluster) for cluster in (7, 8))
    assert first["RequestedCatalogs"] == second["RequestedCatalogs"] == ["DAGManJobId_3", "big", "small"]
    assert first["RequestedCatalogIDs"] == second["RequestedCatalogIDs"]
    assert first["RequestedCatalogIDs"][1] == identity("big", 3)


def test_one_job_of_a_cluster_may_have_catalogs_of_its_own() -> None:
    job = submitted(PLAIN, proc=[("CommonInputCatalogs", '"one"')])
    assert job["RequestedCatalogs"] == ["ClusterId_7", "one"]


def test_a_submitter_cannot_name_another_catalog() -> None:
    job = submitted({**PLAIN, "RequestedCatalogIDs": '{"stolen"}'})
    assert job["RequestedCatalogIDs"] == [identity("ClusterId_7", 7)]


def test_jobs_without_common_files_stay_as_they_are() -> None:
    assert submitted({"Cmd": '"/bin/true"'}).text_items() == [("Cmd", '"/bin/true"')]
    assert submitted({"CommonInputCatalogs": "13"}).has("RequestedCatalogs") is False


def test_common_files_are_known_apart_from_those_of_the_job() -> None:
    ad = submitted({"TransferInput": '"a.txt,c.txt"', "CommonInputFiles": '"a.txt, e/f"', **CATALOGS})
    job = read_job(ad, "here", ("/staged",))
    assert (job.input_files, job.common_files) == (("a.txt", "c.txt"), ("b.txt", "d.txt", "e/f"))
    assert job.staged == ("/staged",)


def test_common_files_travel_into_the_spool() -> None:
    ad = submitted({"CommonInputFiles": '"/here/a.txt,http://there/x"', "Iwd": '"/here"', **CATALOGS})
    brought = [("b.txt", "b.txt"), ("c.txt", "c.txt"), ("d.txt", "d.txt"), ("/here/a.txt", "a.txt")]
    assert input_files(ad) == brought
    changes = {change.name: change.value for change in staged_in(JobId(7, 0), ad, "/spool", 1, 2)}
    assert changes["CommonInputFiles"] == '"a.txt,http://there/x"'
    assert changes["SUBMIT_CommonInputFiles"] == '"/here/a.txt,http://there/x"'
    assert "_x_catalog_big" not in changes, "it lies there under the name that it has"
