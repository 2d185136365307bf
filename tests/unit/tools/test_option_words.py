"""How the options of the tools may be spelled: how short, which take a value, and which a text after a colon."""

from __future__ import annotations

import pytest
from tool_runner import run

from condor_py.cli.application import specs
from condor_py.cli.options import UsageError, match_option, scan

#: The words of each tool in the order in which they are tried. What is in parentheses may be left out, as in HTCondor's
#: calls of is_dash_arg_prefix. Then: ``:`` a text may follow after a colon; for each value ``=``, or ``-`` where it may
#: begin with a dash itself; ``?`` one value or none; ``*`` one or more.
WORDS = {
    "condor_dag_checker": "h(elp) Allow(IllegalChars) CheckExt(ernalFiles) CheckJDL CheckScr(ipts) CheckSub(Dags) "
    "Fin(ished) JSON Join(Nodes) NoJoin(Nodes) Stat(istics) Strict Use(DagDir)",
    "condor_job_router_info": "h(elp) v(ersion) d(ebug): diag(nostic): co(nfig) ma(tch-jobs) route(-jobs)- lo(g-steps) "
    "ig(nore-prior-routing) j(obads)=",
    "condor_mcp": "d(irectory)= rea(d-only) ro(ws)= b(ytes)= v(ersion) h(elp)",
    "condor_ping": "h(elp)? q(uiet) ta(ble) v(erbose) l(ong) f(ormat)-- af:* autof(ormat):* c(onfig)- root(-config)- "
    "p(ool)= n(ame)= sub(system)= type= a(ddress)= vers(ion) d(ebug):",
    "condor_router_q": "S R I H route= site= idle held constraint- help h",
    "condor_router_rm": "route= site= idle held constraint- help h",
    "condor_run": "h(elp) u= a- getenv summary",
    "condor_setup": "c(ron) d(ry-run) r(emove) de(stdir)= u(pgrade) f(rom)= b(ack) dr(ain) l(imit)= p(refix)= "
    "v(ersion) h(elp)",
    "condor_ssh_to_job": "d(ebug): h(elp) n(ame)= p(ool)= s(sh)- k(eygen-options)- a(uto-retry) r(emove-on-interrupt) "
    "sh(ells)= X x",
    "condor_submit": "v(erbose) ter(se) dis(able) de(bug): dry(-run):= s(pool) fi(le)- digest- fa(ctory) g(enerator) "
    "ad(dress)- r(emote)- n(ame)- a(ppend)- b(atch-name)- b(atch-id)- q(ueue)* it(erate)* table= max(jobs)- "
    "sin(gle-cluster) po(ol)- u(nused) du(mp)- allow-cr(lf-script) help cap(abilities): wait i(nteractive)",
    "condor_token_create": "id(entity)- k(ey)- a(uthz)- l(ifetime)- to(ken)- f(ile)- d(ebug): h(elp) v(ersion)",
    "condor_token_fetch": "a(uthz)- l(ifetime)- p(ool)= n(ame)= k(ey)- to(ken)- f(ile)- t(ype)= r(emote) d(ebug): "
    "h(elp) v(ersion)",
    "condor_token_list": "d(ebug): h(elp) d(ir)- f(ile)- c(apability) p(ool)= n(ame)= t(ype)= v(ersion)",
    "condor_transform_ads": "v(erbose) ter(se) de(bug): r(ules)= jobt(ransforms)= jobr(oute)= i(n):= o(ut):= l(ong) "
    "js(on) xml unit(-test): test(ing): h(elp) conv(ertoldroutes):",
}
#: Two options of a table for one spelling: HTCondor takes the first.
SECOND = {("condor_setup", "drain"), ("condor_submit", "batch-id"), ("condor_token_list", "dir")}
SPECS = {spec.name: spec for spec in specs()}
MARKS = ":=-?*"


@pytest.mark.parametrize("tool", WORDS)
def test_how_short_an_option_may_be(tool: str) -> None:
    options = SPECS[tool].options
    assert run(tool, "-help").out.startswith(f"Usage: {tool}")
    words = [word.rstrip(MARKS).rstrip(")").partition("(") for word in WORDS[tool].split()]
    assert [short + rest for short, _, rest in words] == [option.name for option in options]
    for (short, _, rest), option in zip(words, options, strict=True):
        found = match_option(options, f"-{short}")
        assert found is not None, short
        assert (found[0] is option) == ((tool, short + rest) not in SECOND), short
        assert match_option([option], f"-{short[:-1]}") is None
        assert (match_option([option], f"-{short}:x") is not None) == (
            ":" in WORDS[tool].split()[options.index(option)]
        )


@pytest.mark.parametrize("tool", WORDS)
def test_what_an_option_takes(tool: str) -> None:
    assert run(tool, "-help").out.startswith(f"Usage: {tool}")
    for word in WORDS[tool].split():
        name, marks = word.rstrip(MARKS).replace("(", "").replace(")", ""), word[len(word.rstrip(MARKS)) :].strip(":")
        given = {"": [], "?": ["x"], "*": ["x", "y"]}.get(marks, ["-x" if mark == "-" else "x" for mark in marks])
        use, *rest = scan(SPECS[tool], [f"--{name}", *given, "-help" if tool != "condor_ping" else "-quiet"])
        assert (use.values, len(rest)) == (tuple(given), 1), name
        if "=" in marks or "*" in marks:
            with pytest.raises(UsageError) as error:
                scan(SPECS[tool], [f"--{name}", "-help"])
            assert error.value.kind == "missing"


@pytest.mark.parametrize(
    ("tool", "alias", "option"),
    [
        ("condor_ping", "af", "autoformat"),
        ("condor_ping", "subsystem", "type"),
    ],
)
def test_another_spelling_of_an_option(tool: str, alias: str, option: str) -> None:
    assert run(tool, "-help").out.startswith(f"Usage: {tool}")
    assert [use.name for use in scan(SPECS[tool], [f"-{alias}", "x"])] == [option]


@pytest.mark.parametrize(
    ("words", "place"),
    [
        ("condor_ping -nonsense", "err"),
        ("condor_ping -pool", "err"),
        ("condor_submit -nonsense", "err"),
        ("condor_submit -name", ""),
        ("condor_run -u", "out"),
        ("condor_run -a", "out"),
        ("condor_qsub -N", "err"),
        ("condor_token_create -nonsense", "err"),
        ("condor_token_create -key", ""),
        ("condor_ssh_to_job -nonsense", ""),
        ("condor_transform_ads -nonsense", "err"),
        ("condor_transform_ads -rules", ""),
    ],
)
def test_where_the_usage_follows_a_mistake(words: str, place: str) -> None:
    done = run(*words.split())
    assert done.code != 0
    assert ("Usage: " in done.out, "Usage: " in done.err) == (place == "out", place == "err"), done
