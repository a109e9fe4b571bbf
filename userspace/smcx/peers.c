// SPDX-License-Identifier: GPL-2.0
/* smcx peers: servers this host may reach in one round trip, or not by RDMA at all. */
#include <arpa/inet.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "nl.h"
#include "out.h"
#include "smcx.h"

static const struct out_column columns[] = {
	{ "server", "Server", false },
	{ "address", NULL, false },
	{ "port", NULL, false },
	{ "own_address", "From", false },
	{ "state", "State", false },
	{ "seconds", "Seconds", false },
	{ "idle", "Idle", false },
	{ "invitations", "Invited", false },
	{ "tried", "Tried", false },
	{ NULL, NULL, false },
};

static const char *address(const struct nl_attrs *in, int type, char *text)
{
	size_t want = nl_num(in, SMCX_PEER_FAMILY) == AF_INET ? 4 : 16;

	if (!nl_has(in, type) || mnl_attr_get_payload_len(in->a[type]) != want)
		return "?";
	return inet_ntop(want == 4 ? AF_INET : AF_INET6, mnl_attr_get_payload(in->a[type]), text,
			 INET6_ADDRSTRLEN);
}

static void on_peer(const struct nlmsghdr *nlh, void *arg)
{
	char text[INET6_ADDRSTRLEN];
	struct out_table *t = arg;
	struct nl_attrs top, in;
	const char *state = "none";
	uint64_t seconds = 0;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_ATTR_PEER, &in))
		return;
	if (nl_num(&in, SMCX_PEER_BAN)) {
		state = "banned";
		seconds = nl_num(&in, SMCX_PEER_BAN);
	} else if (nl_num(&in, SMCX_PEER_NO_PATH)) {
		state = "no path";
		seconds = nl_num(&in, SMCX_PEER_NO_PATH);
	} else if (nl_num(&in, SMCX_PEER_LOST)) {
		state = "lossy";
		seconds = nl_num(&in, SMCX_PEER_LOST);
	} else if (nl_num(&in, SMCX_PEER_HAS_TOKEN)) {
		state = "invited";
	}
	out_row(t);
	address(&in, SMCX_PEER_ADDR, text);
	out_str(t, "server", strchr(text, ':') ? "[%s]:%u" : "%s:%u", text,
		(unsigned int)nl_num(&in, SMCX_PEER_PORT));
	out_str(t, "address", "%s", text);
	out_num(t, "port", nl_num(&in, SMCX_PEER_PORT));
	out_str(t, "own_address", "%s", address(&in, SMCX_PEER_OWN, text));
	out_str(t, "state", "%s", state);
	if (seconds)
		out_num(t, "seconds", seconds);
	out_num(t, "idle", nl_num(&in, SMCX_PEER_IDLE));
	out_num(t, "invitations", nl_num(&in, SMCX_PEER_LEARNT));
	out_num(t, "tried", nl_num(&in, SMCX_PEER_TRIED));
}

int cmd_peers(int argc, char **argv)
{
	struct out_table *t;

	if (argc == 1 && !strcmp(argv[0], "flush")) {
		nl_genl_begin(SMCX_GENL_NAME, SMCX_CMD_FLUSH_PEERS);
		return finish("forget the servers", "update smcx", "smcx peers");
	}
	if (!is_show(argc, argv))
		return usage_error("peers takes: flush, or show", NULL);
	nl_genl_need(SMCX_GENL_NAME);
	t = out_table_begin(columns);
	nl_genl_dump(SMCX_GENL_NAME, SMCX_CMD_GET_PEERS, on_peer, t);
	out_table_end(t, "no known servers");
	return EXIT_FINE;
}
