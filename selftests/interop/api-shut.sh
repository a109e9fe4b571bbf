#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How connections end against in-tree smc. Left out: what in-tree smc tells its own program of a reset, or when it sends one.
# vm-test: timeout=200 client=smcx
. /tests/pair/lib-pair.sh
pair_run /tests/net/shut --proto smc --only "half-close,last bytes,errors and repeats,SHUT_RD,both ends,close delivers,waits,expires,exits"
