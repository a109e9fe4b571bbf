#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# All of closematrix, which takes each third way only. nodebug: there is no time for that.
# vm-test: timeout=900 nodebug
. /tests/pair/lib-pair.sh
pair_run /tests/pair/closematrix --proto smc --every 1
