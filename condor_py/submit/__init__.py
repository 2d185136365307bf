"""The submit language: a submit description becomes job ads, as attribute names and ClassAd text.

::

    submit_file.parse(text, name, settings=..., surroundings=...) -> SubmitFile      reads statements and items
    SubmitFile.clusters() -> [ClusterDraft]                                          one a change of executable
    ClusterDraft.build(cluster_id, user, owner, options) -> BuiltCluster             what the queue stores
    ClusterDraft.make(cluster_id, options) -> MadeCluster                            what condor_submit sends

Nothing here reads the clock, the configuration or the environment by itself; files are only looked at (sizes,
existence of the executable and of directories) and never written.

Where we differ from HTCondor 25.14 on purpose: ``queue`` may stand inside ``if ... endif``; a null device stays
untransferred and a lease below 20 seconds is raised in every job of a cluster, not only in the first; a definition
that a queue variable hid is back after the queue statement; VM universe, spooling and interactive jobs are refused;
late materialization only sets its attributes, all jobs are made at once.
"""
