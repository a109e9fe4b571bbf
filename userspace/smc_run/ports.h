/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_RUN_PORTS_H
#define SMC_RUN_PORTS_H

#include <stdbool.h>
#include <stdint.h>

#define PORTS_MAX	64

/**
 * struct ports - a set of TCP ports
 * @low: first port of each range
 * @high: last port of each range
 * @n: number of ranges
 */
struct ports {
	uint16_t	low[PORTS_MAX], high[PORTS_MAX];
	int		n;
};

/**
 * ports_parse() - add a list to a set
 * @p: set
 * @list: ports and ranges, "80,443,8000-8100"
 *
 * Return: true, or false if it is no such list or has too many ranges.
 */
bool ports_parse(struct ports *p, const char *list);

/** ports_have() - is a port in the set? @p: set. @port: host order. */
bool ports_have(const struct ports *p, uint16_t port);

#endif
