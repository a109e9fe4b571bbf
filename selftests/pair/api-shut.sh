#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# How SMC connections end.
# vm-test: timeout=200
. /tests/pair/lib-pair.sh
pair_run /tests/net/shut --proto smc,inet6_smc
