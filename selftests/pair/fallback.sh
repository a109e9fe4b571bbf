#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Every way to end up as TCP, with its reason.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/net/fallback --proto smc,inet_smc,smc6
