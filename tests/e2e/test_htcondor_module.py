"""A program written for HTCondor's Python bindings runs unchanged on this pool."""

from __future__ import annotations

from pool import ROOT, PersonalPool, wait_for
from python_job import run


def test_submit_ask_change_and_read_the_history(pool: PersonalPool) -> None:
    (pool.work / "status.sh").write_text("exit $1\n")
    assert run(
        pool,
        """
        schedd = htcondor2.Schedd()
        job = htcondor2.Submit({"executable": "/bin/sh", "hold": "true", "My.Tag": '"t"'})
        job["arguments"] = "status.sh $(code)"
        result = schedd.submit(job, itemdata=iter([{"code": "0"}, {"code": "3"}]))
        held = schedd.query(f"ClusterId == {result.cluster()}", ["ProcId", "JobStatus", "JobSubmitMethod", "Tag"])
        edited = schedd.edit([f"{result.cluster()}.1"], "Note", '"hello"')
        noted = schedd.query('Note == "hello"', ["ProcId"])
        told = [{name: ad[name] for name in ad if name != "ServerTime"} for ad in held]
        answer = [result.num_procs(), told, edited, noted[0]["ProcId"]]
        like = schedd.query(projection=["Owner"], opts=htcondor2.QueryOpt.GroupBy)
        sums = schedd.query(opts=htcondor2.QueryOpt.SummaryOnly)[0]
        whole = schedd.query(opts=htcondor2.QueryOpt.IncludeClusterAd)
        answer.append([like[0]["JobCount"], sums["Jobs"], sums["Held"], len(whole), "ServerTime" in held[0]])
        totals = schedd.act(htcondor2.JobAction.Release, f"ClusterId == {result.cluster()}")
        answer.append([totals["TotalSuccess"], totals["TotalNotFound"]])
        """,
    ) == [
        2,
        [
            {"ProcId": 0, "JobStatus": 5, "JobSubmitMethod": 2, "Tag": "t"},
            {"ProcId": 1, "JobStatus": 5, "JobSubmitMethod": 2, "Tag": "t"},
        ],
        1,
        1,
        [2, 2, 2, 3, True],
        [2, 0],
    ]
    wait_for(lambda: len(pool.history("ProcId")) == 2, "both jobs are through")
    runs, own = pool.log / "startd_history", f" ClusterId = {pool.first_cluster} ".encode()
    wait_for(lambda: runs.exists() and runs.read_bytes().count(own) == 2, "the startd has written its history")
    assert run(
        pool,
        f"""
        own = "ClusterId >= {pool.first_cluster}"
        ads = htcondor2.Schedd().history(own, ["ProcId", "ExitCode"], match=5)
        runs = htcondor2.Schedd().jobEpochHistory(own, ["ProcId"])
        answer = sorted([ad["ProcId"], ad["ExitCode"]] for ad in ads)
        answer += [len(runs), len(htcondor2.Startd().history(own))]
        """,
    ) == [[0, 0], [1, 3], 2, 2]


def test_daemons_are_found_and_commanded(pool: PersonalPool) -> None:
    pool.tool("condor_userprio", "-setfactor", "alice@example.net", "20")
    assert run(
        pool,
        """
        where = htcondor2.Collector().locate(htcondor2.DaemonType.Schedd)
        schedd = htcondor2.Schedd(where)
        negotiator = htcondor2.Negotiator()
        negotiator.setFactor("alice@example.net", 40.0)
        factors = {ad["Name"]: ad["PriorityFactor"] for ad in negotiator.getPriorities()}
        startd = htcondor2.Startd()
        request = startd.drainJobs(reason="maintenance")
        startd.cancelDrainJobs(request)
        schedd.reschedule()
        states = [ad["State"] for ad in htcondor2.Collector().query(htcondor2.AdType.Startd, projection=["State"])]
        answer = [factors["alice@example.net"], bool(request), len(states), htcondor2.param["NUM_CPUS"]]
        knobs = htcondor2.RemoteParam(where)
        answer += [knobs["NUM_CPUS"], "Nosuch" in knobs, htcondor2.ping(where)["AuthorizationSucceeded"]]
        """,
    ) == [40.0, True, 1, 4, "4", False, True]
    pool.tool("condor_userprio", "-delete", "alice@example.net")


def test_mistakes_are_the_bindings_exceptions(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        def caught(call):
            try:
                call()
            except Exception as error:
                return type(error).__name__, str(error)

        schedd = htcondor2.Schedd()
        elsewhere = classad2.ClassAd({"MyAddress": "<10.1.2.3:9618>", "CondorVersion": "", "MyType": "Scheduler"})
        there = htcondor2.Schedd(elsewhere)
        answer = [
            caught(lambda: schedd.submit(htcondor2.Submit("executable = /bin/true\\nrequest_cpus = ((\\nqueue")))[0],
            caught(lambda: schedd.submit("executable = /bin/true"))[0],
            caught(lambda: schedd.query("((")),
            caught(lambda: schedd.act("hold", "1"))[0],
            caught(lambda: schedd.act(htcondor2.JobAction.Hold, "1.x.2"))[0],
            caught(lambda: htcondor2.Schedd(classad2.ClassAd()))[0],
            caught(lambda: there.query())[1],
            caught(lambda: there.act(htcondor2.JobAction.Hold, "999999.0"))[1],
            caught(lambda: there.retrieve("999999"))[1],
            caught(lambda: htcondor2.send_command(elsewhere, htcondor2.DaemonCommand.Reconfig))[1],
            caught(lambda: htcondor2.Credd())[1],
            caught(lambda: htcondor2.Credd(elsewhere).query_user_cred(htcondor2.CredType.OAuth))[1],
            caught(lambda: htcondor2.Placementd(elsewhere).queryUsers())[1],
            caught(lambda: htcondor2.Collector("elsewhere").query())[1],
            caught(lambda: schedd.query("true", "Owner"))[0],
            caught(lambda: schedd.history("(("))[0],
            caught(lambda: schedd.edit("true", "A", "1"))[1],
            caught(lambda: schedd.edit(["999999.0"], "A b", "1")),
            htcondor2.DAGMan(999999).halt(),
            len(schedd.query()),
        ]
        """,
    ) == [
        "HTCondorException",
        "TypeError",
        ["HTCondorException", "Failed to fetch ads from schedd, errmsg="],
        "TypeError",
        "ValueError",
        "KeyError",
        "Failed to fetch ads from schedd, errmsg=CEDAR:6001:Failed to connect to <10.1.2.3:9618>",
        "Error when performing action on the schedd.",
        "DCSchedd::receiveJobSandbox:6001:Failed to connect to schedd",
        "Unable to connect to the remote daemon.",
        "Unable to locate local daemon.",
        "Communication error",
        "Failed to contact PlacementD",
        "Failed communication with collector.",
        "TypeError",
        "HTCondorValueError",
        "Unable to edit jobs matching constraint",
        ["HTCondorException", "Got invalid attribute named A b"],
        [False, "Job not in queue"],
        0,
    ]


def test_ads_of_jobs_are_whole_and_totals_tell_of_nothing(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        schedd = htcondor2.Schedd()
        job = htcondor2.Submit({"executable": "/bin/true", "hold": "true"})
        result = schedd.submit(job, count=2)
        ads = schedd.query()
        nothing = schedd.act(htcondor2.JobAction.Hold, "ClusterId == 999999")
        answer = [[ad["Cmd"] for ad in ads], all(len(ad) > 60 for ad in ads), nothing["TotalChangedAds"]]
        answer += [schedd._addr == htcondor2.Collector().locate(htcondor2.DaemonType.Schedd)["MyAddress"]]
        """,
    ) == [["/bin/true", "/bin/true"], True, 0, True]


def test_jobs_of_a_factory_come_when_there_is_room(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        schedd = htcondor2.Schedd()
        text = "executable=/bin/sleep\\narguments=60\\nhold=true\\nmax_materialize=2\\nqueue 5"
        result = schedd.submit(htcondor2.Submit(text))
        deadline = time.monotonic() + 60
        while len(ads := schedd.query(projection=["ProcId", "JobSubmitMethod"])) < 2 and time.monotonic() < deadline:
            time.sleep(0.02)
        answer = [result.num_procs(), [[ad["ProcId"], ad["JobSubmitMethod"]] for ad in ads]]
        answer += [result.clusterad()["JobMaterializeLimit"]]
        """,
    ) == [5, [[0, 2], [1, 2]], 2]


def test_spooled_jobs_wait_for_their_files_and_give_their_output_back(pool: PersonalPool) -> None:
    (pool.work / "in.txt").write_text("42")
    (pool.work / "twice.sh").write_text("echo $(($(cat in.txt) * 2)) > out.txt\n")
    assert run(
        pool,
        """
        schedd = htcondor2.Schedd()
        job = htcondor2.Submit({
            "executable": "/bin/sh", "arguments": "twice.sh", "transfer_executable": "false",
            "transfer_input_files": "in.txt, twice.sh", "should_transfer_files": "yes",
        })
        result = schedd.submit(job, spool=True)
        held = schedd.query(projection=["HoldReasonCode"])[0]["HoldReasonCode"]
        schedd.spool(result)
        deadline = time.monotonic() + 30
        while schedd.query("JobStatus != 4") and time.monotonic() < deadline:
            time.sleep(0.02)
        schedd.retrieve(str(result.cluster()))
        answer = [held, open("out.txt").read()]
        """,
    ) == [16, "84\n"]


def test_users_are_added_disabled_and_removed(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.start()
    assert run(
        pool,
        """
        schedd = htcondor2.Schedd()
        me = classad2.ExprTree('User != "other@example.net"')
        job = htcondor2.Submit({"executable": "/bin/true", "hold": "true"})
        schedd.submit(job)
        added = schedd.addUserRec("other@example.net")
        edited = schedd.updateUserRec([classad2.ClassAd({"User": "other@example.net", "Note": "x", "Owner": "root"})])
        other = schedd.queryUserAds('Note == "x"', ["Enabled", "Owner"])
        schedd.disableUserRec(me, "too many jobs")
        try:
            schedd.submit(job)
            refused = ""
        except htcondor2.HTCondorException as error:
            refused = str(error)
        schedd.enableUserRec(me)
        schedd.submit(job)
        removed = schedd.removeUserRec(["other@example.net"])
        unknown = schedd.enableUserRec("nobody@example.net")
        schedd.addProjectRec("p1")
        projects = [ad["Name"] for ad in schedd.queryProjectAds()]
        answer = [added["NumAds"], edited["NumAttributesSet"], other[0]["Owner"], "too many jobs" in refused]
        answer += [removed["Result"], len(schedd.queryUserAds()), unknown["Result"], projects, len(schedd.query())]
        """,
    ) == [1, 1, "other", True, 0, 1, 4, ["p1"], 2]


def test_programs_publish_ads_and_take_them_back(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        collector = htcondor2.Collector()
        ads = [classad2.ClassAd({"MyType": "Machine", "Name": f"m{number}", "Mine": True}) for number in range(2)]
        collector.advertise(ads, "UPDATE_STARTD_AD")
        collector.advertise(ads[:1], "UPDATE_STARTD_AD")
        found = [ad["Name"] for ad in collector.query(htcondor2.AdType.Startd, "Mine")]
        collector.advertise([classad2.ClassAd({"Name": "m1"})], "INVALIDATE_STARTD_ADS")
        answer = [sorted(found), [ad["Name"] for ad in collector.query(htcondor2.AdType.Any, "Mine")]]
        collector.advertise([classad2.ClassAd({"Name": "m0"})], "INVALIDATE_STARTD_ADS")
        answer.append(collector.query(htcondor2.AdType.Any, "Mine"))
        """,
    ) == [["m0", "m1"], ["m0"], []]


def test_objects_stay_with_the_pool_under_which_they_were_made(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        import os
        first = htcondor2.Schedd()
        first.submit(htcondor2.Submit({"executable": "/bin/true", "hold": "true"}))
        os.environ["_CONDOR_LOCAL_DIR"] += "/other"
        htcondor2.reload_config()
        answer = [len(first.query()), len(htcondor2.Schedd().query())]
        """,
    ) == [1, 0]


def test_the_first_version_submits_in_transactions(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        import htcondor, classad
        schedd = htcondor.Schedd()
        job = htcondor.Submit({"executable": "/bin/true", "hold": True, "arguments": "$(n)"})
        with schedd.transaction() as txn:
            ads = []
            cluster = job.queue(txn, 2, ads)
            result = job.queue_with_itemdata(txn, 1, iter([{"n": "7"}, {"n": "8"}]))
        found = schedd.query(f"ClusterId == {result.cluster()}", attr_list=["Args"])
        edited = int(schedd.edit("true", "Tag", classad.ExprTree("1 + 1")))
        polled = [len(query.nextAdsNonBlocking()) for query in htcondor.poll([schedd.xquery("Tag == 2", ["Tag"])])]
        totals = schedd.act(htcondor.JobAction.Remove, "true")
        answer = [len(ads), isinstance(ads[0], classad.ClassAd), sorted(ad["Args"] for ad in found), edited, polled]
        answer += [totals["TotalSuccess"], cluster + 1 == result.cluster()]
        """,
    ) == [2, True, ["7", "8"], 4, [4], 4, True]


def test_the_first_version_asks_for_clusters_or_sets_alone(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        import htcondor
        htcondor.param["USE_JOBSETS"] = "true"
        schedd = htcondor.Schedd()
        schedd.submit(htcondor.Submit({"executable": "/bin/true", "hold": True, "jobset": "mine"}), 2)
        names = ("Default", "IncludeClusterAd", "ClusterAds", "IncludeJobsetAds", "JobsetAds")
        found = [schedd.query(opts=getattr(htcondor.QueryOpts, name)) for name in names]
        answer = [sorted(str(ad.get("ProcId")) for ad in ads) for ads in found]
        """,
    ) == [["0", "1"], ["0", "1", "None"], ["None"], ["0", "1", "None"], ["None"]]


def test_a_transaction_that_fails_leaves_no_jobs(pool: PersonalPool) -> None:
    assert run(
        pool,
        """
        import htcondor
        schedd = htcondor.Schedd()
        job = htcondor.Submit({"executable": "/bin/true", "hold": True})
        with schedd.transaction() as txn:
            kept = job.queue(txn)
        caught = ""
        try:
            with schedd.transaction() as txn:
                job.queue(txn, 2)
                htcondor.Submit({"executable": "/bin/true", "request_memory": "(("}).queue(txn)
        except RuntimeError as error:
            caught = type(error).__name__
        answer = [caught, [ad["ClusterId"] == kept for ad in schedd.query("JobStatus != 3")]]
        """,
    ) == ["HTCondorIOError", [True]]


def test_a_program_starts_a_pool_of_its_own(pool: PersonalPool) -> None:
    pool.environment["PATH"] = f"{ROOT}/bin:{pool.environment['PATH']}"
    assert run(
        pool,
        """
        import os
        from htcondor2.personal import PersonalPool
        for name in [name for name in os.environ if name.startswith("_CONDOR_")]:
            del os.environ[name]
        outer = htcondor2.Schedd()
        own = PersonalPool("own", {"NUM_CPUS": "3"})
        states = [own.state.name]
        with own:
            states.append(own.state.name)
            ad = own.collector.query(htcondor2.AdType.Startd)[0]
            own.schedd.submit(htcondor2.Submit({"executable": "/bin/true", "log": "own.log"}))
            for event in htcondor2.JobEventLog("own.log").events(20):
                if event.type == htcondor2.JobEventType.JOB_TERMINATED:
                    break
            there = PersonalPool.attach("own").detach()
            answer = [ad["TotalCpus"], there.state.name, htcondor2.ping(ad)["AuthorizationSucceeded"]]
        answer += [states, own.state.name, len(outer.query())]
        """,
    ) == [3.0, "READY", True, ["INITIALIZED", "READY"], "STOPPED", 0]


def test_jobs_are_exported_run_elsewhere_and_come_back(pool: PersonalPool) -> None:
    (pool.work / "out").mkdir()
    assert run(
        pool,
        """
        schedd = htcondor2.Schedd()
        log = "out/job_queue.log"
        made = {"executable": "/bin/sleep", "arguments": "0", "hold": "true", "My.Tag": '"t"'}
        cluster = schedd.submit(htcondor2.Submit(made), count=2).cluster()
        told = schedd.export_jobs(str(cluster), "out", "/there/spool")
        answer = [[told["TotalJobAds"], told["TotalClusterAds"], told["Log"]]]
        answer.append([ad.get("ManagedManager") for ad in schedd.query()])
        lines = open(log).read().splitlines()
        answer.append([f"103 0{cluster}.-1 LeaveJobInQueue true" in lines, f"101 {cluster}.1 Job Machine" in lines])
        answer.append(schedd.unexport_jobs([f"{cluster}.0"])["TotalJobAds"])
        schedd.act(htcondor2.JobAction.Remove, f"ClusterId == {cluster}")

        cluster = schedd.submit(htcondor2.Submit({**made, "hold": "false", "requirements": "false"}), count=2).cluster()
        schedd.export_jobs(f"ClusterId == {cluster}", "out", "/there/spool")
        with open(log, "a") as file:  # the other manager has run the first
            file.write(f"103 {cluster}.0 JobStatus 4\\n103 {cluster}.0 ExitCode 7\\n")
        answer.append(schedd.import_exported_job_results("out")["TotalJobAds"])
        while not (gone := schedd.history(f"ClusterId == {cluster}")):
            time.sleep(0.05)
        answer.append([gone[0]["ProcId"], gone[0]["ExitCode"]])
        while len(left := schedd.query(f"ClusterId == {cluster}")) > 1:  # it leaves a moment after it was recorded
            time.sleep(0.05)
        answer.append([[ad["ProcId"], ad["JobStatus"], "Managed" in ad] for ad in left])
        export, take = schedd.export_jobs, schedd.import_exported_job_results
        for call in (lambda: export("999999.0", "out", "x"), lambda: take("no")):
            try:
                call()
            except htcondor2.HTCondorException as error:
                answer.append(str(error))
        """,
    ) == [
        [2, 1, "out/job_queue.log"],
        ["Lumberjack", "Lumberjack"],
        [True, True],
        2,
        2,
        [0, 7],
        [[1, 1, False]],
        "DCSchedd::exportJobs:4007:No valid clusters to export",
        "DCSchedd::importExportedJobResults:1:Failed to initialize import job log: "
        "[Errno 2] No such file or directory: 'no/job_queue.log'",
    ]


def test_a_machine_that_was_advertised_becomes_absent(stopped_pool: PersonalPool) -> None:
    pool = stopped_pool
    pool.knob("COLLECTOR_PERSISTENT_AD_LOG", str(pool.work / "machines.log"))
    pool.knob("ABSENT_REQUIREMENTS", "true")
    pool.knob("DAEMON_LIST", "MASTER, COLLECTOR, SCHEDD, NEGOTIATOR, STARTD")
    pool.start()
    assert run(
        pool,
        """
        collector = htcondor2.Collector()
        ad = classad2.ClassAd({"MyType": "Machine", "Name": "absent-box", "ClassAdLifetime": 1})
        collector.advertise([ad], "UPDATE_STARTD_AD")
        known = 'Name == "absent-box"'
        while not (gone := collector.query(htcondor2.AdType.Slot, known + " && Absent == true")):
            time.sleep(0.1)
        answer = [gone[0]["Absent"], len(collector.query(htcondor2.AdType.Slot, known))]
        """,
    ) == [True, 0]
    shown = pool.tool("condor_status", "-absent", "-af", "Name", check=False).stdout
    assert shown == "absent-box\n"
    assert "absent-box" not in pool.tool("condor_status", "-af", "Name").stdout
    assert pool.tool("condor_restart", "-collector").stdout == 'Sent "Restart" command to local collector\n'
