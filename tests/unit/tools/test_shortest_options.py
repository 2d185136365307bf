"""How far each option may be shortened, as HTCondor's sources have it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from condor_py.cli import act, control, drain, qedit, qusers, status, userprio, who
from condor_py.cli.config_val.spec import SPEC as CONFIG_VAL
from condor_py.cli.options import ToolSpec, match_option

#: What stands before the dot is the shortest spelling. In brackets: another option is first to take that spelling.
SHORTEST = """
condor_status av.ail p.ool ad.s f.ormat autof.ormat af. aaf. pr.int-format wid.e nat.ural targ.et con.straint dir.ect
    dia.gnose de.bug def.rag h.elp [li.cense] li.mit l.ong x.ml js.on at.tributes group.-by cl.aimed da.ta r.un cod.
    gpu.s j.ava ab.sent of.fline merge. vm. sl.ots com.pact nocom.pact se.rver stat.e brok.en lvm. heal.thy snap.shot
    stati.stics star.td sc.hedd g.rid subs.ystem sto.rage n.egotiator ge.neric an.y so.rt subm.itters m.aster
    col.lector w.orld ck.ptsrvr t.otals e.xpert ver.sion
condor_userprio s.etprio d.uration c.ancelceilinglease r.esetusage del.ete l.ong leg.acy mod.ular af. autof.ormat
    hi.erarchical h.eir fl.at g.rouprollup q.uotas so.rtkey a.ll mo.st o.rder us.age prio.rity getres.list in.putfile
    p.ool n.ame col.lector neg.otiator [s.etfactor] [s.etfloor] [s.etceiling] [c.ancelfloorlease] [d.ebug]
    [c.ancelfactorlease] [s.etbegin] [s.etaccum] [s.etlast] [r.esetall] [c.onstraint] [g.rouporder] [s.urplus]
    [g.roupid] [a.ctivefrom] [a.llusers]
condor_who h.elp d.ebug dae.mons quic.kdaemons wait.-for-ready timed. addr.ess log.dir pid. al.lpids w.ide l.ong
    snap.shot stat.istics f.ormat autof.ormat af. aaf. pr.int-format con.straint lim.it verb.ose diag.nostic job.s
    startd.
condor_config_val n.ame a.ddress p.ool lo.cal-name sub.system o.wner t.ilde ma.ster sc.hedd st.artd col.lector
    neg.otiator se.t uns.et rse.t runse.t mi.xedcase diag.nostic raw. def.ault co.nfig recon.fig swap. v.erbose d.ump
    tr.ace stat.s inf.o ex.panded mac.ro ev.aluate unus.ed us.ed sum.mary wri.teconfig root.-config de.bug he.lp
    [ver.sion]
condor_qedit h.elp n.ame p.ool d.ebug diag.nostic dry.-run c.onstraint o.wner j.obids ed.its for.ward
condor_drain h.elp v.ersion deb.ug verb.ose p.ool c.ancel f.ast q.uick g.raceful r.esume-on-completion
    ex.it-on-completion rest.art-on-completion rec.onfig-on-completion rea.son req.uest-id ch.eck start.
condor_hold d.ebug l.ong tot.als c.onstraint a.ll hel.d hol.d ad.dr r.eason s.ubcode n.ame p.ool v.ersion h.elp
condor_qusers h.elp v.ersion deb.ug verb.ose raw.-results u.ser add. en.able di.sable sus.pend uns.uspend re.ason
    rem.ove de.lete ed.it proj.ects da.ily w.ide l.ong f.ormat autof.ormat af. aaf. p.ool n.ame c.onstraint [re.set]
    [us.age]
condor_off v.ersion h.elp pe.aceful p.ool fu.ll fa.st fo.rce-graceful d.ebug da.emon dr.ain q.uick rea.son ch.eck
    start. ex.ec g.raceful ad.dr al.l na.me ne.gotiator m.aster con.straint col.lector k.bdd sc.hedd st.artd
    su.bsystem
"""
TABLES = {
    "condor_status": status.SPECS[0],
    "condor_userprio": userprio.SPECS[0],
    "condor_who": who.SPECS[0],
    "condor_config_val": CONFIG_VAL,
    "condor_qedit": qedit.SPECS[0],
    "condor_drain": drain.SPECS[0],
    "condor_hold": next(spec for spec in act.SPECS if spec.name == "condor_hold"),
    "condor_qusers": qusers.SPECS[0],
    "condor_off": control.COMMANDS["condor_off"],
}


def _rows() -> Iterator[tuple[ToolSpec, list[str]]]:
    for word in SHORTEST.split():
        if word in TABLES:
            yield TABLES[word], (options := [])
        else:
            options.append(word)


def _meant(spec: ToolSpec, word: str) -> str:
    found = match_option(spec.options, f"-{word}")
    return "" if found is None else found[0].name


@pytest.mark.parametrize(("spec", "options"), [pytest.param(*row, id=row[0].name) for row in _rows()])
def test_the_shortest_spelling_of_each_option(spec: ToolSpec, options: list[str]) -> None:
    assert len(options) > 10
    for text in options:
        shortest, _, rest = text.strip("[]").partition(".")
        name = shortest + rest
        assert _meant(spec, name) == name
        assert (_meant(spec, shortest) == name) is not text.startswith("["), text
        alone = [option for option in spec.options if option.name == name]
        assert match_option(alone, f"-{shortest}") is not None, text
        assert match_option(alone, f"-{shortest[:-1]}") is None, text
