"""condor_gangliad: what it makes of ads, and the packets that Ganglia gets."""

from __future__ import annotations

import struct
from pathlib import Path

import pytest

from condor_py.daemons.gangliad import gmond
from condor_py.daemons.gangliad.gmond import Channel, Times
from condor_py.daemons.gangliad.metrics import Collection, Metric, definitions_of, usual
from condor_py.lang.classad import ClassAd
from condor_py.model.errors import ConfigError
from condor_py.model.settings.ganglia import Rules


def _ad(my_type: str, name: str = "vm", **attributes: str) -> ClassAd:
    ad = ClassAd()
    ad.set_str("MyType", my_type)
    ad.set_str("Name", name)
    ad.set_str("Machine", "vm")
    for attribute, text in attributes.items():
        ad.set_text(attribute, text)
    return ad


def _metrics(text: str, *ads: ClassAd, before: dict[str, float] | None = None, **rules: str | int) -> dict[str, Metric]:
    collection = Collection(Rules(**rules), "pool", before)  # type: ignore[arg-type]
    found = collection.take(list(definitions_of(text, "file")), ads)
    if before is not None:
        before.clear()
        before.update(collection.numbers)
    return {metric.name: metric for metric in found}


def test_usual_metrics_of_a_pool() -> None:
    ads = [
        _ad("Scheduler", TotalRunningJobs="3", TotalIdleJobs="4", RecentDaemonCoreDutyCycle="0.25"),
        _ad("Machine", "slot1@vm", SlotID="1", Cpus="8", TotalCpus="8"),
    ]
    found = {metric.name: metric for metric in Collection(Rules(), "pool").take(usual(), ads)}
    assert (found["TotalRunningJobs"].value, found["TotalRunningJobs"].machine) == ("3", "vm")
    assert (found["Running Jobs in Pool"].value, found["Running Jobs in Pool"].machine) == ("3", "pool")
    duty = found["SchedulerRecentDaemonCoreDutyCycle"]
    assert (duty.value, duty.units, duty.kind, duty.group) == ("25", "%", "float", "HTCondor Schedd")
    assert "Cpus in Pool" not in found, "its verbosity is 2"


def test_sums_scales_types_and_expressions() -> None:
    slots = [_ad("Machine", f"slot{number}@vm", SlotID=str(number), Cpus=str(number)) for number in (1, 2, 3)]
    text = """
        /* of all slots */ [ Name = "Sum"; Value = Cpus; Aggregate = "SUM"; TargetType = "Machine"; Scale = 2 ],
        [ Name = "Mean"; Value = Cpus; Aggregate = "avg"; Type = "float"; TargetType = "Machine" ]
        # a comment
        [ Name = "First"; Value = Cpus > 0; TargetType = "Machine_slot1"; Title = strcat("of ", Machine) ]
        [ Name = "Text"; Value = 7; Type = "string"; TargetType = "Machine" ]
        [ Name = "Loud"; Value = 7; Verbosity = 1; TargetType = "any" ]
        [ Name = "Odd"; Value = 1/0; TargetType = "any" ]
        [ Name = "Not"; Value = 1; Requirements = Cpus > 5; TargetType = "any" ]
        [ Regex = "C(p)us"; Title = "\\\\1!"; TargetType = "Machine_slot1" ]
    """
    found = _metrics(text, *slots)
    assert {name: metric.value for name, metric in found.items()} == {
        "Sum": "12",
        "Mean": "2",
        "First": "1",
        "Cpus": "1",
    }
    assert (found["First"].kind, found["First"].title, found["First"].machine) == ("int8", "of vm", "vm")
    assert found["Cpus"].title == "p!"
    assert "Loud" in _metrics(text, slots[0], verbosity=1)
    assert _metrics(text, *slots, requirements="Cpus == 2")["Sum"].value == "4"
    assert _metrics(text, slots[0], machine='"other"', ip='"1.2.3.4"')["First"].machine == "other"


def test_changes_of_sums() -> None:
    text = '[ Name = "Done"; Value = Jobs; Aggregate = "SUM"; Derivative = true; TargetType = "any" ]'
    before: dict[str, float] = {}
    assert _metrics(text, _ad("Scheduler", Jobs="5"), before=before) == {}
    assert _metrics(text, _ad("Scheduler", Jobs="9"), before=before)["Done"].value == "4"
    assert _metrics(text, _ad("Scheduler", Jobs="1"), before=before) == {}, "it has started again"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ('[ Name = "x" ]', 'file: no target type specified for metric "x"'),
        ('[ Name = "x"; TargetType = "any"; Type = "blob" ]', "file: Invalid Type blob"),
        ('[ Name = "x"; TargetType = "any"; Aggregate = "mode" ]', "file: Invalid Aggregate mode"),
        ('[ Regex = "("; TargetType = "any" ]', "file: Invalid regex ("),
        ("[ Name = ", "file: "),
    ],
)
def test_definitions_that_mean_nothing(text: str, told: str) -> None:
    with pytest.raises(ConfigError) as error:
        list(definitions_of(text, "file"))
    assert str(error.value).startswith(told)


def test_where_gmond_listens(tmp_path: Path) -> None:
    (tmp_path / "conf.d").mkdir()
    (tmp_path / "conf.d" / "more.conf").write_text("udp_send_channel { host = third }\n")
    path = tmp_path / "gmond.conf"
    path.write_text(
        "globals { daemonize = yes }\n/* udp_send_channel { host = no } */\n"
        "udp_send_channel {\n  #bind_hostname = yes\n  mcast_join = 239.2.11.71\n  port = 8650\n  ttl = 3\n}\n"
        'udp_send_channel { host = "second" port = 1 }\nudp_recv_channel { port = 8649 }\ninclude ("conf.d/*.conf")\n'
    )
    assert gmond.channels(str(path)) == [Channel("239.2.11.71", 8650, 3), Channel("second", 1), Channel("third", 8649)]
    path.write_text("udp_send_channel { port = x }")
    for wrong in (path, tmp_path / "nosuch"):
        with pytest.raises(ConfigError, match="GANGLIA_CONFIG"):
            gmond.channels(str(wrong))


def test_packets() -> None:
    metric = Metric("Jobs", "3", "int32", "a@vm.é", ip="1.2.3.4", group="Of jobs", units="jobs", derivative=True)
    first, second = gmond.packets(metric, Times(120, 999))

    def text(data: bytes, at: int) -> tuple[str, int]:
        (length,) = struct.unpack_from(">I", data, at)
        return data[at + 4 : at + 4 + length].decode(), at + 4 + (length + 3) // 4 * 4

    for data, number in ((first, 128), (second, 133)):
        assert struct.unpack_from(">I", data) == (number,)
        host, at = text(data, 4)
        name, at = text(data, at)
        assert (host, name, data[at : at + 4]) == ("1.2.3.4:a.vm..", "Jobs", b"\0\0\0\1")
    kind, at = text(first, at + 4)
    _, at = text(first, at)
    units, at = text(first, at)
    assert (kind, units, struct.unpack_from(">IIII", first, at)) == ("int32", "jobs", (5, 120, 999, 2))
    assert second.endswith(b"\0\0\0\2%s\0\0\0\0\0\1" + b"3\0\0\0")
    command = gmond.gmetric("/bin/gmetric", "/etc/g", metric, Times(120, 999))
    assert {"--slope=derivative", "--group=Of.jobs", "--spoof=1.2.3.4:a.vm..", "--dmax=999"} <= set(command)
