#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# smc_run: static programs that make their system calls themselves get SMC, port lists are obeyed, each
# connection looked at on both machines.
# vm-test: timeout=180
. /tests/pair/lib-hold.sh
raw=/tests/pair/rawsock

serve_hold static 5001 $CONNS smc_run $raw serve 5001 -- smc_run $raw hold "$PEER" 5001 $CONNS
serve_hold unwrapped 5002 0 $raw serve 5002 -- $raw hold "$PEER" 5002 $CONNS
serve_hold client-only 5003 0 $raw serve 5003 -- smc_run $raw hold "$PEER" 5003 $CONNS

# A child of a dynamic program, and the dynamic program itself.
serve_hold tree 5004 $CONNS smc_run --method=seccomp sh -c "$raw serve 5004 & wait" -- \
	smc_run --method=seccomp bash -c "$raw hold $PEER 5004 $CONNS"
[ "$ROLE" = client ] || killall rawsock 2> /dev/null

# Port lists, where a library is preloaded: /tests/pair/held is the same program, dynamic.
held=/tests/pair/held
serve_hold preload 5005 $CONNS smc_run $held serve 5005 -- smc_run $held hold "$PEER" 5005 $CONNS
serve_hold client-except 5006 0 smc_run $held serve 5006 -- smc_run --except=5006 $held hold "$PEER" 5006 $CONNS
serve_hold server-except 5007 0 smc_run --except=5000-5010 $held serve 5007 -- smc_run $held hold "$PEER" 5007 $CONNS
serve_hold only 5008 $CONNS smc_run --only-port=5008 $held serve 5008 -- smc_run --only-port=80,5008 $held hold "$PEER" 5008 $CONNS
serve_hold only-others 5009 0 smc_run --only-port=80 $held serve 5009 -- smc_run --only-port=80 $held hold "$PEER" 5009 $CONNS
serve_hold sizes 5010 $CONNS smc_run -r 256K $held serve 5010 -- smc_run -t 256K $raw hold "$PEER" 5010 $CONNS

gosock=/tests/pair/gosock
if [ -x $gosock ]; then
	serve_hold go 5011 $CONNS smc_run $gosock serve 5011 -- smc_run $gosock hold "$PEER" 5011 $CONNS
else
	check "Go # SKIP no Go compiler where the tests were built" true
fi
finish
