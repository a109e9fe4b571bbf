// SPDX-License-Identifier: GPL-2.0
/*
 * smcnl - a small client of the generic netlink families SMC_GEN_NETLINK and SMC_PNETID
 *
 *   smcnl ueid add NAME | flush
 *   smcnl pnet add ID ETHDEV IBDEV PORT | flush
 *   smcnl stat                  "name value" lines: connections that became SMC, fallbacks, handshake errors, bytes
 *   smcnl lgr                   one line per link group: id, role, connections
 *
 * Independent of the tools under test on purpose, and Debian 12 has no smc-tools.
 */
#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct msg {
	struct nlmsghdr nl;
	struct genlmsghdr ge;
	char attrs[1024];
};

static int sock;

static void die(const char *what, int err)
{
	fprintf(stderr, "smcnl: %s: %s\n", what, strerror(err));
	exit(1);
}

static void msg_init(struct msg *msg, int type, int flags, int cmd)
{
	memset(msg, 0, sizeof(*msg));
	msg->nl.nlmsg_len = NLMSG_LENGTH(GENL_HDRLEN);
	msg->nl.nlmsg_type = type;
	msg->nl.nlmsg_flags = NLM_F_REQUEST | flags;
	msg->ge.cmd = cmd;
	msg->ge.version = 1;
}

static void msg_attr(struct msg *msg, int type, const void *data, size_t len)
{
	struct nlattr *attr = (void *)((char *)msg + NLMSG_ALIGN(msg->nl.nlmsg_len));

	attr->nla_type = type;
	attr->nla_len = NLA_HDRLEN + len;
	memcpy((char *)attr + NLA_HDRLEN, data, len);
	msg->nl.nlmsg_len = NLMSG_ALIGN(msg->nl.nlmsg_len) + NLA_ALIGN(attr->nla_len);
}

typedef void (*reply_fn)(struct nlattr *attrs, int len);

/* Send, and hand every answer to @reply until the closing message; returns its error. */
static int transact(struct msg *msg, reply_fn reply)
{
	static char buf[65536];

	if (send(sock, msg, msg->nl.nlmsg_len, 0) < 0)
		die("send", errno);
	for (;;) {
		int len = recv(sock, buf, sizeof(buf), 0);
		struct nlmsghdr *nl = (void *)buf;

		if (len < 0)
			die("recv", errno);
		for (; NLMSG_OK(nl, len); nl = NLMSG_NEXT(nl, len)) {
			if (nl->nlmsg_type == NLMSG_ERROR)
				return -((struct nlmsgerr *)NLMSG_DATA(nl))->error;
			if (nl->nlmsg_type == NLMSG_DONE)
				return 0;
			if (reply)
				reply((void *)((char *)NLMSG_DATA(nl) + GENL_HDRLEN),
				      nl->nlmsg_len - NLMSG_LENGTH(GENL_HDRLEN));
		}
	}
}

static struct nlattr *find(struct nlattr *attr, int len, int type)
{
	while (len >= NLA_HDRLEN && attr->nla_len >= NLA_HDRLEN && attr->nla_len <= len) {
		if ((attr->nla_type & NLA_TYPE_MASK) == type)
			return attr;
		len -= NLA_ALIGN(attr->nla_len);
		attr = (void *)((char *)attr + NLA_ALIGN(attr->nla_len));
	}
	return NULL;
}

static struct nlattr *nested(struct nlattr *attr, int type)
{
	if (!attr)
		return NULL;
	return find((void *)((char *)attr + NLA_HDRLEN), attr->nla_len - NLA_HDRLEN, type);
}

static uint64_t number(struct nlattr *attr)
{
	uint64_t value = 0;

	if (attr)
		memcpy(&value, (char *)attr + NLA_HDRLEN, attr->nla_len - NLA_HDRLEN);
	return value;
}

static int family_id;

static void on_family(struct nlattr *attrs, int len)
{
	family_id = number(find(attrs, len, CTRL_ATTR_FAMILY_ID));
}

static int family(const char *name)
{
	struct msg msg;
	int err;

	/* An acknowledgement ends the answer. */
	msg_init(&msg, GENL_ID_CTRL, NLM_F_ACK, CTRL_CMD_GETFAMILY);
	msg_attr(&msg, CTRL_ATTR_FAMILY_NAME, name, strlen(name) + 1);
	err = transact(&msg, on_family);
	if (err)
		die(name, err);
	return family_id;
}

static int ueid(int argc, char **argv)
{
	char eid[33];
	struct msg msg;

	if (argc == 2 && !strcmp(argv[0], "add")) {
		snprintf(eid, sizeof(eid), "%-32s", argv[1]);
		msg_init(&msg, family("SMC_GEN_NETLINK"), NLM_F_ACK, 10);
		msg_attr(&msg, 1, eid, sizeof(eid));
		return transact(&msg, NULL);
	}
	if (argc == 1 && !strcmp(argv[0], "flush")) {
		msg_init(&msg, family("SMC_GEN_NETLINK"), NLM_F_ACK, 12);
		return transact(&msg, NULL);
	}
	return EINVAL;
}

static int pnet(int argc, char **argv)
{
	struct msg msg;
	uint8_t port;

	if (argc == 5 && !strcmp(argv[0], "add")) {
		port = atoi(argv[4]);
		msg_init(&msg, family("SMC_PNETID"), NLM_F_ACK, 2);
		msg_attr(&msg, 1, argv[1], strlen(argv[1]) + 1);
		msg_attr(&msg, 2, argv[2], strlen(argv[2]) + 1);
		msg_attr(&msg, 3, argv[3], strlen(argv[3]) + 1);
		msg_attr(&msg, 4, &port, 1);
		return transact(&msg, NULL);
	}
	if (argc == 1 && !strcmp(argv[0], "flush")) {
		msg_init(&msg, family("SMC_PNETID"), NLM_F_ACK, 4);
		return transact(&msg, NULL);
	}
	return EINVAL;
}

static void on_stats(struct nlattr *attrs, int len)
{
	static const struct { const char *name; int type; } fields[] = {
		{ "client_v1", 7 }, { "client_v2", 8 }, { "server_v1", 9 }, { "server_v2", 10 },
		{ "rx_bytes", 16 }, { "tx_bytes", 17 }, { "rx_calls", 18 }, { "tx_calls", 19 },
	};
	struct nlattr *top = find(attrs, len, 7), *smcr = nested(top, 2);
	size_t i;

	for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		printf("%s %llu\n", fields[i].name, (unsigned long long)number(nested(smcr, fields[i].type)));
	printf("client_errors %llu\n", (unsigned long long)number(nested(top, 3)));
	printf("server_errors %llu\n", (unsigned long long)number(nested(top, 4)));
}

static void on_fallback(struct nlattr *attrs, int len)
{
	struct nlattr *top = find(attrs, len, 8);
	unsigned int server = number(nested(top, 1)), reason = number(nested(top, 4));

	if (nested(top, 2))
		printf("server_fallback %llu\n", (unsigned long long)number(nested(top, 2)));
	if (nested(top, 3))
		printf("client_fallback %llu\n", (unsigned long long)number(nested(top, 3)));
	if (reason)
		printf("%s_reason_%08x %llu\n", server ? "server" : "client", reason,
		       (unsigned long long)number(nested(top, 5)));
}

static int stat_show(void)
{
	int id = family("SMC_GEN_NETLINK"), err;
	struct msg msg;

	msg_init(&msg, id, NLM_F_DUMP, 7);
	err = transact(&msg, on_stats);
	if (err)
		return err;
	msg_init(&msg, id, NLM_F_DUMP, 8);
	return transact(&msg, on_fallback);
}

static void on_lgr(struct nlattr *attrs, int len)
{
	struct nlattr *top = find(attrs, len, 2);

	if (top)
		printf("lgr %08x role %llu conns %llu\n", (unsigned int)number(nested(top, 1)),
		       (unsigned long long)number(nested(top, 2)), (unsigned long long)number(nested(top, 6)));
}

static int lgr_show(void)
{
	struct msg msg;

	msg_init(&msg, family("SMC_GEN_NETLINK"), NLM_F_DUMP, 2);
	return transact(&msg, on_lgr);
}

int main(int argc, char **argv)
{
	const char *cmd = argc > 1 ? argv[1] : "";
	int err = EINVAL;

	sock = socket(AF_NETLINK, SOCK_RAW, NETLINK_GENERIC);
	if (sock < 0)
		die("socket", errno);
	if (!strcmp(cmd, "ueid") && argc > 2)
		err = ueid(argc - 2, argv + 2);
	else if (!strcmp(cmd, "pnet") && argc > 2)
		err = pnet(argc - 2, argv + 2);
	else if (!strcmp(cmd, "stat"))
		err = stat_show();
	else if (!strcmp(cmd, "lgr"))
		err = lgr_show();
	if (err)
		die(cmd, err);
	return 0;
}
