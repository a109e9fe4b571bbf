#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A failing point counts, whatever the exit status.
# vm-test: module=any
echo "1..2"
echo "ok 1 - one"
echo "not ok 2 - on purpose"
