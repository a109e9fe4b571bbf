#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The machine dies.
# vm-test: module=any
echo c > /proc/sysrq-trigger
sleep 10
