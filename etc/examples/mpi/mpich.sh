#!/bin/sh
# Runs an MPICH program on all nodes of a parallel job: arguments = PROGRAM [ARGUMENTS].
#
# Node 0 runs mpiexec. It starts a proxy on each node with ssh, in whose place it gets a program of ours: that leaves
# the command in the directory that the nodes share, where the node takes it and runs it in its own slot.

shared=$_CONDOR_REMOTE_SPOOL_DIR
run=$(condor_chirp get_job_attr NumShadowStarts)

if [ "$_CONDOR_PROCNO" != 0 ]; then
    # The last line of a command that has arrived as a whole says so.
    until condor_chirp fetch "$shared/proxy.$run.$_CONDOR_PROCNO" proxy.sh 2>/dev/null &&
        tail -n 1 proxy.sh | grep -q '^# complete$'; do
        sleep 0.5
    done
    . ./proxy.sh
    exit
fi

export MPI_RUN=$run
cat > start_node <<'END'
#!/bin/sh
# Called by mpiexec in the place of ssh: start_node -x HOST COMMAND.
node=${2#node}
shift 2
[ "$node" = 0 ] && exec sh -c "$*"
printf '%s\n# complete\n' "$*" > "proxy.$node"
exec condor_chirp put "proxy.$node" "$_CONDOR_REMOTE_SPOOL_DIR/proxy.$MPI_RUN.$node"
END
chmod +x start_node

hosts=node0
node=1
while [ "$node" -lt "$_CONDOR_NPROCS" ]; do
    hosts=$hosts,node$node
    node=$((node + 1))
done

# One process a node, with the environment and the directory of its node: mpiexec would give all of them its own. All
# nodes are on this machine, whose processes reach each other by its loopback interface.
exec mpiexec.hydra -hosts "$hosts" -ppn 1 -n "$_CONDOR_NPROCS" -launcher ssh -launcher-exec "$PWD/start_node" \
    -iface lo -wdir / -genvnone sh -c 'cd "$_CONDOR_SCRATCH_DIR" && exec "$0" "$@"' "$@"
