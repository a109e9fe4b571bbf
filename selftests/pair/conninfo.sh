#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# CONNINFO and the other attributes of sock_diag, at both ends, against the bytes sent.
# vm-test: timeout=120
. /tests/pair/lib-pair.sh
pair_run /tests/pair/conninfo --proto smc,inetmap_smc
