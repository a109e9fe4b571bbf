#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Tests behind the dead ones still run.
# vm-test: module=any
pidof sleep && exit 1
exit 0
