"""The submit language: a submit description becomes job ads, as attribute names and ClassAd text.

::

    submit_file.parse(text, name, settings=..., surroundings=...) -> SubmitFile      reads statements and items
    build.clusters_of(SubmitFile) -> [ClusterDraft]                                  one a change of universe
    ClusterDraft.build(cluster_id, user, owner, options) -> BuiltCluster             what the queue stores
    ClusterDraft.make(cluster_id, options) -> MadeCluster                            what condor_submit sends

Nothing here reads the clock, the configuration or the environment by itself; files are only looked at (sizes,
existence of the executable and of directories) and never written.

Where we differ from HTCondor 25.14 on purpose: a null device stays untransferred and a lease below 20 seconds is raised
in every job of a cluster, not only in the first; a definition that a queue variable hid is back after the queue
statement. Of a table (``queue from table``) the rows up to the header and those to skip are no items, and a header that
is missing or names no variables is an error; HTCondor makes jobs of them. ``include`` works in ``-append`` too.

``transform`` (and ``transform_run``, ``_items``, ``_old``) is the transform language, ``admission`` what the schedd
does with it to submitted jobs, ``factory`` late materialization. Where these differ on purpose: a transform that cannot
be carried out, or a part of one, is reported to the submitter and not only to the log; regular expressions of a job
transform see the attributes of the cluster ad too; what a transform changes the same way in every job becomes the
cluster's; the digest of a factory has a format of its own.
"""
