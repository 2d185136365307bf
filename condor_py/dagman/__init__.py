"""DAGMan: workflows as graphs of jobs.

``language`` turns the text of .dag files into a `Dag`, ``options`` knows the options of condor_submit_dag and
condor_dagman, ``rescue`` the rescue files, ``core`` decides what a running DAG does next. Nothing here has a clock,
reads a file or knows a knob: files come through functions handed in, knobs as `model.settings.dagman`.
"""
