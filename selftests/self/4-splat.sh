#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The kernel complained: failed, and the rest goes on in a fresh boot.
# vm-test: module=any
echo "1..1"
echo "WARNING: on purpose" > /dev/kmsg
echo "ok 1 - printed"
