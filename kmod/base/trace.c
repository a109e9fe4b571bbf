// SPDX-License-Identifier: GPL-2.0
/* Trace points: see trace.h. */
#include "setup.h"

#define CREATE_TRACE_POINTS
#include "trace.h"
