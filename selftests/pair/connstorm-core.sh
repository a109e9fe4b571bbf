#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A smaller storm, for the debug kernel.
# vm-test: timeout=600
. /tests/pair/lib-pair.sh
pair_run /tests/pair/connstorm --proto smc --conns 800
