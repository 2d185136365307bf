"""The job router: jobs that wait here get a copy that runs elsewhere, and show what becomes of it. Pure.

::

    table.RoutingTable.read(settings)         the routes, with what is wrong with them
    core.Router(settings)                     follows the queue: notice(what changed), poll(now) -> Action ...
    core.Router.claim(copy, job)              the records that tie a job to its copy, in the transaction that makes it

The queue is the whole state. A job that is routed says so (``Managed``, ``ManagedManager``, ``RoutedToJobId``), and
so does its copy (``RoutedBy``, ``RoutedFromJobId``, ``RouteName``); both are written in one transaction, as is the end
of both. A router that starts finds all it has to know there. Only the counts of failures, by which a route is
throttled, are forgotten, and which hooks (``hooks``) are at work: they are asked for again.

Where we differ from HTCondor on purpose: an idle copy whose route is gone from the table is taken back; a release of a
job that is on hold because its copy is, releases the copy; the copy sends no e-mail; a job that is removed leaves at
once, and its copy with the next look of the router; sandboxes (JobShouldBeSandboxed) and shared proxies are not made,
as both jobs are of one machine.
"""
