#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Two points.
# vm-test: module=any
echo "1..2"
echo "ok 1 - one"
echo "ok 2 - two # SKIP on purpose"
