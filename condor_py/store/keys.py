"""Keys of job_queue.log and the job ids behind them."""

from __future__ import annotations

from condor_py.model.ids import JobId

#: The ad that holds NextClusterNum and UidDomain.
HEADER = "0.0"

_CLUSTER_PROC = -1


def proc_key(job: JobId) -> str:
    """``C.P``."""
    return f"{job[0]}.{job[1]}"


def cluster_key(cluster: int) -> str:
    """``0C.-1``: a literal 0 before the number."""
    return f"0{cluster}.-1"


def private_key(cluster: int) -> str:
    """``C.-2``: data of a cluster that only the schedd may see."""
    return f"{cluster}.-2"


def user_key(number: int) -> str:
    """``0.N``: a user record; numbers begin with 2."""
    return f"0.{number}"


def split_key(key: str) -> tuple[int, int] | None:
    """(cluster, proc) of any key, None for a foreign one. Cluster ads have proc -1, private ones -2."""
    left, dot, right = key.partition(".")
    if not dot:
        return None
    try:
        return int(left), int(right)
    except ValueError:
        return None


def proc_of(key: str) -> JobId | None:
    """The job when ``key`` is that of a proc ad."""
    numbers = split_key(key)
    if numbers is None or numbers[0] <= 0 or numbers[1] < 0:
        return None
    return JobId(*numbers)


#: Digits of a number that surely is one.
_LONGEST = 18


def plain_job(key: str) -> tuple[int, int] | None:
    """(cluster, proc) when ``key`` is that of a proc ad as ``proc_key`` makes it, which nearly all are."""
    left, _, right = key.partition(".")
    if not (left.isdecimal() and right.isdecimal() and key.isascii()) or left[0] == "0":
        return None
    if (right[0] == "0" and right != "0") or len(left) > _LONGEST or len(right) > _LONGEST:
        return None
    return int(left), int(right)


def cluster_of(key: str) -> int | None:
    """The cluster when ``key`` is that of a cluster ad."""
    numbers = split_key(key)
    if numbers is None or numbers[1] != _CLUSTER_PROC or numbers[0] <= 0:
        return None
    return numbers[0]


def user_of(key: str) -> int | None:
    """The number when ``key`` is that of a user record."""
    numbers = split_key(key)
    return numbers[1] if numbers is not None and numbers[0] == 0 and numbers[1] > 0 else None
