#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All ways to end a connection on both ends, compared with TCP.
# vm-test: timeout=900
. /tests/pair/lib-pair.sh
pair_run /tests/pair/closematrix --proto smc --every $((DEBUG ? 12 : 3))
