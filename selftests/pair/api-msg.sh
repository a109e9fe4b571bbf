#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# send and recv over SMC.
# vm-test: timeout=400
. /tests/pair/lib-pair.sh
pair_run /tests/net/msg --proto smc,inetmap_smc
