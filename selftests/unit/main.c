// SPDX-License-Identifier: GPL-2.0 OR MIT
/* Runs all cases: TAP on stdout, a summary at the end, status 1 if any failed. */

#include <stdio.h>

#include "golden.h"
#include "tap.h"

static const struct tap_case *const suites[] = {
	clc_cases, proposal_cases, llc_cases, flow_cases, cdc_cases,
	cursor_cases, close_cases, negotiate_cases, ext_cases, small_cases,
};

static unsigned long checks;
static unsigned int case_failed;
static u32 seed = 0x534d4358;

void tap_check(int ok, const char *file, int line, const char *what)
{
	checks++;
	if (ok)
		return;
	/* an endless row of the same complaint helps nobody */
	if (case_failed++ < 10)
		printf("# %s:%d: %s\n", file, line, what);
}

void tap_check_eq(long long a, long long b, const char *file, int line, const char *what)
{
	tap_check(a == b, file, line, what);
	if (a != b && case_failed <= 10)
		printf("#   %lld (%#llx) != %lld (%#llx)\n", a, a, b, b);
}

void tap_check_mem(const void *a, const void *b, size_t n, const char *file, int line, const char *what)
{
	const u8 *x = a, *y = b;
	size_t i;

	for (i = 0; i < n && x[i] == y[i]; i++)
		;
	tap_check(i == n, file, line, what);
	if (i != n && case_failed <= 10)
		printf("#   differ at %zu: %02x, %02x\n", i, x[i], y[i]);
}

u32 tap_rand(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 17;
	seed ^= seed << 5;
	return seed;
}

u32 tap_below(u32 n)
{
	return (u32)(((u64)tap_rand() * n) >> 32);
}

u8 *tap_exact(const u8 *buf, size_t len)
{
	u8 *copy = malloc(len ? len : 1);

	if (len)
		memcpy(copy, buf, len);
	return copy;
}

static u8 nibble(char c)
{
	return (u8)(c <= '9' ? c - '0' : c - 'a' + 10);
}

const u8 *golden_get(const char *name, size_t *len)
{
	static u8 buf[1024];
	const char *h;
	size_t i, n = 0;

	for (i = 0; i < ARRAY_SIZE(golden); i++) {
		if (strcmp(golden[i].name, name))
			continue;
		for (h = golden[i].hex; *h; h += 2)
			buf[n++] = (u8)(nibble(h[0]) << 4 | nibble(h[1]));
		*len = n;
		return buf;
	}
	fprintf(stderr, "no captured message %s\n", name);
	exit(2);
}

int main(void)
{
	unsigned int n = 0, failed = 0, total = 0;
	const struct tap_case *c;
	size_t i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (getenv("SEED"))
		seed = (u32)strtoul(getenv("SEED"), NULL, 0) | 1;
	printf("TAP version 13\n");
	for (i = 0; i < ARRAY_SIZE(suites); i++)
		for (c = suites[i]; c->name; c++)
			total++;
	printf("1..%u\n# SEED=%#x\n", total, seed);
	for (i = 0; i < ARRAY_SIZE(suites); i++) {
		for (c = suites[i]; c->name; c++) {
			case_failed = 0;
			c->fn();
			failed += !!case_failed;
			printf("%sok %u - %s\n", case_failed ? "not " : "", ++n, c->name);
		}
	}
	printf("# unit: %u cases, %lu checks, %u failed\n", n, checks, failed);
	return failed || !checks;
}
