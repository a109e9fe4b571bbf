#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# connect() over SMC.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/net/connect --proto smc,inetmap_smc
