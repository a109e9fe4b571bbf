/* SPDX-License-Identifier: GPL-2.0 OR MIT */
#ifndef SMCX_FUZZ_H
#define SMCX_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#include "host.h"

/* A property that does not hold is a crash to the fuzzer. */
#define MUST(e) do { \
		if (!(e)) { \
			fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #e); \
			abort(); \
		} \
	} while (0)

int LLVMFuzzerTestOneInput(const u8 *data, size_t len);

/* Next byte of the input, 0 once it is used up. */
static inline u8 take(const u8 **data, size_t *len)
{
	if (!*len)
		return 0;
	(*len)--;
	return *(*data)++;
}

#endif
