#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Creation, bind, listen, accept, names over SMC.
# vm-test: timeout=200
. /tests/pair/lib-pair.sh
pair_run /tests/net/create --proto $SMC_KINDS
