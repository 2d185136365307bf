"""userMap() with maps of the configuration: every value as HTCondor 25.14 gives it for the same maps."""

from __future__ import annotations

from pathlib import Path

import pytest

from condor_py.lang.classad import ClassAd
from condor_py.lang.classad.functions import condor
from condor_py.lang.config import load
from condor_py.lang.config.builders import usermaps

MAPS = r"""
CLASSAD_USER_MAPDATA_Groups @=end
  # comment
  * John  chemistry,physics,glassblowing
  * "Big Bob" "security , x"
  * /^a(.)(.*)$/i  first_\1,\2
  * /z+/ zed
  * John other
  * j.* dots
  sub Ann sub1,sub2
  SUB /.*/ subany
  bad line
@end
CLASSAD_USER_MAP_PREFIX_Pre = true
CLASSAD_USER_MAPDATA_Pre @=end
  * /home/ home
  * /home/ann/ annhome
  * ab AB
@end
"""
CASES = {
    'userMap("Groups","John")': '"chemistry,physics,glassblowing"', 'userMap("Groups","john")': "undefined",
    'userMap("groups","John","physics")': '"physics"', 'userMap("Groups","John","PHYSICS")': '"physics"',
    'userMap("Groups","John","nope","dflt")': '"chemistry"', 'userMap("Groups","nobody","nope","dflt")': '"dflt"',
    'userMap("Groups","nobody")': "undefined", 'userMap("Groups","Big Bob")': '"security , x"',
    'userMap("Groups","Big Bob","x")': '"x"', 'userMap("Groups","Abcd")': '"first_b,cd"',
    'userMap("Groups","fuzzy")': '"zed"', 'userMap("Groups","jxx")': "undefined", 'userMap("Groups","j.*")': '"dots"',
    'userMap("Groups.sub","Ann")': '"sub1,sub2"', 'userMap("Groups.SUB","Ann")': '"sub1,sub2"',
    'userMap("Groups.sub","x")': '"subany"', 'userMap("Groups.nosub","x")': "undefined",
    'userMap("NoMap","x")': "undefined", 'userMap("Pre","/home/ann/f")': '"annhome"',
    'userMap("Pre","/home/bob")': '"home"', 'userMap("Pre","abc")': '"AB"', 'userMap("Pre","a")': "undefined",
    'userMap("Groups",undefined)': "undefined", 'userMap("Groups",3)': "undefined",
    'userMap("Groups","John",undefined)': '"chemistry"', 'userMap("Groups","nobody",undefined,"d")': '"d"',
    'userMap("Groups","")': "undefined", 'userMap("Groups","bad")': "undefined",
}  # fmt: skip


@pytest.fixture
def install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Installs the maps of ``MAPS`` and what else stands in the file; what was said."""
    monkeypatch.setattr(condor, "map_user", condor.map_user)
    monkeypatch.setattr(usermaps, "_installed", False)
    said: list[str] = []
    path = tmp_path / "condor_config"
    names = "TOOL_CLASSAD_USER_MAP_NAMES = Groups Pre Files"
    file = f"CLASSAD_USER_MAPFILE_Files = {tmp_path}/files.map"
    path.write_text(f"LOCAL_DIR = {tmp_path}\n{names}\n{MAPS}{file}\n")
    (tmp_path / "files.map").write_text("* ann one\n@include more.map\n@include missing.map\n* /(/ x\n")
    (tmp_path / "more.map").write_text("* bob two\n@include files.map\n")
    usermaps.install(load({"CONDOR_CONFIG": str(path)}), "TOOL", said.append)
    return said


@pytest.mark.parametrize(("expression", "value"), CASES.items())
def test_values(install: list[str], expression: str, value: str) -> None:
    assert ClassAd(f"[x = {expression}; y = x =?= {value}]").eval("y") is True


def test_maps_in_files(install: list[str]) -> None:
    ad = ClassAd('[a = userMap("Files", "ann"); b = userMap("Files", "bob"); c = userMap("Files", "cyd")]')
    assert (ad.eval("a"), ad.eval("b")) == ("one", "two")
    assert len(install) == 4
    assert install[0] == ("CLASSAD_USER_MAPDATA_Groups, line 9: 'bad line' has no output: write METHOD INPUT OUTPUT")
    assert "includes no other" in install[1]
    assert "missing.map: No such file or directory" in install[2]
    assert install[3].endswith("line 4: /(/ is not a regular expression")


def test_a_map_that_cannot_be_read_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(condor, "map_user", condor.map_user)
    said: list[str] = []
    environment = {
        "CONDOR_CONFIG": "ONLY_ENV", "_CONDOR_LOCAL_DIR": str(tmp_path), "_CONDOR_SCHEDD_CLASSAD_USER_MAP_NAMES": "G",
        "_CONDOR_CLASSAD_USER_MAPFILE_G": f"{tmp_path}/none",
    }  # fmt: skip
    usermaps.install(load(environment), "SCHEDD", said.append)
    assert said == [f"CLASSAD_USER_MAPFILE_G: cannot read {tmp_path}/none: No such file or directory"]
    assert ClassAd('[a = userMap("G", "ann")]').eval("a").name == "Undefined"
