#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# splice and sendfile over SMC.
# vm-test: timeout=300
. /tests/pair/lib-pair.sh
pair_run /tests/net/splice --proto smc6,inet_smc
