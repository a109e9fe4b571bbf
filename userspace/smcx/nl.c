// SPDX-License-Identifier: GPL-2.0
/* Netlink: see nl.h. */
#include "nl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/rtnetlink.h>
#include <linux/smcx_abi.h>
#include <linux/sock_diag.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "smcx.h"

#define BUF_SIZE	32768
#define MAX_FAMILIES	4

static char request[4096] __attribute__((aligned(8)));
static uint32_t next_seq;

struct family {
	char		name[32];
	uint16_t	id;
};

struct sink {
	nl_fn	fn;
	void	*arg;
};

static void fail(const char *what)
{
	bool denied = errno == EPERM || errno == EACCES;

	fprintf(stderr, "smcx: %s: %s. %s\n", what, strerror(errno),
		denied ? "Run it as root." : "See 'dmesg'; the module and smcx should be of one version.");
	exit(denied ? EXIT_DENIED : EXIT_KERNEL);
}

static struct mnl_socket *open_as[NETLINK_GENERIC + 1];

static struct mnl_socket *bus(int protocol)
{
	struct mnl_socket *nl = open_as[protocol];

	if (nl)
		return nl;
	nl = mnl_socket_open(protocol);
	if (!nl || mnl_socket_bind(nl, 0, MNL_SOCKET_AUTOPID) < 0)
		fail("cannot open a netlink socket");
	open_as[protocol] = nl;
	return nl;
}

static int hand_over(const struct nlmsghdr *nlh, void *arg)
{
	struct sink *sink = arg;

	sink->fn(nlh, sink->arg);
	return MNL_CB_OK;
}

/* Unread messages must not be taken for the answer to the next request. */
static int give_up(int protocol, int err)
{
	mnl_socket_close(open_as[protocol]);
	open_as[protocol] = NULL;
	return err;
}

/* Sends what stands in @nlh; 0, or a positive errno. */
static int transact(int protocol, struct nlmsghdr *nlh, struct sink *sink)
{
	struct mnl_socket *nl = bus(protocol);
	static char buf[BUF_SIZE] __attribute__((aligned(8)));
	unsigned int port = mnl_socket_get_portid(nl);
	int rc = MNL_CB_OK;

	nlh->nlmsg_seq = ++next_seq;
	if (mnl_socket_sendto(nl, nlh, nlh->nlmsg_len) < 0)
		return give_up(protocol, errno);
	while (rc == MNL_CB_OK) {
		ssize_t len = mnl_socket_recvfrom(nl, buf, sizeof(buf));

		if (len < 0)
			return give_up(protocol, errno);
		rc = mnl_cb_run(buf, len, next_seq, port, sink ? hand_over : NULL, sink);
	}
	return rc < 0 ? give_up(protocol, errno) : 0;
}

/* The kernel says so with EINTR; there is no better list to be had of what keeps changing. */
static bool is_dumped(int err)
{
	if (err == EINTR)
		fputs("smcx: something changed meanwhile: the list may be incomplete; run it again\n", stderr);
	return !err || err == EINTR;
}

static void on_family(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs attrs;

	nl_genl_attrs(nlh, &attrs);
	*(uint16_t *)arg = nl_num(&attrs, CTRL_ATTR_FAMILY_ID);
}

static struct nlmsghdr *genl_request(uint16_t id, uint8_t cmd, uint8_t version, uint16_t flags)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);
	struct genlmsghdr *ge;

	nlh->nlmsg_type = id;
	nlh->nlmsg_flags = NLM_F_REQUEST | flags;
	ge = mnl_nlmsg_put_extra_header(nlh, sizeof(*ge));
	ge->cmd = cmd;
	ge->version = version;
	return nlh;
}

static uint16_t ask_for_family(const char *name)
{
	uint16_t id = 0;
	struct sink sink = { on_family, &id };
	struct nlmsghdr *nlh = genl_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 1, NLM_F_ACK);

	mnl_attr_put_strz(nlh, CTRL_ATTR_FAMILY_NAME, name);
	return transact(NETLINK_GENERIC, nlh, &sink) ? 0 : id;
}

static uint16_t family_id(const char *name)
{
	static struct family known[MAX_FAMILIES];
	struct family *f;
	uint16_t id;

	for (f = known; f < known + MAX_FAMILIES && f->id; f++)
		if (!strcmp(f->name, name))
			return f->id;
	id = ask_for_family(name);
	/* the kernel loads a module for the family that in-tree smc has, too; its other families come with it */
	if (!id && ask_for_family(SMCX_GEN_NAME))
		id = ask_for_family(name);
	if (id && f < known + MAX_FAMILIES) {
		snprintf(f->name, sizeof(f->name), "%s", name);
		f->id = id;
	}
	return id;
}

bool nl_genl_exists(const char *family)
{
	return family_id(family) != 0;
}

uint16_t nl_genl_need(const char *name)
{
	uint16_t id = family_id(name);

	if (id)
		return id;
	if (family_id(SMCX_GEN_NAME))
		fputs("smcx: in-tree smc is loaded, which cannot do this: stop its users, then 'modprobe -r smc_diag smc; modprobe smcx'\n",
		      stderr);
	else
		fputs("smcx: no module with SMC is loaded: load it with 'modprobe smcx'\n", stderr);
	exit(EXIT_NO_SMC);
}

void nl_genl_dump(const char *family, uint8_t cmd, nl_fn fn, void *arg)
{
	uint16_t id = nl_genl_need(family);
	struct sink sink = { fn, arg };

	errno = transact(NETLINK_GENERIC, genl_request(id, cmd, 1, NLM_F_DUMP), &sink);
	if (!is_dumped(errno))
		fail("the module does not answer");
}

struct nlmsghdr *nl_genl_begin(const char *family, uint8_t cmd)
{
	return genl_request(nl_genl_need(family), cmd, 1, NLM_F_ACK);
}

int nl_genl_do(void)
{
	return transact(NETLINK_GENERIC, (struct nlmsghdr *)request, NULL);
}

static int diag_dump(uint8_t ext, nl_fn fn, void *arg)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);
	struct sink sink = { fn, arg };
	struct smcx_diag_req *req;

	nlh->nlmsg_type = SOCK_DIAG_BY_FAMILY;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	req = mnl_nlmsg_put_extra_header(nlh, sizeof(*req));
	req->family = AF_SMC;
	req->ext = ext;
	return transact(NETLINK_SOCK_DIAG, nlh, &sink);
}

static bool is_unlisted(int err)
{
	return err == ENOENT || err == EOPNOTSUPP;
}

bool nl_diag_try_dump(uint8_t ext, nl_fn fn, void *arg)
{
	errno = diag_dump(ext, fn, arg);
	/* the kernel loads nothing for sockets of a family that it does not have yet */
	if (is_unlisted(errno) && nl_genl_exists(SMCX_GENL_NAME))
		errno = diag_dump(ext, fn, arg);
	if (is_dumped(errno))
		return true;
	if (!is_unlisted(errno))
		fail("cannot list SMC sockets");
	return false;
}

void nl_diag_dump(uint8_t ext, nl_fn fn, void *arg)
{
	if (nl_diag_try_dump(ext, fn, arg))
		return;
	fprintf(stderr, "smcx: no module that lists SMC sockets is loaded: load it with 'modprobe %s'\n",
		nl_genl_exists(SMCX_GEN_NAME) ? "smc_diag" : "smcx");
	exit(EXIT_NO_SMC);
}

int nl_route_get(int family, const void *addr, size_t len, nl_fn fn, void *arg)
{
	struct nlmsghdr *nlh = mnl_nlmsg_put_header(request);
	struct sink sink = { fn, arg };
	struct rtmsg *rt;

	nlh->nlmsg_type = RTM_GETROUTE;
	nlh->nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK;
	rt = mnl_nlmsg_put_extra_header(nlh, sizeof(*rt));
	rt->rtm_family = family;
	rt->rtm_dst_len = len * 8;
	mnl_attr_put(nlh, RTA_DST, len, addr);
	return transact(NETLINK_ROUTE, nlh, &sink);
}

static int collect(const struct nlattr *attr, void *arg)
{
	struct nl_attrs *out = arg;
	uint16_t type = mnl_attr_get_type(attr);

	if (type < sizeof(out->a) / sizeof(out->a[0]))
		out->a[type] = attr;
	return MNL_CB_OK;
}

void nl_msg_attrs(const struct nlmsghdr *nlh, size_t head, struct nl_attrs *out)
{
	memset(out, 0, sizeof(*out));
	if (mnl_nlmsg_get_payload_len(nlh) >= head)
		mnl_attr_parse(nlh, head, collect, out);
}

void nl_genl_attrs(const struct nlmsghdr *nlh, struct nl_attrs *out)
{
	nl_msg_attrs(nlh, GENL_HDRLEN, out);
}

bool nl_nested(const struct nl_attrs *in, int type, struct nl_attrs *out)
{
	memset(out, 0, sizeof(*out));
	if (!in->a[type])
		return false;
	mnl_attr_parse_nested(in->a[type], collect, out);
	return true;
}

bool nl_has(const struct nl_attrs *in, int type)
{
	return in->a[type] != NULL;
}

uint64_t nl_num(const struct nl_attrs *in, int type)
{
	const struct nlattr *attr = in->a[type];

	switch (attr ? mnl_attr_get_payload_len(attr) : 0) {
	case 1:
		return mnl_attr_get_u8(attr);
	case 2:
		return mnl_attr_get_u16(attr);
	case 4:
		return mnl_attr_get_u32(attr);
	case 8:
		return mnl_attr_get_u64(attr);
	}
	return 0;
}

const char *nl_str(const struct nl_attrs *in, int type)
{
	static char text[32][256];
	size_t len = 0;

	if (in->a[type])
		len = mnl_attr_get_payload_len(in->a[type]);
	if (len >= sizeof(text[0]))
		len = sizeof(text[0]) - 1;
	if (len)
		memcpy(text[type], mnl_attr_get_payload(in->a[type]), len);
	text[type][len] = '\0';
	len = strlen(text[type]);
	while (len && text[type][len - 1] == ' ')
		text[type][--len] = '\0';
	return text[type];
}

const void *nl_data(const struct nl_attrs *in, int type, size_t size)
{
	if (!in->a[type] || mnl_attr_get_payload_len(in->a[type]) < size)
		return NULL;
	return mnl_attr_get_payload(in->a[type]);
}
