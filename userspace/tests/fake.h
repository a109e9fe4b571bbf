/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FAKE_H
#define FAKE_H

#define FAKE_CALLS	64

struct fake_call {
	int domain, type, protocol;
};

/* errno for IPPROTO_SMC, for AF_SMC, and for everything else; 0 = success. Clears the notes. */
void fake_script(int inet, int smc, int tcp);
int fake_count(void);
/* How often a socket was told to be plain TCP. */
int fake_plain(void);
const struct fake_call *fake_call(int i);

#endif
