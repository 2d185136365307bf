# bash completion for the condor_py tools; written by condor_py.tools.generate.
_condor_py() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} tool=${1##*/} options
    COMPREPLY=()
    case $tool in
        classad_eval) options='-quiet -my-file -file -target-file -debug -help' ;;
        condor_check_userlogs) options='-help -usage' ;;
        condor_chirp) options='-help -h -mode -perm -offset -stride -r -l -s' ;;
        condor_config_val) options='-name -address -pool -local-name -subsystem -owner -tilde -master -schedd -startd -collector -negotiator -set -unset -rset -runset -mixedcase -diagnostic -raw -default -config -reconfig -verbose -dump -trace -stats -info -expanded -macro -evaluate -unused -used -summary -writeconfig -root-config -json -toml -lint -help-knob -check-if -debug -help -version' ;;
        condor_continue) options='-debug -long -totals -constraint -all -held -hold -addr -reason -name -pool -version -help' ;;
        condor_dag_checker) options='-help -AllowIllegalChars -CheckExternalFiles -CheckJDL -CheckScripts -CheckSubDags -Finished -JSON -JoinNodes -NoJoinNodes -Statistics -Strict -UseDagDir' ;;
        condor_dagman) options='-AllowVersionMismatch -AlwaysRunPost -AutoRescue -Batch-Name -CsdVersion -Dag -Debug -dont_suppress_notification -DontAlwaysRunPost -DoRecovery -DoRescueFrom -Dot -DryRun -load_save -Lockfile -MaxIdle -MaxHold -MaxJobs -MaxPost -MaxPre -Priority -RescueFile -suppress_notification -SubmitMethod -update_submit -UseDagDir -help -version' ;;
        condor_defrag) options='-f -version -v -help -h' ;;
        condor_drain) options='-help -version -debug -verbose -pool -cancel -fast -quick -graceful -resume-on-completion -exit-on-completion -restart-on-completion -reconfig-on-completion -reason -request-id -check -start' ;;
        condor_gpu_discovery) options='-help -properties -extra -nested -not-nested -dynamic -cron -mixed -opencl -cuda -hip -verbose -diagnostic -repeat -divide -packed -config -tag -by-index -uuid -short-uuid -prefix -device -simulate -dirty-environment' ;;
        condor_gpu_utilization) options='-help' ;;
        condor_history) options='-long -xml -toml -jsonl -json -backwards -nobackwards -forwards -wide -match -limit -scanlimit -file -userlog -local -startd -schedd -attributes -help -format -af -autoformat -print-format -daemon -epochs -transfer-history -type -directory -search -constraint -since -completedsince -extract -debug -name -pool -version -plot -svg' ;;
        condor_hold) options='-debug -long -totals -constraint -all -held -hold -addr -reason -subcode -name -pool -version -help' ;;
        condor_kflops) options='-help' ;;
        condor_manifest) options='-help -version' ;;
        condor_master) options='-f -t -b -v -version -k -pidfile -l -c -n -local-name -p -r -a -h -help' ;;
        condor_metrics) options='-file -listen -prometheus -version -help' ;;
        condor_mips) options='-help' ;;
        condor_now) options='-help -pool -name -debug -version' ;;
        condor_off) options='-version -help -peaceful -pool -full -fast -force-graceful -debug -daemon -drain -quick -reason -check -start -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -subsystem' ;;
        condor_on) options='-version -help -peaceful -pool -full -fast -force-graceful -debug -daemon -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -subsystem' ;;
        condor_preen) options='-mail -remove -verbose -debug -log -version -help' ;;
        condor_prio) options='-p -pool -n -a -version -help' ;;
        condor_q) options='-wide -long -xml -toml -json -limit -pool -name -direct -submitter -constraint -slotconstraint -mconstraint -machine -address -autocluster -group-by -factory -jobset -attributes -format -aaf -autoformat -af -print-format -global -allusers -all-users -schedd-constraint -help -better-analyze -better-analyse -analyse -reverse-analyze -unmatchable -forecast -dry-run -capture-raw-results -verbose -run -hold -held -hold-codes -holdcodes -idle -cputime -currentrun -cumulative-time -grid -debug -io -dag -batch -progress -nobatch -totals -expert -jobads -userlog -slotads -userprios -nouserprios -version' ;;
        condor_qedit) options='-help -name -pool -debug -diagnostic -dry-run -constraint -owner -jobids -edits -forward' ;;
        condor_qsub) options='-a -A -b -c -condor-keep-files -cwd -d -wd -e -f -h -help -hold_jid -i -I -j -l -m -M -N -o -p -print -q -r -S -shell -t -test -v -V -version -W -z' ;;
        condor_reconfig) options='-version -help -peaceful -pool -full -fast -force-graceful -debug -daemon -drain -quick -reason -check -start -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -subsystem' ;;
        condor_release) options='-debug -long -totals -constraint -all -held -hold -addr -reason -name -pool -version -help' ;;
        condor_report) options='-last -since -until -user -json -o -version -help' ;;
        condor_reschedule) options='-version -help -peaceful -pool -full -fast -force-graceful -debug -daemon -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -subsystem' ;;
        condor_restart) options='-version -help -peaceful -pool -full -fast -force-graceful -debug -daemon -drain -quick -reason -check -start -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -subsystem' ;;
        condor_rm) options='-debug -long -totals -constraint -all -held -hold -addr -reason -forcex -transfer -name -pool -version -help' ;;
        condor_run) options='-help -u -a -getenv' ;;
        condor_set_shutdown) options='-version -help -peaceful -pool -full -fast -force-graceful -debug -daemon -exec -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -subsystem' ;;
        condor_setup) options='-dry-run -remove -destdir -version -help' ;;
        condor_ssh_to_job) options='-debug -help -name -pool -ssh -keygen-options -auto-retry -remove-on-interrupt -shells -X -x' ;;
        condor_starter) options='-classad -version -v -help -h' ;;
        condor_status) options='-avail -pool -ads -format -autoformat -af -aaf -print-format -wide -natural -target -constraint -direct -diagnose -debug -defrag -help -limit -long -xml -json -toml -attributes -claimed -data -run -gpus -java -absent -offline -merge -vm -slots -compact -nocompact -server -state -broken -healthy -statistics -startd -schedd -grid -subsystem -license -storage -negotiator -generic -any -sort -submitters -master -collector -ckptsrvr -totals -expert -version' ;;
        condor_store_check) options='-repair -quiet -version -help' ;;
        condor_submit) options='-verbose -terse -disable -debug -dry-run -spool -file -digest -factory -address -remote -name -append -batch-name -batch-id -queue -maxjobs -single-cluster -pool -unused -dump -allow-crlf-script -help -capabilities -wait -interactive' ;;
        condor_submit_dag) options='-AllowVersionMismatch -AlwaysRunPost -Append -AutoRescue -Batch-Name -Config -DAGMan -Debug -do_recurse -dont_suppress_notification -DontAlwaysRunPost -DoRecovery -DoRescueFrom -durations -Force -forecast -import_env -include_env -insert_env -insert_sub_file -load_save -Lockfile -MaxIdle -MaxHold -MaxJobs -MaxPost -MaxPre -no_recurse -no_submit -Notification -outfile_dir -Priority -Remote -RescueFile -schedd-address-file -schedd-daemon-ad-file -suppress_notification -SubmitMethod -update_submit -UseDagDir -Valgrind -Verbose -wait -help -version' ;;
        condor_suspend) options='-debug -long -totals -constraint -all -held -hold -addr -reason -name -pool -version -help' ;;
        condor_tail) options='-help -version -pool -name -debug -maxbytes -auto-retry -follow -f -no-stdout -stderr' ;;
        condor_top) options='-once -batch -delay -sort -filter -mine -help -version -columns -live -history -H -name -attrs -pool -schedd -startd -collector -negotiator -master' ;;
        condor_transfer_data) options='-help -version -name -pool -addr -constraint -all' ;;
        condor_transform_ads) options='-verbose -terse -debug -rules -jobtransforms -jobroute -in -out -long -json -xml -help' ;;
        condor_update_machine_ad) options='-help -version -pool -name' ;;
        condor_userlog) options='-help -total -raw -debug -evict -j -all -hostname' ;;
        condor_userprio) options='-setprio -setfactor -setfloor -setceiling -duration -cancelceilinglease -cancelfloorlease -cancelfactorlease -setbegin -setaccum -setlast -resetusage -delete -resetall -long -constraint -legacy -modular -af -autoformat -hierarchical -flat -grouprollup -grouporder -quotas -surplus -sortkey -all -most -groupid -order -activefrom -allusers -usage -priority -getreslist -inputfile -pool -name -collector -negotiator -whatif -explain -plot -svg -since -until -help -version' ;;
        condor_vacate) options='-version -help -peaceful -pool -full -fast -force-graceful -debug -daemon -graceful -addr -all -name -negotiator -master -constraint -collector -kbdd -schedd -startd -subsystem' ;;
        condor_vacate_job) options='-debug -long -totals -constraint -all -held -hold -addr -reason -fast -name -pool -version -help' ;;
        condor_version) options='-arch -opsys -help -version' ;;
        condor_wait) options='-help -version -debug -status -echo -event-id -allevents -wait -num -on-hold -exit-status -log' ;;
        condor_watch_q) options='-help -debug -users -clusters -larger-than -files -batches -collector -schedd -exit -exit-on-key-press -no-exit-on-key-press -interval -groupby -display-exited -no-display-exited -exited-row-decay -decay-start-at-read -no-decay-start-at-read -table -no-table -progress -no-progress -row-progress -no-row-progress -summary -no-summary -summary-type -updated-at -no-updated-at -abbreviate -no-abbreviate -color -no-color -refresh -no-refresh' ;;
        condor_who) options='-help -debug -daemons -quickdaemons -wait-for-ready -address -logdir -pid -allpids -wide -long -snapshot -statistics -format -autoformat -af -aaf -print-format -constraint -limit -verbose -jobs -startd' ;;
        htcondor) options='-h -help -v -verbose -V -q -quiet' ;;
    esac
    case $tool:$before in
        classad_eval:-my-file|classad_eval:-file|classad_eval:-target-file|condor_config_val:-reconfig|condor_config_val:-root-config|condor_history:-file|condor_history:-userlog|condor_history:-print-format|condor_history:-search|condor_history:-extract|condor_history:-svg|condor_master:-k|condor_master:-pidfile|condor_master:-l|condor_master:-c|condor_metrics:-file|condor_preen:-log|condor_q:-print-format|condor_q:-jobads|condor_q:-userlog|condor_q:-slotads|condor_q:-userprios|condor_qedit:-edits|condor_qsub:-d|condor_qsub:-wd|condor_qsub:-e|condor_qsub:-f|condor_qsub:-i|condor_qsub:-o|condor_qsub:-S|condor_report:-o|condor_status:-ads|condor_status:-print-format|condor_status:-target|condor_status:-merge|condor_submit:-dry-run|condor_submit:-file|condor_submit:-digest|condor_submit:-dump|condor_submit_dag:-Config|condor_submit_dag:-DAGMan|condor_submit_dag:-insert_sub_file|condor_submit_dag:-load_save|condor_submit_dag:-Lockfile|condor_submit_dag:-outfile_dir|condor_submit_dag:-RescueFile|condor_submit_dag:-schedd-address-file|condor_submit_dag:-schedd-daemon-ad-file|condor_transform_ads:-rules|condor_transform_ads:-in|condor_transform_ads:-out|condor_userprio:-inputfile|condor_userprio:-svg|condor_wait:-log|condor_watch_q:-files|condor_who:-logdir|condor_who:-print-format) compopt -o default; return ;;
    esac
    case $word in
        -*) COMPREPLY=($(compgen -W "$options" -- "$word")) ;;
        *) compopt -o default ;;
    esac
}
complete -F _condor_py classad_eval condor_check_userlogs condor_chirp condor_config_val condor_continue condor_dag_checker condor_dagman condor_defrag condor_drain condor_gpu_discovery condor_gpu_utilization condor_history condor_hold condor_kflops condor_manifest condor_master condor_metrics condor_mips condor_now condor_off condor_on condor_preen condor_prio condor_q condor_qedit condor_qsub condor_reconfig condor_release condor_report condor_reschedule condor_restart condor_rm condor_run condor_set_shutdown condor_setup condor_ssh_to_job condor_starter condor_status condor_store_check condor_submit condor_submit_dag condor_suspend condor_tail condor_top condor_transfer_data condor_transform_ads condor_update_machine_ad condor_userlog condor_userprio condor_vacate condor_vacate_job condor_version condor_wait condor_watch_q condor_who htcondor
