#compdef classad_eval condor_adstash condor_advertise condor_check_userlogs condor_chirp condor_collector condor_complete condor_config_val condor_continue condor_credd condor_dag_checker condor_dagman condor_defrag condor_docker_enter condor_drain condor_evicted_files condor_fetchlog condor_findhost condor_gangliad condor_gather_info condor_gpu_discovery condor_gpu_utilization condor_gridmanager condor_history condor_hold condor_job_router condor_job_router_info condor_kflops condor_manifest condor_master condor_mcp condor_metrics condor_mips condor_negotiator condor_now condor_nsenter condor_off condor_on condor_ping condor_pool_job_report condor_power condor_power_state condor_preen condor_prio condor_q condor_qedit condor_qsub condor_qusers condor_reconfig condor_release condor_report condor_reschedule condor_restart condor_rm condor_rooster condor_router_history condor_router_q condor_router_rm condor_run condor_schedd condor_set_shutdown condor_setup condor_shadow condor_sos condor_ssh_to_job condor_startd condor_starter condor_stats condor_status condor_store_check condor_store_cred condor_submit condor_submit_dag condor_suspend condor_tail condor_test_match condor_testwritelog condor_token_create condor_token_fetch condor_token_list condor_token_request condor_token_request_approve condor_token_request_auto_approve condor_token_request_list condor_top condor_transfer_data condor_transform_ads condor_update_machine_ad condor_updates_stats condor_upgrade_check condor_urlfetch condor_userlog condor_userlog_job_counter condor_userprio condor_vacate condor_vacate_job condor_version condor_wait condor_watch_q condor_web condor_who condor_with_pool htcondor
# Written by condor_py.cli.generate.

# What condor_complete, which is next to the tool, offers for a word.
_condor_py_ask() {
    local helper=condor_complete said
    local -a names told
    [[ $words[1] == */* ]] && helper=${words[1]:h}/condor_complete
    for said in "${(@f)$($helper $1 "$PREFIX" 2>/dev/null)}"; do
        [[ -n $said ]] || continue
        names+=("${said%%$'\t'*}")
        told+=("${said//$'\t'/  }")
    done
    local -a more
    case $1 in (constraint|machine-constraint|submit) more=(-S '') ;; esac
    (( $#names )) && compadd -V condor -M 'm:{a-zA-Z}={A-Za-z}' -l -d told "${more[@]}" -a names
    [[ $1 == submit ]] && _files
}

case $service in
classad_eval)
    _arguments \
        '*-quiet[do not print the context from here on]' \
        '*-my-file[replace the context by the ad in FILE]:file:_files' \
        '*-file[]:file:_files' \
        '*-target-file[take TARGET from the ad in FILE]:file:_files' \
        '*-debug[show on stderr what expressions read, and what in them is probably not meant]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_adstash)
    _arguments \
        '*-standalone[read the histories once]' \
        '*-process_name[use knobs and variables that begin with NAME_]:name: ' \
        '*-sample_interval[time between two looks; at least 20]:seconds: ' \
        '*-checkpoint_file[the file that says what has been sent]:path:_files' \
        '*-log_file[the log]:path:_files' \
        '*-log_level[CRITICAL, ERROR, WARNING, INFO or DEBUG]:level: ' \
        '*-threads[accepted; the files of one machine are read by one thread]:threads: ' \
        '*-interface[null, elasticsearch, opensearch or jsonfile]:interface: ' \
        '*-schedd_history[send the jobs that left the queue]' \
        '*-startd_history[send the jobs that ran here (STARTD_HISTORY)]' \
        '*-schedd_job_epoch_history[send each run of the jobs]' \
        '*-schedd_transfer_epoch_history[send each transfer of files by plugins]' \
        '*-ad_file[send the ads of this file, once, and no history]:path:_files' \
        '*-collectors[the pools, with commas; this machines is the only one]:collectors: ' \
        '*-schedds[names of schedds to read, with commas]:schedds: ' \
        '*-startds[names of machines to read, with commas]:startds: ' \
        '*-schedd_history_max_ads[read no more ads of the schedd at a time]:num_ads: ' \
        '*-startd_history_max_ads[read no more ads of the startd at a time]:num_ads: ' \
        '*-schedd_history_timeout[accepted; files of this machine are read without waiting for a daemon]:seconds: ' \
        '*-startd_history_timeout[accepted; files of this machine are read without waiting for a daemon]:seconds: ' \
        '*-schedd_history_projection[send these attributes of the schedds ads only, with commas]:attributes: ' \
        '*-startd_history_projection[send these attributes of the startds ads only, with commas]:attributes: ' \
        '*-se_host[where it listens]:host[;port]: ' \
        '*-se_url_prefix[what its paths begin with]:prefix: ' \
        '*-se_username[the account; its password is in <NAME>_SE_PASSWORD_FILE]:username: ' \
        '*-se_use_https[use HTTPS]' \
        '*-se_timeout[how long an answer may take]:seconds: ' \
        '*-se_bunch_size[documents that are sent together]:num_docs: ' \
        '*-se_index_name[the index, which is made if it does not exist, or its alias]:index_name: ' \
        '*-se_ca_certs[certificates of authorities; else the systems]:path:_files' \
        '*-se_no_log_mappings[do not write the mappings of the index next to the log]' \
        '*-json_dir[where the files go, which are named by the time]:path:_files -/' \
        '*-help[this text, with the values in force]' \
        '*-h[]' \
        '*:argument:_files'
    ;;
condor_advertise)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-pool[the pool; this machine is the only one]:host: ' \
        '*-debug[show the ads that are published on standard error]' \
        '*-tcp[accepted; ads of this pool are files, and nothing is sent]' \
        '*-udp[accepted; as -tcp]' \
        '*-multiple[several ads, separated by blank lines; without it blank lines are ignored]' \
        '*:argument:_files'
    ;;
condor_check_userlogs)
    _arguments \
        '*-help[this text]' \
        '*-usage[this text]' \
        '*:argument:_files'
    ;;
condor_chirp)
    _arguments \
        '*-help[this text]' \
        '*-h[the commands]' \
        '*-mode[how put opens REMOTE; w write, a append, t truncate, c create, x fail if it is there]:mode: ' \
        '*-perm[permissions of what put makes, octal]:perm: ' \
        '*-offset[offset at which read and write begin]:n: ' \
        '*-stride[read and write LENGTH bytes every SKIP bytes]:length: :skip: ' \
        '*-r[rmdir; with all that is in it]' \
        '*-l[getdir; with the output of stat]' \
        '*-s[link; a symbolic one]' \
        '*:argument:_files'
    ;;
condor_collector)
    _arguments \
        '*-version[print the version and exit]' \
        '*-v[print the version and exit]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_complete)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_config_val)
    _arguments \
        '*-name[ask the daemon of this name]:daemon: ' \
        '*-address[ask the daemon at this address]:address: ' \
        '*-pool[find the daemon in this pool]:host: ' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-subsystem[look knobs up as this daemon does]:name: ' \
        '*-owner[print the account that the daemons run as]' \
        '*-tilde[print the home directory of the account condor]' \
        '*-master[ask the master]' \
        '*-schedd[ask the schedd]' \
        '*-startd[ask the startd]' \
        '*-collector[ask the master, in place of the collector]' \
        '*-negotiator[ask the negotiator]' \
        '*-set[set NAME = VALUE for good]' \
        '*-unset[undo -set of NAME]' \
        '*-rset[set NAME = VALUE until the daemon restarts]' \
        '*-runset[undo -rset of NAME]' \
        '*-mixedcase[with -set and the like; keep the case of the name]' \
        '*-diagnostic[say on stderr what is sent and received]' \
        '*-raw[the text as it was written, macros not expanded]' \
        '*-default[the default]' \
        '*-config[the configuration files]' \
        '*-reconfig[read this file last]:file:_files' \
        '*-verbose[also file, line and text; with ;use how often it is used]' \
        '*-dump[all knobs, or those that match NAME]' \
        '*-trace[also every earlier setting of NAME]' \
        '*-stats[numbers about the configuration]' \
        '*-info[also what a knob is for and what it may be]' \
        '*-expanded[with -dump; expanded values]' \
        '*-macro[expand the macros of the text NAME]' \
        '*-evaluate[with a daemon; the value of the expression in its ad]' \
        '*-unused[with -dump; knobs that are never read]' \
        '*-used[with -dump; knobs that are read]' \
        '*-summary[what files and environment set]' \
        '*-writeconfig[write it to FILE]:file:_files' \
        '*-root-config[read this file first]:file:_files' \
        '*-json[the answer as JSON]' \
        '*-toml[the answer as TOML]' \
        '*-lint[what is probably wrong with the configuration, and where; exit status 1 for errors]' \
        '*-help-knob[what a knob is for, default, type, range, and when a change takes effect]:name: _condor_py_ask knobs' \
        '*-check-if[whether if CONDITION is understood, and its value]:condition: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument: _condor_py_ask knobs'
    ;;
condor_continue)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-long[print the result ad]' \
        '*-totals[print how many jobs it worked for, and for how many not and why]' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-all[all your jobs (all jobs for a queue superuser)]' \
        '*-held[with -all or users; only held jobs]' \
        '*-hold[]' \
        '*-addr[the schedd at this address]:addr: ' \
        '*-reason[the reason to record]:text: ' \
        '*-subcode[accepted; only condor_hold records it]:n: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_credd)
    _arguments \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_dag_checker)
    _arguments \
        '*-help[this text]' \
        '*-AllowIllegalChars[let names of nodes contain +]' \
        '*-CheckExternalFiles[check submit descriptions, scripts and sub-DAGs too]' \
        '*-CheckJDL[check the submit descriptions of the nodes too; can jobs be made of them?]' \
        '*-CheckScripts[see whether the scripts are there]' \
        '*-CheckSubDags[check the files of sub-DAGs too]' \
        '*-Finished[check what a finished DAG has left; was every node run as often as it may, after its parents, and does the rescue file say what the nodes log says? Several files are one DAG then]' \
        '*-JSON[print what was found, and the statistics, as JSON]' \
        '*-JoinNodes[join many parents and many children through an empty node (the default)]' \
        '*-NoJoinNodes[do not]' \
        '*-Statistics[print figures of the graph instead of errors]' \
        '*-Strict[with the options that read other files; it is an error when one is missing]' \
        '*-UseDagDir[see other files from the directory of the .dag file]' \
        '*:argument:_files -g "*.dag"'
    ;;
condor_dagman)
    _arguments \
        '*-AllowVersionMismatch[continue although the version of -CsdVersion is invalid or too old]' \
        '*-AlwaysRunPost[run the POST script although the PRE script failed]' \
        '*-AutoRescue[continue from the newest rescue file (1) or not (0)]:0|1:(0 1)' \
        '*-Batch-Name[the batch name of condor_dagman and its jobs]:name: ' \
        '*-CsdVersion[the version of condor_submit_dag]:version-string: ' \
        '*-Dag[a .dag file (repeatable)]:name.dag:_files -g "*.dag"' \
        '*-Debug[how much condor_dagman writes, 0 to 7]:level: ' \
        '*-dont_suppress_notification[let jobs send mails]' \
        '*-DontAlwaysRunPost[run no POST script when the PRE script failed]' \
        '*-DoRecovery[continue from the event log of the nodes]' \
        '*-DoRescueFrom[continue from the rescue file of this number]:n: ' \
        '*-Dot[write the DOT file and run nothing]' \
        '*-DryRun[name the nodes in order, and run nothing]' \
        '*-load_save[continue from a save point file]:filename: ' \
        '*-Lockfile[accepted; the lock is always next to the .dag file]:filename: ' \
        '*-MaxIdle[most idle jobs before no more are submitted]:n: ' \
        '*-MaxHold[most HOLD scripts at a time]:n: ' \
        '*-MaxJobs[most nodes with jobs in the queue]:n: ' \
        '*-MaxPost[most POST scripts at a time]:n: ' \
        '*-MaxPre[most PRE scripts at a time]:n: ' \
        '*-Priority[least priority of the jobs]:priority: ' \
        '*-RescueFile[continue from this rescue file]:filename: ' \
        '*-suppress_notification[let neither condor_dagman nor jobs send mails]' \
        '*-SubmitMethod[JobSubmitMethod of the jobs (0 or 1), which are submitted directly in any case]:value: ' \
        '*-update_submit[rewrite the submit file and keep its limits]' \
        '*-UseDagDir[run each DAG in the directory of its file]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_defrag)
    _arguments \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_docker_enter)
    _arguments \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_drain)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-verbose[also print the id of the request]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-cancel[end the draining; jobs that were to retire continue]' \
        '*-fast[kill the jobs]' \
        '*-quick[give jobs their vacate time but no retirement]' \
        '*-graceful[give jobs retirement and vacate time (the default)]' \
        '*-resume-on-completion[take jobs again]' \
        '*-exit-on-completion[end the startd and do not restart it]' \
        '*-restart-on-completion[restart the startd]' \
        '*-reconfig-on-completion[read the configuration and take jobs again]' \
        '*-reason[shown while draining as DrainReason]:text: ' \
        '*-request-id[with -cancel; only if this is the request]:id: ' \
        '*-check[drain only if EXPR is true for every slot]:expr: ' \
        '*-start[while draining, let in jobs for which EXPR is true]:expr: ' \
        '*:argument:_files'
    ;;
condor_evicted_files)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument: _condor_py_ask mine'
    ;;
condor_fetchlog)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-master[accepted; no daemon is asked, the file is read (master)]' \
        '*-schedd[accepted; no daemon is asked, the file is read (schedd)]' \
        '*-startd[accepted; no daemon is asked, the file is read (startd)]' \
        '*-collector[accepted; no daemon is asked, the file is read (collector)]' \
        '*-negotiator[accepted; no daemon is asked, the file is read (negotiator)]' \
        '*:argument: '
    ;;
condor_findhost)
    _arguments \
        '*-machines[whole machines, not slots; a machine counts when all its slots are found]' \
        '*-number[how many to find (1)]:number: ' \
        '*-constraint[only slots for which this is true]:expr: _condor_py_ask constraint' \
        '*-rank[prefer slots for which this is greatest]:expr: ' \
        '*-pool[the pool to ask; this machine is the only one]:pool: ' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_gangliad)
    _arguments \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_gather_info)
    _arguments \
        '*-jobid[the job]:cluster.proc: ' \
        '*-scratch[where the file is made before it is moved to the working directory]:dir:_files -/' \
        '*-schedd[the schedd; that of this machine is the only one]:name: ' \
        '*-pool[the pool; that of this machine is the only one]:host: ' \
        '*-sdate[accepted; events of all times are taken]:time: ' \
        '*-edate[accepted; events of all times are taken]:time: ' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument: '
    ;;
condor_gpu_discovery)
    _arguments \
        '*-help[this text]' \
        '*-properties[name, memory, capability, driver]' \
        '*-extra[also clock and compute units]' \
        '*-nested[one nested ad a device (the default)]' \
        '*-not-nested[attributes with a prefix instead of nested ads]' \
        '*-dynamic[also temperature, power, fan and errors]' \
        '*-cron[without DetectedGPUs, for a job of startd cron]' \
        '*-mixed[do not put what all devices share in Common]' \
        '*-opencl[OpenCL devices (only GPUs)]' \
        '*-cuda[NVIDIA devices]' \
        '*-hip[AMD devices; with -cuda after those of NVIDIA]' \
        '*-verbose[tell on stderr what is done]' \
        '*-diagnostic[tell on stderr why nothing was found]' \
        '*-repeat[list the devices N times (2)]:n: ' \
        '*-divide[as -repeat, and divide GlobalMemoryMb by N]:n: ' \
        '*-packed[when repeating, repeat each device and not the list]' \
        '*-config[in the syntax of configuration files]' \
        '*-tag[DetectedNAME instead of DetectedGPUs]:name: ' \
        '*-by-index[a number (CUDA0)]' \
        '*-uuid[the whole UUID]' \
        '*-short-uuid[the first eight digits of the UUID (the default)]' \
        '*-prefix[instead of CUDA, GPU (AMD) or OCL before numbers]:name: ' \
        '*-device[only this device (number or name); may be repeated]:n: ' \
        '*-simulate[simulate N devices of model D, and so on]' \
        '*-dirty-environment[accepted; the environment does not change what is found]' \
        '*:argument:_files'
    ;;
condor_gpu_utilization)
    _arguments \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_gridmanager)
    _arguments \
        '*-version[print the version and exit]' \
        '*-v[print the version and exit]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_history)
    _arguments \
        '*-long[whole ads]' \
        '*-xml[whole ads as XML]' \
        '*-toml[whole ads as TOML]' \
        '*-jsonl[whole ads as JSON, one a line]' \
        '*-json[whole ads as JSON]' \
        '*-backwards[newest first (the default)]' \
        '*-nobackwards[]' \
        '*-forwards[oldest first]' \
        '*-wide[do not cut rows (or cut them at N columns)]' \
        '*-match[]:n: ' \
        '*-limit[stop after N jobs]:n: ' \
        '*-scanlimit[stop after reading N ads]:n: ' \
        '*-file[read this history file]:file:_files' \
        '*-userlog[read jobs from an event log]:file:_files' \
        '*-local[read the history file of this machine (the default)]' \
        '*-startd[read STARTD_HISTORY, the jobs that ran here]' \
        '*-schedd[read HISTORY (the default)]' \
        '*-attributes[only these attributes in -long, -xml and -json]:names: _condor_py_ask attributes' \
        '*-help[this text]' \
        '*-format[print EXPR by a printf format; may be repeated]:fmt: :expr: _condor_py_ask attributes' \
        '*-af[]:*-*:expr: _condor_py_ask attributes' \
        '*-autoformat[print values; LETTERS are of jlhVr,tngTY]:*-*:expr: _condor_py_ask attributes' \
        '*-print-format[columns as a print-format file says]:file:_files' \
        '*-daemon[read DAEMON_DAEMON_HISTORY, the ads of a daemon (the schedds)]' \
        '*-epochs[one row for every execution attempt]' \
        '*-transfer-history[read the records of file transfers; of input, output, checkpoints]' \
        '*-type[records of these kinds; JOB, with -epochs EPOCH; SPAWN, TRANSFER, ALL]:types: ' \
        '*-directory[read a directory of single records]' \
        '*-search[the directory, or the file, to search]:dir:_files -/' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-since[stop at this job, or when EXPR becomes true]:expr|id: ' \
        '*-completedsince[jobs that completed after TIME (Unix seconds)]:time: ' \
        '*-extract[copy the raw records to FILE]:file:_files' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-name[the schedd (with -startd the startd) whose configuration says where]:name: ' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-version[the version and the platform]' \
        '*-why[a line for each run; when and where it ran, why it ended, what followed; -json for programs (not in HTCondor)]' \
        '*-plot[draw jobs that ended, cores in use (of the last run of each job; with -epochs of all runs) and waiting times over time by owner; of one job its runs, its use over time and what happened to it; of a cluster the runs of its jobs]' \
        '*-efficiency[cpu, memory and time used against held, of each job or, with ;batch, each batch; -json, -long and -af have them as attributes; CpuEfficiency, MemoryEfficiency and TimeEfficiency (0 to 1), CpuTimeUsed, CpuTimeHeld and TimeUsed (seconds), MemoryUsed and MemoryHeld (MB), TimeAllowed]' \
        '*-svg[draw them as SVG into FILE]:file:_files' \
        '*:argument: _condor_py_ask users'
    ;;
condor_hold)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-long[print the result ad]' \
        '*-totals[print how many jobs it worked for, and for how many not and why]' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-all[all your jobs (all jobs for a queue superuser)]' \
        '*-held[with -all or users; only held jobs]' \
        '*-hold[]' \
        '*-addr[the schedd at this address]:addr: ' \
        '*-reason[the reason to record]:text: ' \
        '*-subcode[the HoldReasonSubCode to record]:n: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_job_router)
    _arguments \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_job_router_info)
    _arguments \
        '*-help[this text]' \
        '*-version[print the version and exit]' \
        '*-debug[accepted; there are no further messages]' \
        '*-diagnostic[tell how the table was read]' \
        '*-config[print the routes in the order in which they are tried]' \
        '*-match-jobs[print the first route that takes each job of -jobads]' \
        '*-route-jobs[write the copies that routes would make to FILE (- is standard output, -2 standard error)]:file:_files' \
        '*-log-steps[with -route-jobs; print each statement when it is executed]' \
        '*-ignore-prior-routing[take the jobs as if they were idle and had never been routed]' \
        '*-jobads[the jobs, as condor_q -long prints them (- is standard input)]:file:_files' \
        '*:argument:_files'
    ;;
condor_kflops)
    _arguments \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_manifest)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_master)
    _arguments \
        '*-name[name of the master (MASTER_NAME)]:name: ' \
        '*-foreground[stay in the foreground]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background (the default)]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the logs (LOG)]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_mcp)
    _arguments \
        '*-directory[the working directory; submit files are below it, and the paths of submit descriptions begin there (by default the current directory)]:dir:_files -/' \
        '*-read-only[no tool changes anything; only queue, job, why, history, log, slots and users]' \
        '*-rows[rows of a table in one answer, at most (50; up to 1000)]:n: ' \
        '*-bytes[bytes of a table or a text in one answer, at most (20000; 1000 to 1000000)]:n: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_metrics)
    _arguments \
        '*-file[write into FILE, which is never seen half written (for cron and the textfile directory of a node exporter)]:file:_files' \
        '*-listen[answer HTTP requests for /metrics on unix;/PATH, PORT or LOOPBACK-ADDRESS;PORT]:address: ' \
        '*-prometheus[the older text format of Prometheus (a request names its format itself)]' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_mips)
    _arguments \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_negotiator)
    _arguments \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_now)
    _arguments \
        '*-help[this text]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-version[the version and the platform]' \
        '*:argument: _condor_py_ask jobs'
    ;;
condor_nsenter)
    _arguments \
        '*-groups[supplementary groups, with colons between them]:gids: ' \
        '*-t[the process whose namespaces are entered]:pid: ' \
        '*-S[the account, which is not roots]:uid: ' \
        '*-G[its group]:gid: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_off)
    _arguments \
        '*-version[print the version and exit]' \
        '*-help[this text]' \
        '*-peaceful[let running jobs finish]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-fast[kill running jobs]' \
        '*-force-graceful[graceful, even if a peaceful shutdown is under way]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemon[the daemon of this name]:name: ' \
        '*-drain[first drain the machines slots; no job starts, and running jobs may end]' \
        '*-quick[jobs get their vacate time only]' \
        '*-reason[shown by the slots while they drain]:text: ' \
        '*-check[drain only if this is true of every slot]:expr: ' \
        '*-start[jobs that may start while draining]:expr: ' \
        '*-graceful[jobs get their retirement and vacate time (the default)]' \
        '*-addr[the daemon at this address, which is this pools or cannot be reached]:address: ' \
        '*-all[every machine of the pool; this one]' \
        '*-name[the machine of this name]:name: ' \
        '*-negotiator[the negotiator]' \
        '*-master[the master itself, and with it everything]' \
        '*-constraint[the machines whose master ad matches]:expr: ' \
        '*-collector[accepted; there is no collector process]' \
        '*-kbdd[accepted; there is no such daemon]' \
        '*-schedd[the schedd]' \
        '*-startd[the startd]' \
        '*-web[the server of the pages, condor_web]' \
        '*-subsystem[the daemon of this subsystem]:name: ' \
        '*:argument:_files'
    ;;
condor_on)
    _arguments \
        '*-version[print the version and exit]' \
        '*-help[this text]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemon[the daemon of this name]:name: ' \
        '*-graceful[jobs get their retirement and vacate time (the default)]' \
        '*-addr[the daemon at this address, which is this pools or cannot be reached]:address: ' \
        '*-all[every machine of the pool; this one]' \
        '*-name[the machine of this name]:name: ' \
        '*-negotiator[the negotiator]' \
        '*-master[the master itself, and with it everything]' \
        '*-constraint[the machines whose master ad matches]:expr: ' \
        '*-collector[accepted; there is no collector process]' \
        '*-kbdd[accepted; there is no such daemon]' \
        '*-schedd[the schedd]' \
        '*-startd[the startd]' \
        '*-preen[run condor_preen now]' \
        '*-web[the server of the pages, condor_web]' \
        '*-subsystem[the daemon of this subsystem]:name: ' \
        '*:argument:_files'
    ;;
condor_ping)
    _arguments \
        '*-help[this text; with levels, config or all more about authorization]:topic: ' \
        '*-quiet[print nothing; the exit status tells]' \
        '*-table[a line for each TOKEN]' \
        '*-verbose[everything that is known]' \
        '*-long[the ad of what was agreed on]' \
        '*-format[print a value of that ad, or Result, Name or From]:fmt: :expr: _condor_py_ask attributes' \
        '*-af[]:*-*:expr: _condor_py_ask attributes' \
        '*-autoformat[print values of that ad; LETTERS are of lhVr,tng]:*-*:expr: _condor_py_ask attributes' \
        '*-config[read this file after the configuration]:file:_files' \
        '*-root-config[read this file instead of the configuration]:file:_files' \
        '*-pool[a daemon of that pool]:host: ' \
        '*-name[the daemon of this name]:name: ' \
        '*-subsystem[]:type: ' \
        '*-type[its type, of any, master, collector, schedd, negotiator, startd, credd (schedd)]:type: ' \
        '*-address[the daemon at <host;port>]:address: ' \
        '*-version[the version and the platform]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*:argument:_files'
    ;;
condor_pool_job_report)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument: '
    ;;
condor_power)
    _arguments \
        '*-h[this text]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-d[tell on stderr what is done]' \
        '*-i[read the ad from standard input]' \
        '*-m[hardware address; six pairs of hexadecimal digits, with colons between them]:mac: ' \
        '*-s[subnet mask; by default the packet goes to 255.255.255.255]:mask: ' \
        '*-p[UDP port (9)]:port: ' \
        '*:argument:_files'
    ;;
condor_power_state)
    _arguments \
        '*-help[this text]' \
        '*-h[this text]' \
        '*-version[the version and the platform]' \
        '*-debug[tell on stderr what is done]' \
        '*-d[tell on stderr what is done]' \
        '*-method[pm-utils, systemd, /sys or /proc]:method: ' \
        '*-m[pm-utils, systemd, /sys or /proc]:method: ' \
        '*-sys[look there instead of in /sys (for trials)]:dir:_files -/' \
        '*:argument:_files'
    ;;
condor_preen)
    _arguments \
        '*-mail[mail the findings to PREEN_ADMIN instead of printing them]' \
        '*-remove[remove what was found]' \
        '*-verbose[list everything that was checked]' \
        '*-debug[as -verbose, on stderr]' \
        '*-log[as -verbose, into FILE]:file:_files' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_prio)
    _arguments \
        '*-p[the new priority]:n: ' \
        '*-pool[with -n; the pool of that schedd]:host: ' \
        '*-n[the schedd to ask]:name: ' \
        '*-a[all jobs]' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_q)
    _arguments \
        '*-wide[do not cut rows (or cut them at N columns)]' \
        '*-long[whole ads; FORM is nosort, xml, json, jsonl, new or newl]' \
        '*-xml[whole ads as XML]' \
        '*-toml[whole ads as TOML]' \
        '*-json[whole ads as JSON]' \
        '*-limit[only the N newest jobs]:n: ' \
        '*-pool[with -name; another pool, through HTCondors own Python module]:host: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-direct[accepted; the schedd is asked in any case]:schedd: ' \
        '*-submitter[jobs of USER]:user: _condor_py_ask users' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-slotconstraint[slots for which EXPR is true]:expr: _condor_py_ask machine-constraint' \
        '*-mconstraint[]:expr: _condor_py_ask machine-constraint' \
        '*-machine[only slots of this machine, or this slot]:name: _condor_py_ask slots' \
        '*-address[the schedd at this address]:addr: ' \
        '*-autocluster[one row (-long, -af; one ad) for jobs that need the same]' \
        '*-group-by[jobs that agree in what -attributes or -af name, counted]' \
        '*-factory[clusters that materialize jobs late; WHAT is clusters_only or late_materialize]' \
        '*-jobset[job sets]' \
        '*-attributes[only these attributes in -long, -xml and -json]:names: _condor_py_ask attributes' \
        '*-format[print EXPR by a printf format; may be repeated]:fmt: :expr: _condor_py_ask attributes' \
        '*-aaf[append columns to the table]:*-*:expr: _condor_py_ask attributes' \
        '*-autoformat[print values; LETTERS are of jlhVr,tngTY]:*-*:expr: _condor_py_ask attributes' \
        '*-af[]:*-*:expr: _condor_py_ask attributes' \
        '*-print-format[columns as a print-format file says]:file:_files' \
        '*-global[every schedd of the pool (there is one)]' \
        '*-allusers[jobs of all users]' \
        '*-all-users[]' \
        '*-schedd-constraint[only if EXPR is true of the schedds ad]:expr: ' \
        '*-help[this text]' \
        '*-better-analyze[why jobs do not run; HOW is of summary, reverse, priority, noprune, ifthenelse, slot-exprs]' \
        '*-better-analyse[]' \
        '*-analyse[]' \
        '*-reverse-analyze[what slots ask of jobs]' \
        '*-unmatchable[jobs that match no slot, not even a drained one]' \
        '*-forecast[when idle jobs will start if they run SECONDS, or like the last ones (not in HTCondor)]' \
        '*-why[why jobs wait or are held; a row for the jobs of a batch that wait for the same; of jobs that are named, all that is known, also how their runs ended; with -json as an array (not in HTCondor)]' \
        '*-plot[draw the life of the job that is named, or the runs of the jobs of a cluster, as condor_history -plot does (not in HTCondor)]' \
        '*-dry-run[say what would be asked, and ask nothing]' \
        '*-capture-raw-results[also write the ads that were found to FILE]' \
        '*-verbose[more detail in analysis, and with -dag in pipes]' \
        '*-run[running jobs and where they run]' \
        '*-hold[held jobs and why; only those of hold code CODE and SUB]' \
        '*-held[]' \
        '*-hold-codes[held jobs counted by reason]' \
        '*-holdcodes[]' \
        '*-idle[idle jobs and what they ask for]' \
        '*-cputime[CPU time in place of run time]' \
        '*-currentrun[run time of the current run (the default)]' \
        '*-cumulative-time[run time of all runs]' \
        '*-grid[grid jobs; TYPE ec2 has its own columns]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-io[file transfers]' \
        '*-dag[nodes under their DAGs (with -nobatch); on a terminal, or with -verbose, also why nodes failed or are held]' \
        '*-batch[one row a batch (the default); C prints in place of 0]' \
        '*-progress[]' \
        '*-nobatch[one row a job]' \
        '*-totals[only the totals; with -long or -af those of an ad]' \
        '*-expert[shorter error messages]' \
        '*-jobads[read job ads from FILE; FORM is long, xml, json or new]:file:_files' \
        '*-userlog[read jobs from an event log]:file:_files' \
        '*-slotads[read slot ads for analysis from FILE]:file:_files' \
        '*-userprios[read user priorities for analysis from FILE]:file:_files' \
        '*-nouserprios[analyse without user priorities]' \
        '*-version[the version and the platform]' \
        '*:argument: _condor_py_ask jobs+users'
    ;;
condor_qedit)
    _arguments \
        '*-help[this text]' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-diagnostic[print what would be done]' \
        '*-dry-run[check whether the edit would be allowed, and change nothing]' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-owner[jobs of USER]:user: _condor_py_ask users' \
        '*-jobids[job ids and clusters, separated by commas]:list: _condor_py_ask mine' \
        '*-edits[read the new values from an ad in FILE; FORM is long, xml, json or new]:file:_files' \
        '*-forward[accepted; running jobs see new values when they are asked for]' \
        '*:argument: _condor_py_ask mine'
    ;;
condor_qsub)
    _arguments \
        '*-a[do not run before ((((CC)YY)MM)DD)hhmm(.SS)]:date: ' \
        '*-A[the accounting group of the job]:group: _condor_py_ask groups' \
        '*-b[y; the command is a program, not a script to look for options in]:y|n:(y n)' \
        '*-c[n; do not checkpoint; others are accepted]:when: ' \
        '*-condor-keep-files[do not remove the temporary files]' \
        '*-cwd[run in the present directory]' \
        '*-d[run in this directory]:path:_files -/' \
        '*-wd[run in this directory]:path:_files -/' \
        '*-e[standard error; a directory gets the default name]:file:_files' \
        '*-f[submit this script, with the options of its #PBS  and #$  lines]:file:_files' \
        '*-h[submit the job on hold]' \
        '*-help[this text]' \
        '*-hold_jid[run when these jobs have ended, and not with exit code 100]:jids: _condor_py_ask clusters' \
        '*-i[standard input]:file:_files' \
        '*-I[an interactive job]' \
        '*-j[eo; standard error goes where standard output goes]:eo|n:(eo n)' \
        '*-l[resources; arch, file, host, mem, nodes, opsys, procs, as name=value]:list: ' \
        '*-m[mail when the job fails, ends, never]:a|e|n:(a e n)' \
        '*-M[where the mail goes]:address: ' \
        '*-N[the name of the job, of which those of its files are made]:name: ' \
        '*-o[standard output; a directory gets the default name]:file:_files' \
        '*-p[the priority among your jobs]:n: ' \
        '*-print[print the submit description]' \
        '*-q[accepted; there is one queue]:queue: ' \
        '*-r[n; do not run the job a second time]:y|n:(y n)' \
        '*-S[the shell that runs the script]:shell:_files' \
        '*-shell[accepted; the script is always run by a shell]:y|n:(y n)' \
        '*-t[an array of jobs; SGE_TASK_ID is their number]:first[-last[;step]]: ' \
        '*-test[do not submit]' \
        '*-v[environment of the job; NAME=VALUE,...]:list: ' \
        '*-V[give the job the present environment]' \
        '*-version[the version and the platform]' \
        '*-W[stagein=, stageout=; files to transfer]:list: ' \
        '*-z[do not print the jobs number]' \
        '*:argument:_files'
    ;;
condor_qusers)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-verbose[name the schedd and its version first]' \
        '*-raw-results[print the schedds answer to a change]' \
        '*-user[the user or project of this name]:name: ' \
        '*-add[add records; those that exist are enabled]' \
        '*-enable[let users or projects have new jobs again]' \
        '*-disable[refuse new jobs; those in the queue run]' \
        '*-suspend[-disable with MaxJobsRunning=0; no job starts, either]' \
        '*-unsuspend[-enable without a limit on running jobs]' \
        '*-reason[with -disable or -remove; the reason that refused users see]:text: ' \
        '*-remove[remove records; users who have jobs are disabled instead]' \
        '*-rm[]' \
        '*-delete[]' \
        '*-edit[set the attributes that ATTR=EXPR name; ATTR=delete removes one]' \
        '*-projects[records of projects instead of users; with ;also both, to look at]' \
        '*-usage[columns with the time that jobs took]' \
        '*-wide[do not cut rows]' \
        '*-long[whole records; FORM is json, jsonl, xml, new, newl or long]' \
        '*-format[print EXPR by a printf format; may be repeated]:fmt: :expr: _condor_py_ask attributes' \
        '*-autoformat[print values; LETTERS are of lhVr,tngTY]:*-*:expr: _condor_py_ask attributes' \
        '*-af[]:*-*:expr: _condor_py_ask attributes' \
        '*-aaf[append values to the columns; LETTERS are of VrTY]:*-*:expr: _condor_py_ask attributes' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-constraint[records for which EXPR is true; not with -add]:expr: _condor_py_ask constraint' \
        '*:argument: _condor_py_ask users'
    ;;
condor_reconfig)
    _arguments \
        '*-version[print the version and exit]' \
        '*-help[this text]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-full[all of the configuration (the default)]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemon[the daemon of this name]:name: ' \
        '*-drain[first drain the machines slots; no job starts, and running jobs may end]' \
        '*-quick[jobs get their vacate time only]' \
        '*-reason[shown by the slots while they drain]:text: ' \
        '*-check[drain only if this is true of every slot]:expr: ' \
        '*-start[jobs that may start while draining]:expr: ' \
        '*-graceful[jobs get their retirement and vacate time (the default)]' \
        '*-addr[the daemon at this address, which is this pools or cannot be reached]:address: ' \
        '*-all[every machine of the pool; this one]' \
        '*-name[the machine of this name]:name: ' \
        '*-negotiator[the negotiator]' \
        '*-master[the master itself, and with it everything]' \
        '*-constraint[the machines whose master ad matches]:expr: _condor_py_ask constraint' \
        '*-collector[accepted; there is no collector process]' \
        '*-kbdd[accepted; there is no such daemon]' \
        '*-schedd[the schedd]' \
        '*-startd[the startd]' \
        '*-web[the server of the pages, condor_web]' \
        '*-subsystem[the daemon of this subsystem]:name: ' \
        '*:argument:_files'
    ;;
condor_release)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-long[print the result ad]' \
        '*-totals[print how many jobs it worked for, and for how many not and why]' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-all[all your jobs (all jobs for a queue superuser)]' \
        '*-held[with -all or users; only held jobs]' \
        '*-hold[]' \
        '*-addr[the schedd at this address]:addr: ' \
        '*-reason[the reason to record]:text: ' \
        '*-subcode[accepted; only condor_hold records it]:n: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_report)
    _arguments \
        '*-last[the time up to now; day, week, month, or a length such as 12h or 3d]:length: ' \
        '*-since[from then on; a day (2026-11-21), a time (2026-11-21T18;00), 3d, Unix seconds]:time: ' \
        '*-until[up to then (not included); now without it]:time: ' \
        '*-user[only the jobs of this user (me; your own)]:name: ' \
        '*-sizes[requests against use, as text, and the requests that would have done]' \
        '*-batch[only the jobs of this batch; a batch name, a program, or a cluster number]:name: ' \
        '*-json[the same figures, and all of them, as JSON]' \
        '*-o[write into FILE, which is never seen half written]:file:_files' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_reschedule)
    _arguments \
        '*-version[print the version and exit]' \
        '*-help[this text]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemon[the daemon of this name]:name: ' \
        '*-graceful[jobs get their retirement and vacate time (the default)]' \
        '*-addr[the daemon at this address, which is this pools or cannot be reached]:address: ' \
        '*-all[every machine of the pool; this one]' \
        '*-name[the machine of this name]:name: ' \
        '*-negotiator[the negotiator]' \
        '*-master[the master itself, and with it everything]' \
        '*-constraint[the machines whose master ad matches]:expr: _condor_py_ask constraint' \
        '*-collector[accepted; there is no collector process]' \
        '*-kbdd[accepted; there is no such daemon]' \
        '*-schedd[the schedd]' \
        '*-startd[the startd]' \
        '*-web[the server of the pages, condor_web]' \
        '*-subsystem[the daemon of this subsystem]:name: ' \
        '*:argument:_files'
    ;;
condor_restart)
    _arguments \
        '*-version[print the version and exit]' \
        '*-help[this text]' \
        '*-peaceful[let running jobs finish]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-fast[kill running jobs]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemon[the daemon of this name]:name: ' \
        '*-drain[first drain the machines slots; no job starts, and running jobs may end]' \
        '*-quick[jobs get their vacate time only]' \
        '*-reason[shown by the slots while they drain]:text: ' \
        '*-check[drain only if this is true of every slot]:expr: ' \
        '*-start[jobs that may start while draining]:expr: ' \
        '*-graceful[jobs get their retirement and vacate time (the default)]' \
        '*-addr[the daemon at this address, which is this pools or cannot be reached]:address: ' \
        '*-all[every machine of the pool; this one]' \
        '*-name[the machine of this name]:name: ' \
        '*-negotiator[the negotiator]' \
        '*-master[the master itself, and with it everything]' \
        '*-constraint[the machines whose master ad matches]:expr: _condor_py_ask constraint' \
        '*-collector[accepted; there is no collector process]' \
        '*-kbdd[accepted; there is no such daemon]' \
        '*-schedd[the schedd]' \
        '*-startd[the startd]' \
        '*-web[the server of the pages, condor_web]' \
        '*-subsystem[the daemon of this subsystem]:name: ' \
        '*:argument:_files'
    ;;
condor_rm)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-long[print the result ad]' \
        '*-totals[print how many jobs it worked for, and for how many not and why]' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-all[all your jobs (all jobs for a queue superuser)]' \
        '*-held[with -all or users; only held jobs]' \
        '*-hold[]' \
        '*-addr[the schedd at this address]:addr: ' \
        '*-reason[the reason to record]:text: ' \
        '*-forcex[forget jobs that are marked for removal and do not go away]' \
        '*-transfer[bring the output of running jobs back before they are removed]' \
        '*-subcode[accepted; only condor_hold records it]:n: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_rooster)
    _arguments \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_router_history)
    _arguments \
        '*-show_records[a line for each job instead of the summary]' \
        '*-show_iwd[with --show_records; the working directories, too]' \
        '*-age[the time ends so many days ago (0)]:days: ' \
        '*-days[how many days it is long (1)]:days: ' \
        '*-start[when it begins, as YYYY-MM-DD HH;MM]:time: ' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_router_q)
    _arguments \
        '*-S[how many jobs are in which state on each route]' \
        '*-R[the same for running jobs]' \
        '*-I[the same for jobs that do not run]' \
        '*-H[the same for held jobs]' \
        '*-route[only jobs on this route]:name: ' \
        '*-site[the same]:name: ' \
        '*-idle[only idle jobs]' \
        '*-held[only held jobs]' \
        '*-constraint[only jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_router_rm)
    _arguments \
        '*-route[only jobs on this route]:name: ' \
        '*-site[the same]:name: ' \
        '*-idle[only idle jobs]' \
        '*-held[only held jobs]' \
        '*-constraint[only jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_run)
    _arguments \
        '*-help[this text]' \
        '*-u[the universe of the job (vanilla)]:universe: ' \
        '*-a[a further submit command, like -a request_memory=1024]:command: ' \
        '*-getenv[give the job the present environment]' \
        '*-summary[the lines about the job even without a terminal (not in HTCondor)]' \
        '*:argument:_files'
    ;;
condor_schedd)
    _arguments \
        '*-name[the name in its ad (SCHEDD_NAME)]:name: ' \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_set_shutdown)
    _arguments \
        '*-version[print the version and exit]' \
        '*-help[this text]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemon[the daemon of this name]:name: ' \
        '*-exec[the program that MASTER_SHUTDOWN_<NAME> of the configuration names]:name: ' \
        '*-graceful[jobs get their retirement and vacate time (the default)]' \
        '*-addr[the daemon at this address, which is this pools or cannot be reached]:address: ' \
        '*-all[every machine of the pool; this one]' \
        '*-name[the machine of this name]:name: ' \
        '*-negotiator[the negotiator]' \
        '*-master[the master itself, and with it everything]' \
        '*-constraint[the machines whose master ad matches]:expr: _condor_py_ask constraint' \
        '*-collector[accepted; there is no collector process]' \
        '*-kbdd[accepted; there is no such daemon]' \
        '*-schedd[the schedd]' \
        '*-startd[the startd]' \
        '*-web[the server of the pages, condor_web]' \
        '*-subsystem[the daemon of this subsystem]:name: ' \
        '*:argument:_files'
    ;;
condor_setup)
    _arguments \
        '*-cron[only add cleaning and reports to this accounts crontab (-remove takes them away)]' \
        '*-dry-run[say what would be done]' \
        '*-remove[remove what it made, except what was changed since; the configuration stays]' \
        '*-destdir[put everything below DIR, as packagers do]:dir:_files -/' \
        '*-upgrade[install another version, and run the pool on it]' \
        '*-from[a wheel, or a directory with the sources (default; what pip finds in its index)]:path:_files' \
        '*-back[the version before the last upgrade]' \
        '*-drain[let running jobs end before the pool is stopped]' \
        '*-limit[give up when jobs still run after so long]:seconds: ' \
        '*-prefix[the environment to upgrade (default; this commands)]:dir:_files -/' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_shadow)
    _arguments \
        '*-version[print the version and exit]' \
        '*-v[print the version and exit]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_sos)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-timeoutmult[multiply the time-outs of the command by N]:n: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_ssh_to_job)
    _arguments \
        '*-debug[tell on stderr what is done]' \
        '*-help[this text]' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-ssh[ssh -t (a terminal for a command), -T (none), -X; or sftp, or scp]:command: ' \
        '*-keygen-options[accepted; no keys are needed]:options: ' \
        '*-auto-retry[wait until the job runs]' \
        '*-remove-on-interrupt[remove the job when interrupted or killed]' \
        '*-shells[shells to try in this order, then /bin/sh; default $SHELL]:shell[,shell...]: ' \
        '*-X[let X11 programs use your display]' \
        '*-x[do not let them (the default)]' \
        '*:argument: _condor_py_ask jobs'
    ;;
condor_startd)
    _arguments \
        '*-name[the name in its ad (STARTD_NAME)]:name: ' \
        '*-skip-benchmarks[accepted; RunBenchmarks decides about them]' \
        '*-foreground[stay in the foreground (the default)]' \
        '*-terminal[log to standard error, in the foreground]' \
        '*-background[go to the background]' \
        '*-version[print the version and exit]' \
        '*-kill[shut down gracefully the daemon whose pid is in this file]:pidfile:_files' \
        '*-pidfile[write the pid to this file, which is below LOG if it is no absolute path]:file:_files' \
        '*-local-name[look knobs up under NAME. first]:name: ' \
        '*-log[directory of the log]:dir:_files -/' \
        '*-config[the configuration file (CONDOR_CONFIG)]:file:_files' \
        '*-port[accepted; nothing listens on a port]:port: ' \
        '*-sock[accepted; the socket has the name of the daemon, by which tools find it]:name: ' \
        '*-runfor[shut down gracefully after this many minutes]:minutes: ' \
        '*-append[add .TAG to the name of the log]:tag: ' \
        '*-quiet[accepted; nothing is printed that could be left out]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_starter)
    _arguments \
        '*-classad[print the attributes and exit]' \
        '*-version[print the version and exit]' \
        '*-v[print the version and exit]' \
        '*-help[this text]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_stats)
    _arguments \
        '*-resourcelist[the names of slots]' \
        '*-resourcequery[the history of a slot]:name: ' \
        '*-resgrouplist[the names of platforms, and Total]' \
        '*-resgroupquery[the history of all slots of a platform]:name: ' \
        '*-userlist[the names of submitters, each with its machine]' \
        '*-userquery[the history of a submitter at a machine]:name/machine: ' \
        '*-usergrouplist[the names of submitters, and Total]' \
        '*-usergroupquery[the history of a submitter]:name: ' \
        '*-ckptlist[nothing; there are no checkpoint servers]' \
        '*-ckptquery[nothing]:name: ' \
        '*-lastday[of the last day; without a time, too]' \
        '*-lastweek[of the last week]' \
        '*-lastmonth[of the last 30 days]' \
        '*-lasthours[of the last hours]:hours: ' \
        '*-from[since the beginning of a day]:month: :day: :year: ' \
        '*-to[until the beginning of a day]:month: :day: :year: ' \
        '*-f[write into a file]:file:_files' \
        '*-orgformat[lines as they are in the files of the history]' \
        '*-timedat[also write the times of each tenth of the whole into a file]:file:_files' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_status)
    _arguments \
        '*-avail[slots that could take a job]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-ads[read ads from FILE; FORM is long, xml, json, new or auto]:file:_files' \
        '*-format[print EXPR by a printf format; may be repeated]:fmt: :expr: _condor_py_ask machine-attributes' \
        '*-autoformat[print values; LETTERS are of lhVr,tngTY]:*-*:expr: _condor_py_ask machine-attributes' \
        '*-af[]:*-*:expr: _condor_py_ask machine-attributes' \
        '*-aaf[append columns to the table]:*-*:expr: _condor_py_ask machine-attributes' \
        '*-print-format[columns as a print-format file says]:file:_files' \
        '*-wide[do not cut rows (or cut them at N columns)]' \
        '*-natural[accepted; slot2 comes before slot10 in any case]' \
        '*-target[evaluate -af and -format against the ad in FILE]:file:_files' \
        '*-constraint[ads for which EXPR is true]:expr: _condor_py_ask machine-constraint' \
        '*-direct[the daemon of this name or host, which must be of this machine]:name: ' \
        '*-diagnose[what would be asked and shown, without looking]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-defrag[the defrag daemon]' \
        '*-help[this text]' \
        '*-limit[at most N ads]:n: ' \
        '*-long[whole ads; FORM is nosort, xml, json, jsonl, new or newl]' \
        '*-xml[whole ads as XML]' \
        '*-json[whole ads as JSON]' \
        '*-toml[whole ads as TOML]' \
        '*-attributes[only these attributes in -long, -xml and -json]:names: _condor_py_ask machine-attributes' \
        '*-group-by[after the table, group the ads by these attributes]:names: ' \
        '*-claimed[claimed slots and their users]' \
        '*-data[file transfer of schedds]' \
        '*-run[running jobs of schedds; with -slots the claimed slots]' \
        '*-gpus[slots with GPUs]' \
        '*-java[slots that can run Java]' \
        '*-absent[slots that went away]' \
        '*-offline[slots that are off line]' \
        '*-merge[compare with the ads in FILE; only here, in both, only there]:file:_files' \
        '*-vm[slots that can run virtual machines]' \
        '*-slots[slots (the default)]' \
        '*-compact[one row a machine]' \
        '*-nocompact[one row a slot (the default)]' \
        '*-server[sizes and speeds]' \
        '*-state[states and the times spent in them]' \
        '*-broken[slots that could not be made]' \
        '*-lvm[limited disks of jobs; with -startd the volume that holds them]' \
        '*-healthy[health of machines; HOW is verbose]' \
        '*-statistics[accepted; all statistics are published]:set;n: ' \
        '*-startd[startd daemons]' \
        '*-schedd[schedds]' \
        '*-grid[grid resources]' \
        '*-subsystem[ads of this kind]:name: ' \
        '*-license[licenses]' \
        '*-storage[storage servers]' \
        '*-negotiator[the negotiator]' \
        '*-generic[generic ads]' \
        '*-any[all ads]' \
        '*-sort[sort by EXPR; no keeps the order]:expr: ' \
        '*-submitters[submitters]' \
        '*-master[masters]' \
        '*-collector[collectors]' \
        '*-ckptsrvr[checkpoint servers]' \
        '*-totals[only the totals]' \
        '*-expert[short error messages]' \
        '*-version[the version and the platform]' \
        '*:argument: _condor_py_ask slots'
    ;;
condor_store_check)
    _arguments \
        '*-repair[repair the logs; the daemons must not run]' \
        '*-quiet[print nothing, only return the status]' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_store_cred)
    _arguments \
        '*-i[read the credential from FILE; - reads standard input]:file:_files' \
        '*-s[the OAuth2 service]:service: ' \
        '*-H[tells several tokens of a service apart]:handle: ' \
        '*-S[scopes, with commas; noted in a refresh token (JSON), or compared with it]:scopes: ' \
        '*-A[audience; noted in a refresh token (JSON), or compared with it]:audience: _condor_py_ask groups' \
        '*-P[the credential is an access token]' \
        '*-u[whose credential; those in CRED_SUPER_USERS may name others]:user@domain: ' \
        '*-n[the machine to ask; this one is the only one]:name: ' \
        '*-p[the key for -f; - reads standard input. Others can see it while the command runs]:password: ' \
        '*-c[the password of the pool; refused]' \
        '*-f[write a key that signs tokens, in HTCondors format; that of -i or -p, or one line of standard input]:file:_files' \
        '*-d[accepted; messages go to standard error in any case]' \
        '*-h[this text]' \
        '*:argument:_files'
    ;;
condor_submit)
    _arguments \
        '*-verbose[print the job ids and the whole job ads]' \
        '*-terse[print only the ranges of job ids]' \
        '*-disable[make no checks of files]' \
        '*-debug[accepted; errors go to standard error anyway]' \
        '*-dry-run[write the job ads to FILE (- for standard output) instead of submitting]:file:_files' \
        '*-spool[copy the input files into the spool; condor_transfer_data brings the output]' \
        '*-file[the submit description]:file:_files' \
        '*-digest[keep a copy of the digest of a factory in FILE]:file:_files' \
        '*-factory[let the schedd make the jobs when there is room for them, as max_materialize does]' \
        '*-address[submit to the schedd at this address, which is this pools]:address: ' \
        '*-remote[submit to the schedd of this name, with -spool]:name: ' \
        '*-name[submit to the schedd of this name; with -pool, that needs -spool]:name: ' \
        '*-append[put LINE before the queue statement (repeatable)]:line: ' \
        '*-batch-name[the batch name of the jobs]:name: ' \
        '*-batch-id[the batch id of the jobs]:id: ' \
        '*-queue[the queue statement, when the description has none]:*-*:args: ' \
        '*-table[a table whose first row names the variables; one job a row]:file: ' \
        '*-maxjobs[fail when there are more jobs]:n: ' \
        '*-single-cluster[fail when the jobs need more than one cluster]' \
        '*-pool[the pool of the schedd that -remote or -name names]:host: ' \
        '*-unused[switch the warnings about unused lines off (or on again)]' \
        '*-dump[write the job ads to FILE instead of submitting]:file:_files' \
        '*-allow-crlf-script[accept scripts with DOS line ends]' \
        '*-help[this text]' \
        '*-capabilities[what the schedd can do]' \
        '*-wait[return when all jobs have ended (with their highest exit status), or none can continue]' \
        '*-interactive[submit one job and open a shell in its slot; the job leaves when the shell ends]' \
        '*:argument: _condor_py_ask submit'
    ;;
condor_submit_dag)
    _arguments \
        '*-AllowVersionMismatch[continue although the version of -CsdVersion is invalid or too old]' \
        '*-AlwaysRunPost[run the POST script although the PRE script failed]' \
        '*-Append[put a line into the submit file of condor_dagman (repeatable)]:command: ' \
        '*-AutoRescue[continue from the newest rescue file (1) or not (0)]:0|1:(0 1)' \
        '*-Batch-Name[the batch name of condor_dagman and its jobs]:name: ' \
        '*-Config[configuration of this DAG]:filename:_files' \
        '*-DAGMan[another condor_dagman]:path:_files' \
        '*-Debug[how much condor_dagman writes, 0 to 7]:level: ' \
        '*-do_recurse[make the submit files of sub-DAGs now]' \
        '*-dont_suppress_notification[let jobs send mails]' \
        '*-DontAlwaysRunPost[run no POST script when the PRE script failed]' \
        '*-DoRecovery[continue from the event log of the nodes]' \
        '*-DoRescueFrom[continue from the rescue file of this number]:n: ' \
        '*-durations[with -forecast; seconds of every job, or a file with lines NODE SECONDS (not in HTCondor)]:seconds|file:_files' \
        '*-Force[overwrite the files of an earlier run]' \
        '*-forecast[print how the DAG will run here; submit nothing (not in HTCondor)]' \
        '*-import_env[give condor_dagman the whole environment]' \
        '*-include_env[give condor_dagman these variables too (commas; repeatable)]:variables: ' \
        '*-insert_env[set variables for condor_dagman (semicolons; repeatable)]:key=value: ' \
        '*-insert_sub_file[put the lines of a file into the submit file]:filename:_files' \
        '*-load_save[continue from a save point file]:filename:_files' \
        '*-Lockfile[accepted; the lock is always next to the .dag file]:filename:_files' \
        '*-MaxIdle[most idle jobs before no more are submitted]:n: ' \
        '*-MaxHold[most HOLD scripts at a time]:n: ' \
        '*-MaxJobs[most nodes with jobs in the queue]:n: ' \
        '*-MaxPost[most POST scripts at a time]:n: ' \
        '*-MaxPre[most PRE scripts at a time]:n: ' \
        '*-no_recurse[make the submit files of sub-DAGs when they start (the default)]' \
        '*-no_submit[write the submit file and submit nothing]' \
        '*-Notification[when condor_dagman sends a mail]:option: ' \
        '*-outfile_dir[where the .dagman.out file is]:path:_files -/' \
        '*-Priority[least priority of the jobs]:priority: ' \
        '*-Remote[submit to the schedd of this name]:schedd-name: ' \
        '*-RescueFile[continue from this rescue file]:filename:_files' \
        '*-schedd-address-file[where the schedds address is]:path:_files' \
        '*-schedd-daemon-ad-file[where the schedds ad is]:path:_files' \
        '*-suppress_notification[let neither condor_dagman nor jobs send mails]' \
        '*-SubmitMethod[JobSubmitMethod of the jobs (0 or 1), which are submitted directly in any case]:value: ' \
        '*-update_submit[rewrite the submit file and keep its limits]' \
        '*-UseDagDir[run each DAG in the directory of its file]' \
        '*-Valgrind[run condor_dagman under valgrind]' \
        '*-Verbose[accepted; errors are always printed in full]' \
        '*-wait[wait for the end of the DAG; its exit code becomes ours (ours)]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files -g "*.dag"'
    ;;
condor_suspend)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-long[print the result ad]' \
        '*-totals[print how many jobs it worked for, and for how many not and why]' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-all[all your jobs (all jobs for a queue superuser)]' \
        '*-held[with -all or users; only held jobs]' \
        '*-hold[]' \
        '*-addr[the schedd at this address]:addr: ' \
        '*-reason[the reason to record]:text: ' \
        '*-subcode[accepted; only condor_hold records it]:n: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_tail)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-name[the schedd of this name]:name: ' \
        '*-debug[print progress messages]' \
        '*-maxbytes[at most this many bytes of a file at a time (1024)]:n: ' \
        '*-auto-retry[wait until the job runs]' \
        '*-follow[continue until the job ends]' \
        '*-f[as -follow]' \
        '*-no-stdout[leave out standard output]' \
        '*-stderr[standard error in place of standard output]' \
        '*:argument: _condor_py_ask jobs'
    ;;
condor_test_match)
    _arguments \
        '*-help[this text]' \
        '*-machine-ads[the machines]:file:_files' \
        '*-machineads[]:file:_files' \
        '*-job-ads[the jobs]:file:_files' \
        '*-jobads[]:file:_files' \
        '*-job-constraint[only these jobs; may be given again, for further estimates]:expr: ' \
        '*-claimed[count these machines as taken; once for each -job-constraint]:expr: ' \
        '*-machine-constraint[only these machines]:expr: ' \
        '*-show-unmatched-machines[name the machines that no job takes]' \
        '*-show-unmatched-jobs[name the jobs that find no machine]' \
        '*:argument:_files'
    ;;
condor_testwritelog)
    _arguments \
        '*-count[how many lines (0)]:count: ' \
        '*-sleep[wait before each line]:seconds: ' \
        '*-write[begin each line with a mark, to tell writers of one log apart]:mark: ' \
        '*-r[wait before each line for so many seconds, drawn at random]:min: :max: ' \
        '*-Seed[the beginning of the random numbers (42)]:seed: ' \
        '*-log[another log; a path, or a name in the directory LOG]:name:_files' \
        '*-verbose[accepted; there are no messages of D_FULLDEBUG]' \
        '*-debug[show the lines on standard error, too]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_token_create)
    _arguments \
        '*-identity[the user that the token is for]:user@domain: ' \
        '*-key[the key that signs the token (POOL)]:keyid: ' \
        '*-authz[limit the token to this level of authorization (READ, WRITE ...); may be repeated]:authz: ' \
        '*-lifetime[the token is valid so long; without a limit otherwise]:seconds: ' \
        '*-token[write the token to the file NAME of SEC_TOKEN_DIRECTORY]:name: ' \
        '*-file[write the token to this file]:file:_files' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_token_fetch)
    _arguments \
        '*-authz[limit the token to this level of authorization (READ, WRITE ...); may be repeated]:authz: ' \
        '*-lifetime[the token is valid so long; without a limit otherwise]:seconds: ' \
        '*-pool[the pool of the daemon; this machines is the only one that gives tokens]:host: ' \
        '*-name[the daemon of this name]:name: ' \
        '*-key[sign with this key, of SEC_TOKEN_FETCH_ALLOWED_SIGNING_KEYS]:key: ' \
        '*-token[write the token to the file NAME of SEC_TOKEN_DIRECTORY]:name: ' \
        '*-file[write the token to this file]:file:_files' \
        '*-type[its type, of any, master, collector, schedd, negotiator, startd, credd (schedd)]:type: ' \
        '*-remote[refused; there is no collector that fetches tokens of other schedds]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_token_list)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-help[this text]' \
        '*-dir[look in this directory]:path:_files -/' \
        '*-file[look in this file alone]:file:_files' \
        '*-capability[ask the daemon about capability tokens, which daemons of this pool do not take]' \
        '*-pool[the pool of the daemon; this machines is the only one that gives tokens]:host: ' \
        '*-name[the daemon of this name]:name: ' \
        '*-type[its type, of any, master, collector, schedd, negotiator, startd, credd (schedd)]:type: ' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_token_request)
    _arguments \
        '*-authz[limit the token to this level of authorization (READ, WRITE ...); may be repeated]:authz: ' \
        '*-lifetime[the token is valid so long; without a limit otherwise]:seconds: ' \
        '*-identity[the user that the token is for (condor@UID_DOMAIN)]:user@domain: ' \
        '*-pool[the pool of the daemon; this machines is the only one that gives tokens]:host: ' \
        '*-name[the daemon of this name]:name: ' \
        '*-token[write the token to the file NAME of SEC_TOKEN_DIRECTORY]:name: ' \
        '*-file[write the token to this file]:file:_files' \
        '*-type[its type, of any, master, collector, schedd, negotiator, startd, credd (collector)]:type: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_token_request_approve)
    _arguments \
        '*-reqid[the request of this number]:id: ' \
        '*-pool[the pool of the daemon; this machines is the only one that gives tokens]:host: ' \
        '*-name[the daemon of this name]:name: ' \
        '*-type[its type, of any, master, collector, schedd, negotiator, startd, credd (collector)]:type: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_token_request_auto_approve)
    _arguments \
        '*-lifetime[approve so long (3600, which is the most)]:seconds: ' \
        '*-netblock[approve requests from this network (127.0.0.0/8)]:netblock: ' \
        '*-pool[the pool of the daemon; this machines is the only one that gives tokens]:host: ' \
        '*-name[the daemon of this name]:name: ' \
        '*-type[its type, of any, master, collector, schedd, negotiator, startd, credd (collector)]:type: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_token_request_list)
    _arguments \
        '*-pool[the pool of the daemon; this machines is the only one that gives tokens]:host: ' \
        '*-name[the daemon of this name]:name: ' \
        '*-type[its type, of any, master, collector, schedd, negotiator, startd, credd (collector)]:type: ' \
        '*-reqid[the request of this number]:id: ' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-json[print JSON]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_top)
    _arguments \
        '*-once[print everything once and end; with a daemon, its current figures]' \
        '*-batch[]' \
        '*-delay[seconds between two updates (2; of a daemon STATISTICS_WINDOW_QUANTUM)]:seconds: ' \
        '*-sort[sort the table of jobs by ID, OWNER, ST, TIME, CPUS, MEM, SLOT or CMD; the statistics of a daemon by one of their columns]:column: ' \
        '*-filter[show only what has this text]:text: ' \
        '*-mine[show only your own jobs]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-columns[the columns; default, runtime, count or all]:set: ' \
        '*-live[again and again (on a terminal)]' \
        '*-history[of the two newest ads in schedd_daemon_history]' \
        '*-H[]' \
        '*-name[of the daemon of this name]:name: ' \
        '*-attrs[count these attributes as well]:name,...: _condor_py_ask attributes' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-schedd[of the schedd]' \
        '*-startd[of the startd]' \
        '*-collector[of the collector, whose ad is made of what all daemons publish]' \
        '*-negotiator[of the negotiator]' \
        '*-master[of the master]' \
        '*:argument:_files'
    ;;
condor_transfer_data)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-addr[the schedd at this address]:addr: ' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-all[all your jobs]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_transform_ads)
    _arguments \
        '*-verbose[print the statements as they are carried out]' \
        '*-terse[the opposite of -verbose]' \
        '*-debug[accepted; messages go to standard error anyway]' \
        '*-rules[read rules from FILE (- for standard input, config;//KNOB/ for a knob)]:file:_files' \
        '*-jobtransforms[apply the rules JOB_TRANSFORM_<name> of the configuration]:names: ' \
        '*-jobroute[apply the rules JOB_ROUTER_ROUTE_<name> of the configuration]:name: ' \
        '*-in[read ads from FILE; FORM is long, xml, json, new or auto]:file:_files' \
        '*-out[write ads to FILE; nosort keeps the order of attributes]:file:_files' \
        '*-long[the ads are in long form]' \
        '*-json[the ads are JSON]' \
        '*-xml[the ads are XML]' \
        '*-help[this text; -help rules describes the rules]' \
        '*:argument:_files'
    ;;
condor_update_machine_ad)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-name[the startd of this name]:name: ' \
        '*:argument:_files'
    ;;
condor_updates_stats)
    _arguments \
        '*-help[this text]' \
        '*-long[each update of a history]' \
        '*-summary[no histories]' \
        '*-history[only these updates of a history]:min-max: ' \
        '*-interval[time between two updates where an ad does not say it; shows their times]:seconds: ' \
        '*-notime[no times]' \
        '*-time[times, where they are known (the default)]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_upgrade_check)
    _arguments \
        '*-help[this text]' \
        '*-ce[check the configuration of an HTCondor-CE]' \
        '*-CE[the same]' \
        '*-all[make all checks, those for older changes too]' \
        '*-ignore[leave out these checks]:*-*:tag: ' \
        '*-only[make only these checks; WARNINGS means those that only warn]:*-*:tag: ' \
        '*-warnings[make checks that only warn, too (the default)]' \
        '*-no-warnings[leave those out]' \
        '*-dump[list the checks]' \
        '*-verbose[tell more; may be given again]' \
        '*-tags[list the tags]' \
        '*:argument:_files'
    ;;
condor_urlfetch)
    _arguments \
        '*-MASTER[fetch it in any case]' \
        '*-DAEMON[any other daemon, such as -SCHEDD; print FILE if there is one]' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_userlog)
    _arguments \
        '*-help[this text]' \
        '*-total[show the summaries only]' \
        '*-raw[show the runs only, without headings]' \
        '*-debug[say which events do not fit together]' \
        '*-evict[only runs that ended with an eviction]' \
        '*-j[only this CLUSTER or CLUSTER.PROC]:id: ' \
        '*-all[take back -j and -evict]' \
        '*-hostname[show names of hosts instead of addresses]' \
        '*:argument:_files'
    ;;
condor_userlog_job_counter)
    _arguments \
        '*-help[this text]' \
        '*:argument:_files'
    ;;
condor_userprio)
    _arguments \
        '*-setprio[set the real priority]:user: _condor_py_ask submitters:value: ' \
        '*-setfactor[set the priority factor, at least 1]:user: _condor_py_ask submitters:value: ' \
        '*-setfloor[the slot weight that the user gets before others]:user: _condor_py_ask submitters:value: ' \
        '*-setceiling[the slot weight that the user may use at most; -1 for no limit]:user: _condor_py_ask submitters:value: ' \
        '*-duration[make -setfactor, -setfloor or -setceiling a lease of that time]:seconds: ' \
        '*-cancelceilinglease[end the lease on the ceiling now]:user: _condor_py_ask submitters' \
        '*-cancelfloorlease[end the lease on the floor now]:user: _condor_py_ask submitters' \
        '*-cancelfactorlease[end the lease on the factor now]:user: _condor_py_ask submitters' \
        '*-setbegin[set the time of the first use, in Unix seconds]:user: _condor_py_ask submitters:time: ' \
        '*-setaccum[set the accumulated usage]:user: _condor_py_ask submitters:seconds: ' \
        '*-setlast[set the time of the last use, in Unix seconds]:user: _condor_py_ask submitters:time: ' \
        '*-resetusage[set the accumulated usage to zero]:user: _condor_py_ask submitters' \
        '*-delete[forget the record]:user: _condor_py_ask submitters' \
        '*-resetall[set the accumulated usage of all users to zero]' \
        '*-long[show whole ads]' \
        '*-constraint[only records for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-legacy[with -long; one ad with numbered attributes]' \
        '*-modular[with -long; one ad a record]' \
        '*-af[]:*-*:expr: _condor_py_ask attributes' \
        '*-autoformat[print values; LETTERS are of jlhVr,tng]:*-*:expr: _condor_py_ask attributes' \
        '*-hierarchical[users under their groups (the default)]' \
        '*-flat[users and groups in one list]' \
        '*-grouprollup[usage of a group includes its subgroups]' \
        '*-grouporder[groups first, then users]' \
        '*-quotas[quotas of groups]' \
        '*-surplus[how groups use surplus]' \
        '*-sortkey[sort keys of groups]' \
        '*-all[all columns]' \
        '*-most[the most useful columns (the default)]' \
        '*-groupid[numbers of groups]' \
        '*-order[order of groups]' \
        '*-activefrom[who used the machine since that day]:month: :day: :year: ' \
        '*-allusers[all users, whenever they used the machine]' \
        '*-usage[usage columns]' \
        '*-priority[priority columns, without groups]' \
        '*-getreslist[the slots that the user holds]:user: _condor_py_ask submitters' \
        '*-inputfile[show the numbered ad in FILE]:file:_files' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-name[the negotiator to ask]:name: ' \
        '*-collector[ask no negotiator for users that are not found]' \
        '*-negotiator[accepted; the negotiator is asked in any case]' \
        '*-whatif[shares now and after changes, which are not made; USER=FACTOR, or USER=RATIO*OTHER for the factor that gives USER a share RATIO times OTHERs]:*-*:change: ' \
        '*-explain[why USER (me; you) got this share, in words with figures, compared with the users named behind it (without any, with those who used more); about the last day without -since]:user: _condor_py_ask submitters' \
        '*-plot[draw priority and use of the users over time, on the terminal]' \
        '*-svg[draw them as SVG into FILE]:file:_files' \
        '*-since[for -explain and -plot; from then on (2026-11-21, 18;00, yesterday, 12h, 3d)]:time: ' \
        '*-until[for -explain and -plot; up to then]:time: ' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument: _condor_py_ask submitters'
    ;;
condor_vacate)
    _arguments \
        '*-version[print the version and exit]' \
        '*-help[this text]' \
        '*-pool[the pool to ask; this machine is the only one]:host: ' \
        '*-fast[kill running jobs]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemon[the daemon of this name]:name: ' \
        '*-graceful[jobs get their retirement and vacate time (the default)]' \
        '*-addr[the daemon at this address, which is this pools or cannot be reached]:address: ' \
        '*-all[every machine of the pool; this one]' \
        '*-name[the machine of this name]:name: ' \
        '*-negotiator[the negotiator]' \
        '*-master[the master itself, and with it everything]' \
        '*-constraint[the machines whose master ad matches]:expr: _condor_py_ask constraint' \
        '*-collector[accepted; there is no collector process]' \
        '*-kbdd[accepted; there is no such daemon]' \
        '*-schedd[the schedd]' \
        '*-startd[the startd]' \
        '*-web[the server of the pages, condor_web]' \
        '*-subsystem[the daemon of this subsystem]:name: ' \
        '*:argument:_files'
    ;;
condor_vacate_job)
    _arguments \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-long[print the result ad]' \
        '*-totals[print how many jobs it worked for, and for how many not and why]' \
        '*-constraint[jobs for which EXPR is true]:expr: _condor_py_ask constraint' \
        '*-all[all your jobs (all jobs for a queue superuser)]' \
        '*-held[with -all or users; only held jobs]' \
        '*-hold[]' \
        '*-addr[the schedd at this address]:addr: ' \
        '*-reason[the reason to record]:text: ' \
        '*-fast[kill the jobs at once]' \
        '*-subcode[accepted; only condor_hold records it]:n: ' \
        '*-name[the schedd to ask]:name: ' \
        '*-pool[the pool of the schedd that -name names]:host: ' \
        '*-version[the version and the platform]' \
        '*-help[this text]' \
        '*:argument: _condor_py_ask mine+users'
    ;;
condor_version)
    _arguments \
        '*-arch[the processor architecture]' \
        '*-opsys[the operating system]' \
        '*-compiled[which modules in C are in use, and why not; without one its twin in Python is used]' \
        '*-help[this text]' \
        '*-version[both lines]' \
        '*:argument:_files'
    ;;
condor_wait)
    _arguments \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-status[a line for every submission, start and end]' \
        '*-echo[copy the events; FMT of ISO_DATE, UTC, SUB_SECOND, XML, JSON]' \
        '*-event-id[wait for an event of type ID, or for COUNT of them]:id: ' \
        '*-allevents[read all there is and return, whatever the jobs do]' \
        '*-wait[wait no longer than this]:seconds: ' \
        '*-num[wait until N jobs have ended]:n: ' \
        '*-on-hold[fail; return when a job is held; wait (the default); say so and continue]:what: ' \
        '*-exit-status[return the highest exit status of the jobs (128 + N for signal N)]' \
        '*-log[the event log]:file:_files' \
        '*:argument:_files'
    ;;
condor_watch_q)
    _arguments \
        '*-help[this text]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-users[track the jobs of these users]:*-*:user: _condor_py_ask users' \
        '*-clusters[track these clusters]:*-*:cluster_id: _condor_py_ask clusters' \
        '*-larger-than[track clusters from this one on]:cluster_id: _condor_py_ask clusters' \
        '*-files[track the jobs of these logs]:*-*:file:_files' \
        '*-batches[track the jobs of these batches]:*-*:batch_name: ' \
        '*-collector[accepted; the pool is this machine]:host: ' \
        '*-schedd[accepted; the schedd is this machines]:name: ' \
        '*-exit[exit when all, any or none of the jobs are active, done, idle or held]:grouper,job_status[,exit_status]: ' \
        '*-exit-on-key-press[exit when a key is pressed (on a terminal)]' \
        '*-no-exit-on-key-press[the opposite of -exit-on-key-press]' \
        '*-interval[seconds between two updates (0.5)]:seconds: ' \
        '*-groupby[what makes a row (batch)]:batch|log|cluster:(batch log cluster)' \
        '*-display-exited[show rows whose jobs have all left the queue]' \
        '*-no-display-exited[the opposite of -display-exited]' \
        '*-exited-row-decay[with -no-display-exited, for how long such a row stays; units s m h d w M y (1w)]:time[unit]: ' \
        '*-decay-start-at-read[count that time from the reading of the event]' \
        '*-no-decay-start-at-read[the opposite of -decay-start-at-read]' \
        '*-table[the table]' \
        '*-no-table[the opposite of -table]' \
        '*-progress[the progress bar]' \
        '*-no-progress[the opposite of -progress]' \
        '*-row-progress[the progress bars of the rows]' \
        '*-no-row-progress[the opposite of -row-progress]' \
        '*-summary[the summary line]' \
        '*-no-summary[the opposite of -summary]' \
        '*-summary-type[what the summary line counts (totals)]:totals|percentages:(totals percentages)' \
        '*-updated-at[the line with the time]' \
        '*-no-updated-at[the opposite of -updated-at]' \
        '*-abbreviate[shorten the directories of event logs]' \
        '*-no-abbreviate[the opposite of -abbreviate]' \
        '*-color[colors (on a terminal)]' \
        '*-no-color[the opposite of -color]' \
        '*-refresh[redraw in place of appending (on a terminal)]' \
        '*-no-refresh[the opposite of -refresh]' \
        '*:argument:_files'
    ;;
condor_web)
    _arguments \
        '*-login[print an address that lets you into the pages that are served already]' \
        '*-wall[the address of the page for a screen on the wall (WEB_WALL; without a login)]' \
        '*-port[listen on this port of 127.0.0.1 (WEB_PORT); 0 for any that is free]:port: ' \
        '*-socket[listen on a Unix socket (WEB_SOCKET), for a proxy]:path:_files' \
        '*-f[stay in the foreground, as it always does (for condor_master)]' \
        '*-name[the schedd of this name]:name: ' \
        '*-pool[the pool to show; this machine is the only one]:host: ' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
condor_who)
    _arguments \
        '*-help[this text]' \
        '*-debug[accepted; messages go to standard error in any case]' \
        '*-daemons[a table of the daemons; alive, pid, address]' \
        '*-quickdaemons[the readiness ad of the master]' \
        '*-wait-for-ready[wait up to SECONDS until EXPR is true of the readiness ad]:expr: ' \
        '*-address[the startd at this address]:address: ' \
        '*-logdir[the pool whose daemons log in DIR]:dir:_files -/' \
        '*-pid[the startd with this process id]:pid: ' \
        '*-allpids[every startd of this machine]' \
        '*-wide[do not cut rows (or cut them at N columns)]' \
        '*-long[whole ads]' \
        '*-snapshot[JOB_DIR is the scratch directory; -long has set-up, state and claim as ads of their own]' \
        '*-statistics[accepted; all statistics are published]:set;n: ' \
        '*-format[print EXPR by a printf format; may be repeated]:fmt: :expr: _condor_py_ask machine-attributes' \
        '*-autoformat[print values; LETTERS are of jlhVrTY,tng]:*-*:expr: _condor_py_ask machine-attributes' \
        '*-af[]:*-*:expr: _condor_py_ask machine-attributes' \
        '*-aaf[append columns to the table]:*-*:expr: _condor_py_ask machine-attributes' \
        '*-print-format[columns as a print-format file says]:file:_files' \
        '*-constraint[ads for which EXPR is true]:expr: _condor_py_ask machine-constraint' \
        '*-limit[at most N ads]:n: ' \
        '*-verbose[also the log of each daemon]' \
        '*-jobs[the jobs instead of the slots]' \
        '*-startd[the startds own ad instead of the slots]' \
        '*:argument:_files'
    ;;
condor_with_pool)
    _arguments \
        '*-config[configuration to add, such as a policy that is to be tried]:file:_files' \
        '*-keep[keep the directory of the pool, with its logs, if the command fails]' \
        '*-help[this text]' \
        '*-version[the version and the platform]' \
        '*:argument:_files'
    ;;
htcondor)
    local kind=htcondor word
    for word in "${(@)words[2,CURRENT-1]}"; do
        [[ $word == -* || $kind == */*/* ]] || kind+=/$word
    done
    _condor_py_ask $kind
    [[ $kind == */*/* ]] && (( ! compstate[nmatches] )) && _files
    ;;
esac
