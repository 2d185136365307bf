#!/bin/sh
# Runs an Open MPI program on all nodes of a parallel job: arguments = PROGRAM [ARGUMENTS].
#
# Node 0 runs mpirun. It starts a daemon (orted) on each node with ssh, in whose place it gets a program of ours: that
# leaves the command in the directory that the nodes share, where the node takes it and runs it in its own slot.

shared=$_CONDOR_REMOTE_SPOOL_DIR
run=$(condor_chirp get_job_attr NumShadowStarts)
if [ "$(id -u)" = 0 ]; then
    export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

if [ "$_CONDOR_PROCNO" != 0 ]; then
    # The last line of a command that has arrived as a whole says so.
    until condor_chirp fetch "$shared/orted.$run.$_CONDOR_PROCNO" orted.sh 2>/dev/null &&
        tail -n 1 orted.sh | grep -q '^# complete$'; do
        sleep 0.5
    done
    . ./orted.sh
    exit
fi

export MPI_RUN=$run
cat > start_node <<'END'
#!/bin/sh
# Called by mpirun in the place of ssh: start_node HOST COMMAND.
node=${1#node}
shift
[ "$node" = 0 ] && exec sh -c "$*"
printf '%s\n# complete\n' "$*" > "orted.$node"
exec condor_chirp put "orted.$node" "$_CONDOR_REMOTE_SPOOL_DIR/orted.$MPI_RUN.$node"
END
chmod +x start_node

hosts=node0
node=1
while [ "$node" -lt "$_CONDOR_NPROCS" ]; do
    hosts=$hosts,node$node
    node=$((node + 1))
done

# One process a node; all nodes are on this machine, whose processes reach each other by its loopback interface.
exec mpirun --host "$hosts" -n "$_CONDOR_NPROCS" --mca plm_rsh_agent "$PWD/start_node" --mca plm_rsh_no_tree_spawn 1 \
    --mca orte_leave_session_attached 1 --mca oob_tcp_if_include lo --mca btl_tcp_if_include lo "$@"
