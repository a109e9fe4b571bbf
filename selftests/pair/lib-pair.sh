# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests of two machines: the server runs the agent, the client runs a test program against it.

# pair_run PROGRAM [ARGS]: exit status of the program on the client, of the agent's machine on the server.
pair_run() {
	if [ "$ROLE" = server ]; then
		/tests/pair/agent > /dev/null &
		agent=$!
		peer sync agent-up 60 || return 1
		peer sync agent-done $((1800 * SLOW))
		rc=$?
		kill $agent
		return $rc
	fi
	peer sync agent-up 60 || return 1
	"$@" --peer "$PEER"
	rc=$?
	peer sync agent-done 60
	return $rc
}

# Kinds that must be carried by SMC between two machines with soft-RoCE.
SMC_KINDS=smc,smc6,inet_smc,inet6_smc,inetmap_smc
