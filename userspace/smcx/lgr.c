// SPDX-License-Identifier: GPL-2.0
/* smcx lgr, smcx link: link groups and their links. */
#include <arpa/inet.h>
#include <linux/smcx_abi.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nl.h"
#include "out.h"
#include "smcx.h"

#define GID_LEN		40	/* as text */
#define LINK_ACTIVE	3

static const struct out_column lgr_columns[] = {
	{ "id", "Group", false },
	{ "role", "Role", false },
	{ "version", "Version", false },
	{ "type", "Type", false },
	{ "connections", "Conns", false },
	{ "max_connections", "Max", false },
	{ "max_links", NULL, false },
	{ "peer_host", "Peer", false },
	{ "eid", "EID", false },
	{ "direct", "Direct", false },
	{ "vlan", "VLAN", false },
	{ "pnetid", "PNET", false },
	{ "send_bytes", "Send bytes", false },
	{ "receive_bytes", "Receive bytes", false },
	{ "buffer_type", NULL, false },
	{ "peer_os", NULL, false },
	{ "netns_cookie", NULL, false },
	{ NULL, NULL, false },
};

static const struct out_column link_columns[] = {
	{ "group", "Group", false },
	{ "link", "Link", false },
	{ "state", "State", false },
	{ "device", "Device", false },
	{ "port", NULL, false },
	{ "netdev", "Netdev", false },
	{ "connections", "Conns", false },
	{ "gid", "GID", false },
	{ "peer_gid", "Peer GID", false },
	{ "uid", NULL, false },
	{ "peer_uid", NULL, false },
	{ NULL, NULL, false },
};

static const char *name_in(const char *const *names, size_t n, uint64_t i)
{
	return i < n ? names[i] : "?";
}

static const char *lgr_type(uint64_t type)
{
	static const char *const names[] = {
		"none", "single", "symmetric", "asymmetric-peer", "asymmetric-local",
	};

	return name_in(names, sizeof(names) / sizeof(names[0]), type);
}

static const char *buffer_type(uint64_t type)
{
	static const char *const names[] = { "physical", "virtual", "mixed" };

	return name_in(names, sizeof(names) / sizeof(names[0]), type);
}

static const char *os_name(uint64_t os)
{
	static const char *const names[] = { "unknown", "z/OS", "Linux", "AIX" };

	return name_in(names, sizeof(names) / sizeof(names[0]), os);
}

static const char *link_state(uint64_t state)
{
	static const char *const names[] = { "unused", "inactive", "activating", "active" };

	return name_in(names, sizeof(names) / sizeof(names[0]), state);
}

static void show_text(struct out_table *t, const char *key, const char *text)
{
	if (*text)
		out_str(t, key, "%s", text);
}

static void show_v2(struct out_table *t, const struct nl_attrs *lgr)
{
	struct nl_attrs common, v2;

	if (!nl_nested(lgr, SMCX_LGR_V2_COMMON, &common)) {
		out_str(t, "version", "1");
		return;
	}
	out_str(t, "version", "%u.%u", (unsigned int)nl_num(&common, SMCX_LGR_V2_VER),
		(unsigned int)nl_num(&common, SMCX_LGR_V2_REL));
	show_text(t, "eid", nl_str(&common, SMCX_LGR_V2_EID));
	show_text(t, "peer_host", nl_str(&common, SMCX_LGR_V2_PEER_HOST));
	if (nl_has(&common, SMCX_LGR_V2_OS))
		out_str(t, "peer_os", "%s", os_name(nl_num(&common, SMCX_LGR_V2_OS)));
	if (!nl_nested(lgr, SMCX_LGR_V2, &v2))
		return;
	out_bool(t, "direct", nl_num(&v2, SMCX_LGR_V2_DIRECT));
	if (nl_has(&v2, SMCX_LGR_V2_MAX_CONNS))
		out_num(t, "max_connections", nl_num(&v2, SMCX_LGR_V2_MAX_CONNS));
	if (nl_has(&v2, SMCX_LGR_V2_MAX_LINKS))
		out_num(t, "max_links", nl_num(&v2, SMCX_LGR_V2_MAX_LINKS));
}

static void on_lgr(const struct nlmsghdr *nlh, void *arg)
{
	struct out_table *t = arg;
	struct nl_attrs top, lgr;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_GEN_LGR_SMCR, &lgr))
		return;
	out_row(t);
	out_str(t, "id", "%08x", (unsigned int)nl_num(&lgr, SMCX_LGR_ID));
	out_str(t, "role", "%s", name_of_role(nl_num(&lgr, SMCX_LGR_ROLE)));
	out_str(t, "type", "%s", lgr_type(nl_num(&lgr, SMCX_LGR_TYPE)));
	out_num(t, "connections", nl_num(&lgr, SMCX_LGR_CONNS));
	if (nl_num(&lgr, SMCX_LGR_VLAN_ID))
		out_num(t, "vlan", nl_num(&lgr, SMCX_LGR_VLAN_ID));
	show_text(t, "pnetid", nl_str(&lgr, SMCX_LGR_PNETID));
	if (nl_has(&lgr, SMCX_LGR_SNDBUF))
		out_num(t, "send_bytes", nl_num(&lgr, SMCX_LGR_SNDBUF));
	if (nl_has(&lgr, SMCX_LGR_RMB))
		out_num(t, "receive_bytes", nl_num(&lgr, SMCX_LGR_RMB));
	if (nl_has(&lgr, SMCX_LGR_BUF_TYPE))
		out_str(t, "buffer_type", "%s", buffer_type(nl_num(&lgr, SMCX_LGR_BUF_TYPE)));
	if (nl_has(&lgr, SMCX_LGR_NET_COOKIE))
		out_num(t, "netns_cookie", nl_num(&lgr, SMCX_LGR_NET_COOKIE));
	show_v2(t, &lgr);
}

int cmd_lgr(int argc, char **argv)
{
	struct out_table *t;

	if (argc)
		return usage_error("lgr takes no arguments", argv[0]);
	t = out_table_begin(lgr_columns);
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_LGR_SMCR, on_lgr, t);
	out_table_end(t, "no link groups: none of the connections of now or just before is SMC; see 'smcx sock'");
	return EXIT_FINE;
}

struct walk {
	struct out_table	*table;
	unsigned int		group;
};

static void on_link(const struct nlmsghdr *nlh, void *arg)
{
	struct walk *w = arg;
	struct out_table *t = w->table;
	struct nl_attrs top, in;

	nl_genl_attrs(nlh, &top);
	/* The dump gives a group, then its links. */
	if (nl_nested(&top, SMCX_GEN_LGR_SMCR, &in)) {
		w->group = nl_num(&in, SMCX_LGR_ID);
		return;
	}
	if (!nl_nested(&top, SMCX_GEN_LINK_SMCR, &in))
		return;
	out_row(t);
	out_str(t, "group", "%08x", w->group);
	out_num(t, "link", nl_num(&in, SMCX_LINK_ID));
	out_str(t, "state", "%s", link_state(nl_num(&in, SMCX_LINK_STATE)));
	out_paint(t, "state", nl_num(&in, SMCX_LINK_STATE) == LINK_ACTIVE ? PAINT_GOOD : PAINT_WARN);
	out_str(t, "device", "%s/%u", nl_str(&in, SMCX_LINK_IB_DEV),
		(unsigned int)nl_num(&in, SMCX_LINK_IB_PORT));
	out_num(t, "port", nl_num(&in, SMCX_LINK_IB_PORT));
	out_str(t, "netdev", "%s", name_of_netdev(nl_num(&in, SMCX_LINK_NET_DEV)));
	out_num(t, "connections", nl_num(&in, SMCX_LINK_CONNS));
	out_gid(t, "gid", nl_str(&in, SMCX_LINK_GID), GID_LEN);
	out_gid(t, "peer_gid", nl_str(&in, SMCX_LINK_PEER_GID), GID_LEN);
	out_str(t, "uid", "%08x", ntohl(nl_num(&in, SMCX_LINK_UID)));
	out_str(t, "peer_uid", "%08x", ntohl(nl_num(&in, SMCX_LINK_PEER_UID)));
}

int cmd_link(int argc, char **argv)
{
	struct walk w = { 0 };

	if (argc)
		return usage_error("link takes no arguments", argv[0]);
	w.table = out_table_begin(link_columns);
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_LINK_SMCR, on_link, &w);
	out_table_end(w.table, "no links: there is no link group, see 'smcx lgr'");
	return EXIT_FINE;
}
