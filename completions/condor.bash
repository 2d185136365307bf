# bash completion for the condor_py tools; written by condor_py.cli.generate.
_condor_py() {
    local tool=${1##*/} word=${COMP_WORDS[COMP_CWORD]} line=${COMP_LINE:0:COMP_POINT}
    local options= words=file kind= option= place=0 at
    COMPREPLY=()
    case $word in
        [\'\"]*) word=${word#?} ;;
        *) word=${line##*[[:space:]]} ;; # names with @ and = are one word here
    esac
    case $tool in
        classad_eval) options='-quiet -my-file -file -target-file -debug -help' ;;
        condor_adstash) options='-standalone -process_name -sample_interval -checkpoint_file -log_file -log_level -threads -interface -schedd_history -startd_history -schedd_job_epoch_history -schedd_transfer_epoch_history -ad_file -collectors -schedds -startds -schedd_history_max_ads -startd_history_max_ads -schedd_history_timeout -startd_history_timeout -schedd_history_projection -startd_history_projection -se_host -se_url_prefix -se_username -se_use_https -se_timeout -se_bunch_size -se_index_name -se_ca_certs -se_no_log_mappings -json_dir -help -h' ;;
        condor_advertise) options='-help -version -pool -debug -tcp -udp -multiple' ;;
        condor_check_userlogs) options='-help -usage' ;;
        condor_chirp) options='-help -h -mode -perm -offset -stride -r -l -s' ;;
        condor_collector) options='-version -v -help -h' ;;
        condor_complete) options='-help -version' ;;
        condor_config_val) options='-name -address -pool -local-name -subsystem -owner -tilde -master -schedd -startd -collector -negotiator -set -unset -rset -runset -mixedcase -diagnostic -raw -default -config -reconfig -verbose -dump -trace -stats -info -expanded -macro -evaluate -unused -used -summary -writeconfig -root-config -json -toml -lint -help-knob -check-if -debug -help -version' words=knobs ;;
        condor_continue) options='-debug -long -totals -constraint -all -held -hold -addr -reason -subcode -name -pool -version -help' words=mine+users ;;
        condor_credd) options='-foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_dag_checker) options='-help -AllowIllegalChars -CheckExternalFiles -CheckJDL -CheckScripts -CheckSubDags -Finished -JSON -JoinNodes -NoJoinNodes -Statistics -Strict -UseDagDir' words=dag ;;
        condor_dagman) options='-AllowVersionMismatch -AlwaysRunPost -AutoRescue -Batch-Name -CsdVersion -Dag -Debug -dont_suppress_notification -DontAlwaysRunPost -DoRecovery -DoRescueFrom -Dot -DryRun -load_save -Lockfile -MaxIdle -MaxHold -MaxJobs -MaxPost -MaxPre -Priority -RescueFile -suppress_notification -SubmitMethod -update_submit -UseDagDir -help -version' ;;
        condor_defrag) options='-foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_docker_enter) options='-help' ;;
        condor_drain) options='-help -version -debug -verbose -pool -cancel -fast -quick -graceful -resume-on-completion -exit-on-completion -restart-on-completion -reconfig-on-completion -reason -request-id -check -start' ;;
        condor_evicted_files) options='-help -version' words=mine ;;
        condor_fetchlog) options='-help -version -pool -debug -master -schedd -startd -collector -negotiator' words= ;;
        condor_findhost) options='-machines -number -constraint -rank -pool -help' ;;
        condor_gangliad) options='-foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_gather_info) options='-jobid -scratch -schedd -pool -sdate -edate -help -version' words= ;;
        condor_gpu_discovery) options='-help -properties -extra -nested -not-nested -dynamic -cron -mixed -opencl -cuda -hip -verbose -diagnostic -repeat -divide -packed -config -tag -by-index -uuid -short-uuid -prefix -device -simulate -dirty-environment' ;;
        condor_gpu_utilization) options='-help' ;;
        condor_gridmanager) options='-version -v -help -h' ;;
        condor_history) options='-long -xml -toml -jsonl -json -backwards -nobackwards -forwards -wide -match -limit -scanlimit -file -userlog -local -startd -schedd -attributes -help -format -af -autoformat -print-format -daemon -epochs -transfer-history -type -directory -search -constraint -since -completedsince -extract -debug -name -pool -version -why -plot -efficiency -svg' words=users ;;
        condor_hold) options='-debug -long -totals -constraint -all -held -hold -addr -reason -subcode -name -pool -version -help' words=mine+users ;;
        condor_job_router) options='-foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_job_router_info) options='-help -version -debug -diagnostic -config -match-jobs -route-jobs -log-steps -ignore-prior-routing -jobads' ;;
        condor_kflops) options='-help' ;;
        condor_manifest) options='-help -version' ;;
        condor_master) options='-name -foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_mcp) options='-directory -read-only -rows -bytes -version -help' ;;
        condor_metrics) options='-file -listen -prometheus -version -help' ;;
        condor_mips) options='-help' ;;
        condor_negotiator) options='-foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_now) options='-help -pool -name -debug -version' words=jobs ;;
        condor_nsenter) options='-groups -t -S -G -version -help' ;;
        condor_off) options='-version -help -peaceful -pool -fast -force-graceful -debug -daemon -drain -quick -reason -check -start -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -web -subsystem' ;;
        condor_on) options='-version -help -pool -debug -daemon -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -preen -web -subsystem' ;;
        condor_ping) options='-help -quiet -table -verbose -long -format -af -autoformat -config -root-config -pool -name -subsystem -type -address -version -debug' ;;
        condor_pool_job_report) options='-help -version' words= ;;
        condor_power) options='-h -help -version -d -i -m -s -p' ;;
        condor_power_state) options='-help -h -version -debug -d -method -m -sys' ;;
        condor_preen) options='-mail -remove -verbose -debug -log -version -help' ;;
        condor_prio) options='-p -pool -n -a -version -help' words=mine+users ;;
        condor_q) options='-wide -long -xml -toml -json -limit -pool -name -direct -submitter -constraint -slotconstraint -mconstraint -machine -address -autocluster -group-by -factory -jobset -attributes -format -aaf -autoformat -af -print-format -global -allusers -all-users -schedd-constraint -help -better-analyze -better-analyse -analyse -reverse-analyze -unmatchable -forecast -why -plot -dry-run -capture-raw-results -verbose -run -hold -held -hold-codes -holdcodes -idle -cputime -currentrun -cumulative-time -grid -debug -io -dag -batch -progress -nobatch -totals -expert -jobads -userlog -slotads -userprios -nouserprios -version' words=jobs+users ;;
        condor_qedit) options='-help -name -pool -debug -diagnostic -dry-run -constraint -owner -jobids -edits -forward' words=mine ;;
        condor_qsub) options='-a -A -b -c -condor-keep-files -cwd -d -wd -e -f -h -help -hold_jid -i -I -j -l -m -M -N -o -p -print -q -r -S -shell -t -test -v -V -version -W -z' ;;
        condor_qusers) options='-help -version -debug -verbose -raw-results -user -add -enable -disable -suspend -unsuspend -reason -remove -rm -delete -edit -projects -usage -wide -long -format -autoformat -af -aaf -pool -name -constraint' words=users ;;
        condor_reconfig) options='-version -help -pool -full -debug -daemon -drain -quick -reason -check -start -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -web -subsystem' ;;
        condor_release) options='-debug -long -totals -constraint -all -held -hold -addr -reason -subcode -name -pool -version -help' words=mine+users ;;
        condor_report) options='-last -since -until -user -sizes -batch -json -o -version -help' ;;
        condor_reschedule) options='-version -help -pool -debug -daemon -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -web -subsystem' ;;
        condor_restart) options='-version -help -peaceful -pool -fast -debug -daemon -drain -quick -reason -check -start -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -web -subsystem' ;;
        condor_rm) options='-debug -long -totals -constraint -all -held -hold -addr -reason -forcex -transfer -subcode -name -pool -version -help' words=mine+users ;;
        condor_rooster) options='-foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_router_history) options='-show_records -show_iwd -age -days -start -help -h' ;;
        condor_router_q) options='-S -R -I -H -route -site -idle -held -constraint -help -h' ;;
        condor_router_rm) options='-route -site -idle -held -constraint -help -h' ;;
        condor_run) options='-help -u -a -getenv -summary' ;;
        condor_schedd) options='-name -foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_set_shutdown) options='-version -help -pool -debug -daemon -exec -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -web -subsystem' ;;
        condor_setup) options='-cron -dry-run -remove -destdir -upgrade -from -back -drain -limit -prefix -version -help' ;;
        condor_shadow) options='-version -v -help -h' ;;
        condor_sos) options='-debug -timeoutmult -version -help' ;;
        condor_ssh_to_job) options='-debug -help -name -pool -ssh -keygen-options -auto-retry -remove-on-interrupt -shells -X -x' words=jobs ;;
        condor_startd) options='-name -skip-benchmarks -foreground -terminal -background -version -kill -pidfile -local-name -log -config -port -sock -runfor -append -quiet -help -h' ;;
        condor_starter) options='-classad -version -v -help -h' ;;
        condor_stats) options='-resourcelist -resourcequery -resgrouplist -resgroupquery -userlist -userquery -usergrouplist -usergroupquery -ckptlist -ckptquery -lastday -lastweek -lastmonth -lasthours -from -to -f -orgformat -timedat -help' ;;
        condor_status) options='-avail -pool -ads -format -autoformat -af -aaf -print-format -wide -natural -target -constraint -direct -diagnose -debug -defrag -help -limit -long -xml -json -toml -attributes -group-by -claimed -data -run -gpus -java -absent -offline -merge -vm -slots -compact -nocompact -server -state -broken -lvm -healthy -statistics -startd -schedd -grid -subsystem -license -storage -negotiator -generic -any -sort -submitters -master -collector -ckptsrvr -totals -expert -version' words=slots ;;
        condor_store_check) options='-repair -quiet -version -help' ;;
        condor_store_cred) options='-i -s -H -S -A -P -u -n -p -c -f -d -h' ;;
        condor_submit) options='-verbose -terse -disable -debug -dry-run -spool -file -digest -factory -address -remote -name -append -batch-name -batch-id -queue -table -maxjobs -single-cluster -pool -unused -dump -allow-crlf-script -help -capabilities -wait -interactive' words=submit ;;
        condor_submit_dag) options='-AllowVersionMismatch -AlwaysRunPost -Append -AutoRescue -Batch-Name -Config -DAGMan -Debug -do_recurse -dont_suppress_notification -DontAlwaysRunPost -DoRecovery -DoRescueFrom -durations -Force -forecast -import_env -include_env -insert_env -insert_sub_file -load_save -Lockfile -MaxIdle -MaxHold -MaxJobs -MaxPost -MaxPre -no_recurse -no_submit -Notification -outfile_dir -Priority -Remote -RescueFile -schedd-address-file -schedd-daemon-ad-file -suppress_notification -SubmitMethod -update_submit -UseDagDir -Valgrind -Verbose -wait -help -version' words=dag ;;
        condor_suspend) options='-debug -long -totals -constraint -all -held -hold -addr -reason -subcode -name -pool -version -help' words=mine+users ;;
        condor_tail) options='-help -version -pool -name -debug -maxbytes -auto-retry -follow -f -no-stdout -stderr' words=jobs ;;
        condor_test_match) options='-help -machine-ads -machineads -job-ads -jobads -job-constraint -claimed -machine-constraint -show-unmatched-machines -show-unmatched-jobs' ;;
        condor_testwritelog) options='-count -sleep -write -r -Seed -log -verbose -debug -help' ;;
        condor_token_create) options='-identity -key -authz -lifetime -token -file -debug -help -version' ;;
        condor_token_fetch) options='-authz -lifetime -pool -name -key -token -file -type -remote -debug -help -version' ;;
        condor_token_list) options='-debug -help -dir -file -capability -pool -name -type -version' ;;
        condor_token_request) options='-authz -lifetime -identity -pool -name -token -file -type -debug -help -version' ;;
        condor_token_request_approve) options='-reqid -pool -name -type -debug -help -version' ;;
        condor_token_request_auto_approve) options='-lifetime -netblock -pool -name -type -debug -help -version' ;;
        condor_token_request_list) options='-pool -name -type -reqid -debug -json -help -version' ;;
        condor_top) options='-once -batch -delay -sort -filter -mine -help -version -columns -live -history -H -name -attrs -pool -schedd -startd -collector -negotiator -master' ;;
        condor_transfer_data) options='-help -version -debug -name -pool -addr -constraint -all' words=mine+users ;;
        condor_transform_ads) options='-verbose -terse -debug -rules -jobtransforms -jobroute -in -out -long -json -xml -help' ;;
        condor_update_machine_ad) options='-help -version -pool -name' ;;
        condor_updates_stats) options='-help -long -summary -history -interval -notime -time -version' ;;
        condor_upgrade_check) options='-help -ce -CE -all -ignore -only -warnings -no-warnings -dump -verbose -tags' ;;
        condor_urlfetch) options='-MASTER -DAEMON -version -help' ;;
        condor_userlog) options='-help -total -raw -debug -evict -j -all -hostname' ;;
        condor_userlog_job_counter) options='-help' ;;
        condor_userprio) options='-setprio -setfactor -setfloor -setceiling -duration -cancelceilinglease -cancelfloorlease -cancelfactorlease -setbegin -setaccum -setlast -resetusage -delete -resetall -long -constraint -legacy -modular -af -autoformat -hierarchical -flat -grouprollup -grouporder -quotas -surplus -sortkey -all -most -groupid -order -activefrom -allusers -usage -priority -getreslist -inputfile -pool -name -collector -negotiator -whatif -explain -plot -svg -since -until -help -version' words=submitters ;;
        condor_vacate) options='-version -help -pool -fast -debug -daemon -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -web -subsystem' ;;
        condor_vacate_job) options='-debug -long -totals -constraint -all -held -hold -addr -reason -fast -subcode -name -pool -version -help' words=mine+users ;;
        condor_version) options='-arch -opsys -compiled -help -version' ;;
        condor_wait) options='-help -version -debug -status -echo -event-id -allevents -wait -num -on-hold -exit-status -log' ;;
        condor_watch_q) options='-help -debug -users -clusters -larger-than -files -batches -collector -schedd -exit -exit-on-key-press -no-exit-on-key-press -interval -groupby -display-exited -no-display-exited -exited-row-decay -decay-start-at-read -no-decay-start-at-read -table -no-table -progress -no-progress -row-progress -no-row-progress -summary -no-summary -summary-type -updated-at -no-updated-at -abbreviate -no-abbreviate -color -no-color -refresh -no-refresh' ;;
        condor_web) options='-login -wall -port -socket -f -name -pool -help -version' ;;
        condor_who) options='-help -debug -daemons -quickdaemons -wait-for-ready -address -logdir -pid -allpids -wide -long -snapshot -statistics -format -autoformat -af -aaf -print-format -constraint -limit -verbose -jobs -startd' ;;
        condor_with_pool) options='-config -keep -help -version' ;;
    esac
    if [ "$tool" = htcondor ]; then # a noun, a verb, and what that takes
        kind=htcondor
        for ((at = 1; at < COMP_CWORD; at++)); do
            case $kind:${COMP_WORDS[at]} in */*/*:* | *:-*) ;; *) kind=$kind/${COMP_WORDS[at]} ;; esac
        done
    fi
    for ((at = COMP_CWORD - 1; at > 0; at--)); do
        case ${COMP_WORDS[at]} in
            -*) option=${COMP_WORDS[at]} place=$((COMP_CWORD - at)); break ;;
        esac
    done
    case $tool:$option:$place in
        classad_eval:-my-file:1|classad_eval:-file:1|classad_eval:-target-file:1|condor_adstash:-checkpoint_file:1|condor_adstash:-log_file:1|condor_adstash:-ad_file:1|condor_adstash:-se_ca_certs:1|condor_config_val:-reconfig:1|condor_config_val:-writeconfig:1|condor_config_val:-root-config:1|condor_credd:-kill:1|condor_credd:-pidfile:1|condor_credd:-config:1|condor_dagman:-durations:1|condor_defrag:-kill:1|condor_defrag:-pidfile:1|condor_defrag:-config:1|condor_gangliad:-kill:1|condor_gangliad:-pidfile:1|condor_gangliad:-config:1|condor_history:-file:1|condor_history:-userlog:1|condor_history:-print-format:1|condor_history:-extract:1|condor_history:-svg:1|condor_job_router:-kill:1|condor_job_router:-pidfile:1|condor_job_router:-config:1|condor_job_router_info:-route-jobs:1|condor_job_router_info:-jobads:1|condor_master:-kill:1|condor_master:-pidfile:1|condor_master:-config:1|condor_metrics:-file:1|condor_negotiator:-kill:1|condor_negotiator:-pidfile:1|condor_negotiator:-config:1|condor_ping:-config:1|condor_ping:-root-config:1|condor_preen:-log:1|condor_q:-print-format:1|condor_q:-jobads:1|condor_q:-userlog:1|condor_q:-slotads:1|condor_q:-userprios:1|condor_qedit:-edits:1|condor_qsub:-e:1|condor_qsub:-f:1|condor_qsub:-i:1|condor_qsub:-o:1|condor_qsub:-S:1|condor_report:-o:1|condor_rooster:-kill:1|condor_rooster:-pidfile:1|condor_rooster:-config:1|condor_schedd:-kill:1|condor_schedd:-pidfile:1|condor_schedd:-config:1|condor_setup:-from:1|condor_startd:-kill:1|condor_startd:-pidfile:1|condor_startd:-config:1|condor_stats:-f:1|condor_stats:-timedat:1|condor_status:-ads:1|condor_status:-print-format:1|condor_status:-target:1|condor_status:-merge:1|condor_store_cred:-i:1|condor_store_cred:-f:1|condor_submit:-dry-run:1|condor_submit:-file:1|condor_submit:-digest:1|condor_submit:-dump:1|condor_submit_dag:-Config:1|condor_submit_dag:-DAGMan:1|condor_submit_dag:-durations:1|condor_submit_dag:-insert_sub_file:1|condor_submit_dag:-load_save:1|condor_submit_dag:-Lockfile:1|condor_submit_dag:-RescueFile:1|condor_submit_dag:-schedd-address-file:1|condor_submit_dag:-schedd-daemon-ad-file:1|condor_test_match:-machine-ads:1|condor_test_match:-machineads:1|condor_test_match:-job-ads:1|condor_test_match:-jobads:1|condor_testwritelog:-log:1|condor_token_create:-file:1|condor_token_fetch:-file:1|condor_token_list:-file:1|condor_token_request:-file:1|condor_transform_ads:-rules:1|condor_transform_ads:-in:1|condor_transform_ads:-out:1|condor_userprio:-inputfile:1|condor_userprio:-svg:1|condor_wait:-log:1|condor_watch_q:-files:*|condor_web:-socket:1|condor_who:-print-format:1|condor_with_pool:-config:1) kind='file' ;;
        condor_adstash:-json_dir:1|condor_credd:-log:1|condor_defrag:-log:1|condor_gangliad:-log:1|condor_gather_info:-scratch:1|condor_history:-search:1|condor_job_router:-log:1|condor_master:-log:1|condor_mcp:-directory:1|condor_negotiator:-log:1|condor_power_state:-sys:1|condor_qsub:-d:1|condor_qsub:-wd:1|condor_rooster:-log:1|condor_schedd:-log:1|condor_setup:-destdir:1|condor_setup:-prefix:1|condor_startd:-log:1|condor_submit_dag:-outfile_dir:1|condor_token_list:-dir:1|condor_who:-logdir:1) kind='dir' ;;
        condor_config_val:-help-knob:1) kind='knobs' ;;
        condor_continue:-constraint:1|condor_findhost:-constraint:1|condor_history:-constraint:1|condor_hold:-constraint:1|condor_q:-constraint:1|condor_qedit:-constraint:1|condor_qusers:-constraint:1|condor_reconfig:-constraint:1|condor_release:-constraint:1|condor_reschedule:-constraint:1|condor_restart:-constraint:1|condor_rm:-constraint:1|condor_router_q:-constraint:1|condor_router_rm:-constraint:1|condor_set_shutdown:-constraint:1|condor_suspend:-constraint:1|condor_transfer_data:-constraint:1|condor_userprio:-constraint:1|condor_vacate:-constraint:1|condor_vacate_job:-constraint:1) kind='constraint' ;;
        condor_dagman:-AutoRescue:1|condor_submit_dag:-AutoRescue:1) kind='choice 0 1' ;;
        condor_dagman:-Dag:1|condor_submit_dag:-Dag:1) kind='dag' ;;
        condor_history:-attributes:1|condor_history:-format:2|condor_history:-af:*|condor_history:-autoformat:*|condor_ping:-format:2|condor_ping:-af:*|condor_ping:-autoformat:*|condor_q:-attributes:1|condor_q:-format:2|condor_q:-aaf:*|condor_q:-autoformat:*|condor_q:-af:*|condor_qusers:-format:2|condor_qusers:-autoformat:*|condor_qusers:-af:*|condor_qusers:-aaf:*|condor_top:-attrs:1|condor_userprio:-af:*|condor_userprio:-autoformat:*) kind='attributes' ;;
        condor_q:-submitter:1|condor_qedit:-owner:1|condor_watch_q:-users:*) kind='users' ;;
        condor_q:-slotconstraint:1|condor_q:-mconstraint:1|condor_status:-constraint:1|condor_who:-constraint:1) kind='machine-constraint' ;;
        condor_q:-machine:1) kind='slots' ;;
        condor_qedit:-jobids:1) kind='mine' ;;
        condor_qsub:-A:1|condor_store_cred:-A:1) kind='groups' ;;
        condor_qsub:-b:1|condor_qsub:-r:1|condor_qsub:-shell:1) kind='choice y n' ;;
        condor_qsub:-hold_jid:1|condor_watch_q:-clusters:*|condor_watch_q:-larger-than:1) kind='clusters' ;;
        condor_qsub:-j:1) kind='choice eo n' ;;
        condor_qsub:-m:1) kind='choice a e n' ;;
        condor_status:-format:2|condor_status:-autoformat:*|condor_status:-af:*|condor_status:-aaf:*|condor_status:-attributes:1|condor_who:-format:2|condor_who:-autoformat:*|condor_who:-af:*|condor_who:-aaf:*) kind='machine-attributes' ;;
        condor_userprio:-setprio:1|condor_userprio:-setfactor:1|condor_userprio:-setfloor:1|condor_userprio:-setceiling:1|condor_userprio:-cancelceilinglease:1|condor_userprio:-cancelfloorlease:1|condor_userprio:-cancelfactorlease:1|condor_userprio:-setbegin:1|condor_userprio:-setaccum:1|condor_userprio:-setlast:1|condor_userprio:-resetusage:1|condor_userprio:-delete:1|condor_userprio:-getreslist:1|condor_userprio:-explain:1) kind='submitters' ;;
        condor_watch_q:-groupby:1) kind='choice batch log cluster' ;;
        condor_watch_q:-summary-type:1) kind='choice totals percentages' ;;
    esac
    case $kind:$word in
        :-*) COMPREPLY=($(compgen -W "$options" -- "$word")); return ;;
        :*) kind=$words ;;
    esac
    case $kind in
        file) compopt -o default ;;
        dir) compopt -o dirnames ;;
        dag)
            compopt -o filenames
            mapfile -t COMPREPLY < <(compgen -f -X '!*.dag' -- "$word"; compgen -d -- "$word")
            ;;
        choice\ *) COMPREPLY=($(compgen -W "${kind#choice }" -- "$word")) ;;
        *) _condor_py_ask "$1" "$kind" "$word" ;;
    esac
}
# What condor_complete, which is next to the tool, offers for a word.
_condor_py_ask() {
    local helper=condor_complete before
    case $1 in */*) helper=${1%/*}/condor_complete ;; esac
    mapfile -t COMPREPLY < <("$helper" "$2" "$3" 2>/dev/null)
    COMPREPLY=("${COMPREPLY[@]%%$'\t'*}")
    if [ "$2" = submit ]; then
        [ ${#COMPREPLY[@]} -gt 0 ] || compopt -o default
        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$3")
    fi
    case $2:${#COMPREPLY[@]} in htcondor/*/*:0) compopt -o default ;; esac
    case $2 in constraint | machine-constraint | submit) compopt -o nospace ;; esac
    compopt -o nosort 2>/dev/null
    case ${COMP_WORDS[COMP_CWORD]} in [\'\"]*) return ;; esac
    before=${3%"${3##*[@=:]}"} # bash replaces only what is behind these, with the @
    COMPREPLY=("${COMPREPLY[@]#"${before%@}"}")
}
complete -F _condor_py classad_eval condor_adstash condor_advertise condor_check_userlogs condor_chirp condor_collector condor_complete condor_config_val condor_continue condor_credd condor_dag_checker condor_dagman condor_defrag condor_docker_enter condor_drain condor_evicted_files condor_fetchlog condor_findhost condor_gangliad condor_gather_info condor_gpu_discovery condor_gpu_utilization condor_gridmanager condor_history condor_hold condor_job_router condor_job_router_info condor_kflops condor_manifest condor_master condor_mcp condor_metrics condor_mips condor_negotiator condor_now condor_nsenter condor_off condor_on condor_ping condor_pool_job_report condor_power condor_power_state condor_preen condor_prio condor_q condor_qedit condor_qsub condor_qusers condor_reconfig condor_release condor_report condor_reschedule condor_restart condor_rm condor_rooster condor_router_history condor_router_q condor_router_rm condor_run condor_schedd condor_set_shutdown condor_setup condor_shadow condor_sos condor_ssh_to_job condor_startd condor_starter condor_stats condor_status condor_store_check condor_store_cred condor_submit condor_submit_dag condor_suspend condor_tail condor_test_match condor_testwritelog condor_token_create condor_token_fetch condor_token_list condor_token_request condor_token_request_approve condor_token_request_auto_approve condor_token_request_list condor_top condor_transfer_data condor_transform_ads condor_update_machine_ad condor_updates_stats condor_upgrade_check condor_urlfetch condor_userlog condor_userlog_job_counter condor_userprio condor_vacate condor_vacate_job condor_version condor_wait condor_watch_q condor_web condor_who condor_with_pool htcondor
