"""The decision logic of a running DAG: events in, actions out, nothing else.

Design
------
``Run`` (``run.py``) is the whole interface for its user: condor_dagman, or the simulator. It receives events, with
the time where time matters, and what it wants is taken from it as a list of actions, in the order in which they have
to be done. It has no clock, reads no file and starts nothing. Everything is in one ``Progress`` (``progress.py``).
Its parts own what changes together (states, ready queue, jobs, tries, results, course): flat arrays by node number,
and dictionaries for the few nodes that have jobs in the queue or a script at work. The other modules are functions on
it, one subject each:

- ``nodes.py``      a node becomes ready, succeeds, fails, is tried again, becomes futile
- ``submits.py``    the ready queue and the submit cycle with its limits
- ``jobs.py``       events of the nodes log
- ``scripts.py``    PRE, POST and HOLD scripts: their queues, limits, arguments and ends
- ``ending.py``     when a DAG is over, and how it is broken off

Events (methods of ``Run``)
    ``begin``; ``job_event`` (one event of the nodes log, in its order); ``submitted``, ``submit_failed`` and
    ``not_submitted`` (what became of a Submit); ``script_ended``; ``provisioned``; ``halt``, ``resume``, ``removed``;
    ``turn`` (whenever something happened, and no later than ``wake_at``).

Actions (``actions.py``)
    ``Submit`` (many nodes at once), ``RunScript``, ``WriteEvent`` (into the nodes log), ``RemoveJobs``, ``RemoveAll``,
    ``KillScripts``, ``WriteRescue``, ``WriteSavePoint``, ``NodeEnded`` (for the metrics), ``Noted`` (for the jobstate
    log), ``Say`` (a line of .dagman.out), ``ShowStatus``, ``Finish``.

Safety when killed at any moment
    The nodes log is the truth. The end of a POST script counts when its event 016 is read, and not when the script
    ended; a PRE script that was at work runs again. ``begin(recovery=True)`` followed by ``job_event`` for every event
    of the log and ``recovered`` brings a new ``Run`` to the state of the old one: the same functions, which start
    nothing as long as the DAG is recovering. A Submit must carry the name of the node and the id of the DAG
    in the transaction that makes the jobs, so that the submit events name their nodes.

Order
    Nodes are started in DAGMan's order (``Dag.order``); of ready nodes that with the highest priority goes first, then
    the one that has been ready longest (DAGMAN_SUBMIT_DEPTH_FIRST: the one that has been ready shortest).
"""
