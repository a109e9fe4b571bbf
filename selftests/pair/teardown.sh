#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Device, interface, processes go away under load; afterwards the module unloads.
# vm-test: timeout=500 reload
. /tests/pair/lib-pair.sh
pair_run /tests/pair/teardown --proto smc
