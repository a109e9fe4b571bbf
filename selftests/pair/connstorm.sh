#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# 10,000 connections opened and closed; counts return.
# vm-test: timeout=1500 
. /tests/pair/lib-pair.sh
pair_run /tests/pair/connstorm --proto smc --conns 10000
