// SPDX-License-Identifier: GPL-2.0
/* See ports.h. Used in the preload library: no allocation. */
#include "ports.h"

/* At most five digits, 1 to 65535; 0 if it is none. */
static const char *number(const char *text, uint16_t *port)
{
	unsigned int value = 0, digits = 0;

	while (*text >= '0' && *text <= '9' && digits++ < 5)
		value = value * 10 + (*text++ - '0');
	*port = value <= UINT16_MAX ? value : 0;
	return text;
}

bool ports_parse(struct ports *p, const char *list)
{
	for (;;) {
		uint16_t low, high;

		list = number(list, &low);
		high = low;
		if (*list == '-')
			list = number(list + 1, &high);
		if (!low || high < low || (*list && *list != ',') || p->n == PORTS_MAX)
			return false;
		p->low[p->n] = low;
		p->high[p->n++] = high;
		if (!*list)
			return true;
		list++;
	}
}

bool ports_have(const struct ports *p, uint16_t port)
{
	int i;

	for (i = 0; i < p->n; i++)
		if (port >= p->low[i] && port <= p->high[i])
			return true;
	return false;
}
