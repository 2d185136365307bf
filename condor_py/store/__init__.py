"""Everything durable: the job queue, the accountant's log, history, event logs, published ads, address files.

``fs`` is the seam to the kernel and the only place that syncs; ``lock`` keeps writers apart. ``adlog`` is the format
of a ClassAd log, ``adlog_file`` follows and writes one, ``table`` keeps its ads in memory with transactions;
``job_queue`` and ``accountant_log`` are such tables. ``history``, ``events`` with ``event_log``, ``ad_store`` and
``address`` are files of their own. ``check`` judges a spool.
"""
