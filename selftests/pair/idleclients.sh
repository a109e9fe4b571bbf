#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Silent and hostile clients beside healthy ones.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/pair/idleclients --proto smc
