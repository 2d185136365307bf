"""Runs of condor_submit_dag: name -> (files, command lines). All with -no_submit where nothing else is said."""

from __future__ import annotations

A = "JOB A x.sub\n"
ONE = {"t.dag": A}
_Runs = tuple[dict[str, str], list[str]]


def alone(*commands: str, **files: str) -> _Runs:
    """Command lines in one directory, one after the other."""
    return ({**ONE, **{name.replace("__", "."): text for name, text in files.items()}}, list(commands))


CASES: dict[str, _Runs] = {
    "plain": alone("-no_submit t.dag"),
    "short": alone("-no_s t.dag"),
    "any case": alone("-NO_SUBMIT -MaxJOBS 3 t.dag"),
    "all limits": alone("-no_submit -maxidle 2 -maxjobs 1 -maxpre 3 -maxpost 4 -maxhold 5 t.dag"),
    "zero limits": alone("-no_submit -maxidle 0 -maxjobs 0 t.dag"),
    "negative limit": alone("-no_submit -maxjobs -3 t.dag"),
    "limit with letters": alone("-no_submit -maxjobs 3x t.dag"),
    "everything": alone(
        "-no_submit -debug 4 -maxidle 2 -maxjobs 1 -maxpre 3 -maxpost 4 -alwaysrunpost -dorecov -priority 5 -verbose "
        "-notification always -usedagdir -outfile_dir D -autorescue 0 -allowversionmismatch -include_env X,Y "
        "-insert_env A=1 -suppress_notification -submitmethod 0 -force -batch-name b -append foo=bar -a +x=1 t.dag"
    ),
    "load save": alone("-no_submit -load_save F t.dag"),
    "rescue file": alone("-no_submit -rescuefile F t.dag"),
    "dont run post": alone("-no_submit -dontalwaysrunpost -dont_suppress_notification t.dag"),
    "update": alone("-no_submit -maxjobs 3 -maxidle 4 t.dag", "-no_submit -update_submit -maxpre 7 t.dag"),
    "update new": alone("-no_submit -update_submit -maxjobs 3 t.dag"),
    "update over": alone("-no_submit -maxjobs 3 t.dag", "-no_submit -update_submit -maxjobs 9 t.dag"),
    "setup only": alone("-no_submit -setuponly t.dag"),
    "dag manager": alone("-no_submit -dagman /some/where/condor_dagman t.dag"),
    "batch name quoted": alone('-no_submit -batch-name "quoted" t.dag'),
    "batch name": alone("-no_submit -batch-name mine+yours t.dag"),
    "several insert env": alone("-no_submit -insert_env A=1;B=2 -insert_env _C=3 -insert_env z=4 t.dag"),
    "bad insert env": alone("-no_submit -insert_env A t.dag"),
    "several include env": alone("-no_submit -include_env A -include_env B,C t.dag"),
    "insert sub file": alone("-no_submit -insert_sub_file more.sub t.dag", more__sub="  a = 1\n\nb = 2  \n"),
    "insert sub file missing": alone("-no_submit -insert_sub_file more.sub t.dag"),
    "insert note": alone("-no_submit -insert_sub_file more.sub t.dag", more__sub="a=1\n", conf="x\n"),
    "two files": ({"a.dag": A, "b.dag": A}, ["-no_submit a.dag b.dag"]),
    "two files again": ({"a.dag": A, "b.dag": A}, ["-no_submit a.dag b.dag", "-no_submit a.dag b.dag"]),
    "again": alone("-no_submit t.dag", "-no_submit t.dag"),
    "again by force": alone("-no_submit t.dag", "-no_submit -f t.dag"),
    "all old files": alone(
        "-no_submit t.dag",
        t__dag__condor__sub="x",
        t__dag__lib__out="",
        t__dag__lib__err="",
        t__dag__dagman__out="",
        t__dag__dagman__log="",
    ),
    "rescue": alone("-no_submit t.dag", t__dag__rescue001="DONE A\n", t__dag__condor__sub="x"),
    "rescue gap": alone("-no_submit t.dag", t__dag__rescue001="", t__dag__rescue003=""),
    "rescue force": alone("-no_submit -f t.dag", t__dag__rescue001="", t__dag__rescue002=""),
    "rescue not auto": alone("-no_submit -autorescue 0 t.dag", t__dag__rescue001=""),
    "rescue from": alone("-no_submit -dorescuefrom 1 t.dag", t__dag__rescue001="", t__dag__rescue002=""),
    "rescue from missing": alone("-no_submit -dorescuefrom 3 t.dag"),
    "rescue from negative": alone("-no_submit -dorescuefrom -3 t.dag"),
    "rescue old": alone("-no_submit -autorescue 0 t.dag", t__dag__rescue=""),
    "rescue multi": ({"a.dag": A, "b.dag": A, "a.dag_multi.rescue001": ""}, ["-no_submit a.dag b.dag"]),
    "halt file": alone("-no_submit t.dag", t__dag__halt=""),
    "nothing": alone(""),
    "no file": alone("-no_submit"),
    "missing file": alone("-no_submit nowhere.dag"),
    "directory": ({"d.dag/x": ""}, ["-no_submit d.dag"]),
    "unknown option": alone("-foo t.dag"),
    "no value": alone("-maxjobs"),
    "no text value": alone("-notification -maxjobs 3 t.dag"),
    "no number": alone("-maxjobs t.dag"),
    "option behind": alone("t.dag -no_submit"),
    "contradiction": alone("-alwaysrunpost -dontalwaysrunpost t.dag"),
    "exclusive": alone("-load_save F -dorescuefrom 1 t.dag"),
    "exclusive two": alone("-dorecov -rescuefile F -load_save F t.dag"),
    "exclusive rescue": alone("-dorescuefrom 1 -rescuefile F t.dag"),
    "config": ({"t.dag": "CONFIG c.conf\n" + A, "c.conf": "DAGMAN_MAX_RESCUE_NUM = 3\n"}, ["-no_submit t.dag"]),
    "config missing": ({"t.dag": "CONFIG c.conf\n" + A}, ["-no_submit t.dag"]),
    "config twice": ({"t.dag": "CONFIG c.conf\nCONFIG d.conf\n" + A, "c.conf": "", "d.conf": ""}, ["-no_submit t.dag"]),
    "config the same twice": ({"t.dag": "CONFIG c.conf\nCONFIG c.conf\n" + A, "c.conf": ""}, ["-no_submit t.dag"]),
    "config option": ({"t.dag": A, "c.conf": ""}, ["-no_submit -config c.conf t.dag"]),
    "config conflict": (
        {"t.dag": "CONFIG d.conf\n" + A, "c.conf": "", "d.conf": ""},
        ["-no_submit -config c.conf t.dag"],
    ),
    "config nothing": ({"t.dag": "CONFIG\n" + A}, ["-no_submit t.dag"]),
    "attributes": ({"t.dag": 'SET_JOB_ATTR a = 3\nSET_JOB_ATTR b="x y"\n' + A}, ["-no_submit -append c=4 t.dag"]),
    "attribute nothing": ({"t.dag": "SET_JOB_ATTR\n" + A}, ["-no_submit t.dag"]),
    "env": (
        {"t.dag": "ENV GET X, Y Z\nENV SET B=2;C=3\nENV SET \"D='4 5' E=6\"\n" + A},
        ["-no_submit -insert_env A=1 t.dag"],
    ),
    "env bad": ({"t.dag": "JOB A x\nENV FOO x\n"}, ["-no_submit t.dag"]),
    "env nothing": ({"t.dag": "ENV SET\n"}, ["-no_submit t.dag"]),
    "env bad pair": ({"t.dag": "ENV SET A\n"}, ["-no_submit t.dag"]),
    "unknown command": ({"t.dag": "JOB A x\n\nFOO x\n"}, ["-no_submit t.dag"]),
    "other errors": ({"t.dag": "JOB\nRETRY\nREJECT\nPARENT A CHILD Z\n"}, ["-no_submit t.dag"]),
    "inline": ({"t.dag": "JOB A {\nFOO\nCONFIG x\n}\nSUBMIT-DESCRIPTION d @=x\nFOO\n@x\n"}, ["-no_submit t.dag"]),
    "in a directory": ({"d/t.dag": A}, ["-no_submit d/t.dag"]),
    "in a directory, outfile": ({"d/t.dag": A}, ["-no_submit -outfile_dir /some/where d/t.dag"]),
    "use dag dir": ({"d/t.dag": "CONFIG c\n" + A, "d/c": "", "e/u.dag": A}, ["-no_submit -usedagdir d/t.dag e/u.dag"]),
    "use dag dir missing": ({"d/t.dag": A}, ["-no_submit -usedagdir nowhere/t.dag"]),
    "recurse": (
        {"t.dag": A + "SUBDAG EXTERNAL B i.dag\nSUBDAG EXTERNAL C o.dag DIR d\n", "i.dag": A, "d/o.dag": A},
        ["-no_submit -do_recurse -priority 3 -maxjobs 3 -verbose t.dag"],
    ),
    "recurse missing": ({"t.dag": "SUBDAG EXTERNAL B i.dag\n"}, ["-no_submit -do_recurse t.dag"]),
    "recurse directory": ({"t.dag": "SUBDAG EXTERNAL B i.dag DIR nowhere\n"}, ["-no_submit -do_recurse t.dag"]),
    "spaces": ({"my dags/t.dag": A}, ["-no_submit my\tdags/t.dag"]),
    "knob getenv": alone("-no_submit -include_env Q t.dag"),
    "knob getenv true": alone("-no_submit -include_env Q t.dag"),
    "knob port": alone("-no_submit t.dag"),
    "knob on exit": alone("-no_submit t.dag"),
    "knob rescue": alone("-no_submit t.dag", t__dag__rescue001=""),
    "knob most rescues": alone("-no_submit t.dag", t__dag__rescue001="", t__dag__rescue002="", t__dag__rescue003=""),
    "knob partial": alone("-no_submit t.dag"),
}
KNOBS: dict[str, dict[str, str]] = {
    "insert note": {"DAGMAN_INSERT_SUB_FILE": "conf"},
    "knob getenv": {"DAGMAN_MANAGER_JOB_APPEND_GETENV": "M,N"},
    "knob getenv true": {"DAGMAN_MANAGER_JOB_APPEND_GETENV": "True"},
    "knob port": {"DAGMAN_DISABLE_PORT": "True"},
    "knob on exit": {"DAGMAN_ON_EXIT_REMOVE": "ExitCode == 0"},
    "knob rescue": {"DAGMAN_AUTO_RESCUE": "False"},
    "knob most rescues": {"DAGMAN_MAX_RESCUE_NUM": "2"},
    "knob partial": {"DAGMAN_WRITE_PARTIAL_RESCUE": "False"},
}


def words(command: str) -> list[str]:
    """The arguments of a command line; a tab stands for a blank inside one."""
    return [word.replace("\t", " ") for word in command.split(" ") if word]
