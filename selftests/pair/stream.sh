#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Random calls, every byte verified, over SMC.
# vm-test: timeout=600
. /tests/pair/lib-pair.sh
pair_run /tests/pair/stream --proto smc,inetmap_smc
