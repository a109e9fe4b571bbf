#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Urgent data from in-tree smc, and two bytes to it. Left out: cases that write on behind an urgent byte nobody has read, as in-tree smc
# blocks the writer there, and "send", which checks the receiver, in-tree smc's own.
# vm-test: timeout=200 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/net/oob --proto smc --only "peek,recvmsg flag,epoll edge,SIGURG,a second one,many with bulk"
