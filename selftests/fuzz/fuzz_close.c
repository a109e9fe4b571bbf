// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Close machine: two ends that do what the input says. Once both applications have closed
 * and everything was delivered, both are CLOSED and were released exactly once.
 */

#include "close_model.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const u8 *data, size_t len)
{
	struct end e[2];
	int side;

	end_init(&e[0]);
	end_init(&e[1]);
	while (len) {
		u8 b = take(&data, &len);

		side = b & 1;
		step(&e[side], &e[!side], (b >> 1) & 7, b >> 4);
		MUST(e[side].tail - e[side].head < INBOX);
	}
	finish(e);
	for (side = 0; side < 2; side++) {
		MUST(e[side].state == SMCX_ST_CLOSED);
		MUST(e[side].released == 1);
		MUST(e[side].head == e[side].tail);
	}
	return 0;
}
