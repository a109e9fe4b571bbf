// SPDX-License-Identifier: GPL-2.0
/* smcx trust: prefixes reached in one round trip, and from which that is taken, without an invitation. */
#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nl.h"
#include "out.h"
#include "smcx.h"

static const struct out_column columns[] = {
	{ "prefix", "Prefix", false },
	{ "port", "Port", false },
	{ "cookie", "Cookie", false },
	{ NULL, NULL, false },
};

struct prefix {
	uint16_t	family;
	uint8_t		len;
	uint16_t	port;
	bool		cookie;
	uint8_t		addr[16];
};

/* Return: false unless all of @text is a number up to @max. */
static bool number(const char *text, unsigned long max, unsigned long *value)
{
	char *end;

	errno = 0;
	*value = strtoul(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno && *value <= max;
}

static bool parse_prefix(const char *text, struct prefix *p)
{
	char addr[INET6_ADDRSTRLEN + 1];
	const char *slash = strchr(text, '/');
	size_t n = slash ? (size_t)(slash - text) : strlen(text);
	unsigned long len;

	if (n >= sizeof(addr))
		return false;
	memcpy(addr, text, n);
	addr[n] = '\0';
	if (inet_pton(AF_INET, addr, p->addr) == 1)
		p->family = AF_INET;
	else if (inet_pton(AF_INET6, addr, p->addr) == 1)
		p->family = AF_INET6;
	else
		return false;
	len = p->family == AF_INET ? 32 : 128;
	if (slash && !number(slash + 1, len, &len))
		return false;
	p->len = len;
	return true;
}

static int parse(int argc, char **argv, struct prefix *p)
{
	unsigned long port;

	memset(p, 0, sizeof(*p));
	if (!argc)
		return usage_error("an address or prefix is missing", NULL);
	if (!parse_prefix(argv[0], p))
		return usage_error("not an address or prefix", argv[0]);
	for (argc--, argv++; argc; argc--, argv++) {
		if (!strcmp(argv[0], "cookie")) {
			p->cookie = true;
		} else if (!strcmp(argv[0], "port") && argc > 1 && number(argv[1], 65535, &port)) {
			p->port = port;
			argc--;
			argv++;
		} else {
			return usage_error("trust takes: PREFIX [port N] [cookie]; not", argv[0]);
		}
	}
	return EXIT_FINE;
}

static int send_prefix(uint8_t cmd, const char *what, const struct prefix *p)
{
	struct nlmsghdr *nlh = nl_genl_begin(SMCX_GENL_NAME, cmd);
	struct nlattr *nest = mnl_attr_nest_start(nlh, SMCX_ATTR_TRUST);

	mnl_attr_put_u16(nlh, SMCX_TRUST_FAMILY, p->family);
	mnl_attr_put(nlh, SMCX_TRUST_PREFIX, p->family == AF_INET ? 4 : 16, p->addr);
	mnl_attr_put_u8(nlh, SMCX_TRUST_LEN, p->len);
	mnl_attr_put_u16(nlh, SMCX_TRUST_PORT, p->port);
	mnl_attr_put_u8(nlh, SMCX_TRUST_COOKIE, p->cookie);
	mnl_attr_nest_end(nlh, nest);
	return finish(what, "update smcx", "smcx trust");
}

static int change(uint8_t cmd, const char *what, int argc, char **argv)
{
	struct prefix p;
	int rc = parse(argc, argv, &p);

	if (rc)
		return rc;
	if (cmd == SMCX_CMD_DEL_TRUST && p.cookie)
		return usage_error("trust del takes: PREFIX [port N]; not", "cookie");
	return send_prefix(cmd, what, &p);
}

/* Return: false if the message has no prefix that makes sense. */
static bool read_prefix(const struct nlmsghdr *nlh, struct prefix *p)
{
	struct nl_attrs top, in;
	size_t len;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_ATTR_TRUST, &in))
		return false;
	p->family = nl_num(&in, SMCX_TRUST_FAMILY);
	len = p->family == AF_INET ? 4 : 16;
	if (!nl_has(&in, SMCX_TRUST_PREFIX) ||
	    mnl_attr_get_payload_len(in.a[SMCX_TRUST_PREFIX]) != len)
		return false;
	memcpy(p->addr, mnl_attr_get_payload(in.a[SMCX_TRUST_PREFIX]), len);
	p->len = nl_num(&in, SMCX_TRUST_LEN);
	p->port = nl_num(&in, SMCX_TRUST_PORT);
	p->cookie = nl_num(&in, SMCX_TRUST_COOKIE);
	return true;
}

static void on_trust(const struct nlmsghdr *nlh, void *arg)
{
	char text[INET6_ADDRSTRLEN];
	struct out_table *t = arg;
	struct prefix p;

	if (!read_prefix(nlh, &p))
		return;
	inet_ntop(p.family, p.addr, text, sizeof(text));
	out_row(t);
	out_str(t, "prefix", "%s/%u", text, p.len);
	if (p.port)
		out_num(t, "port", p.port);
	out_bool(t, "cookie", p.cookie);
}

struct list {
	unsigned int	n;
	struct prefix	all[64];
};

static void on_listed(const struct nlmsghdr *nlh, void *arg)
{
	struct list *l = arg;

	if (l->n < sizeof(l->all) / sizeof(l->all[0]) && read_prefix(nlh, &l->all[l->n]))
		l->n++;
}

/* One by one: the kernel has no command for all. */
static int flush(void)
{
	struct list l = { 0 };
	unsigned int i;
	int rc = EXIT_FINE;

	nl_genl_need(SMCX_GENL_NAME);
	nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_TRUST, on_listed, &l);
	for (i = 0; i < l.n && rc == EXIT_FINE; i++)
		rc = send_prefix(SMCX_CMD_DEL_TRUST, "remove a prefix", &l.all[i]);
	return rc;
}

int cmd_trust(int argc, char **argv)
{
	struct out_table *t;

	if (argc && !strcmp(argv[0], "add"))
		return change(SMCX_CMD_ADD_TRUST, "add the prefix", argc - 1, argv + 1);
	if (argc && !strcmp(argv[0], "del"))
		return change(SMCX_CMD_DEL_TRUST, "remove the prefix", argc - 1, argv + 1);
	if (argc == 1 && !strcmp(argv[0], "flush"))
		return flush();
	if (!is_show(argc, argv))
		return usage_error("trust takes: add PREFIX [port N] [cookie], del PREFIX [port N], flush, or show", NULL);
	nl_genl_need(SMCX_GENL_NAME);
	t = out_table_begin(columns);
	nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_TRUST, on_trust, t);
	out_table_end(t, "no trusted prefixes");
	return EXIT_FINE;
}
