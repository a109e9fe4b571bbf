#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A time-out, with a child that must not survive.
# vm-test: timeout=3 module=any
sleep 1000 &
sleep 1000
