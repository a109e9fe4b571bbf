#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A test that ended early has failed.
# vm-test: module=any
echo "1..3"
echo "ok 1 - one"
