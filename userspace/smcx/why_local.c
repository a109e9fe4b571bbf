// SPDX-License-Identifier: GPL-2.0
/* smcx why: the checks of this host. See why.h. */
#include "why.h"

#include <arpa/inet.h>
#include <errno.h>
#include <glob.h>
#include <linux/rtnetlink.h>
#include <linux/smcx_abi.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nl.h"
#include "reason.h"
#include "smcx.h"
#include "words.h"

/* First line of a file, without its newline; "" if it cannot be read. */
static const char *line_of(const char *path, char *buf, int cap)
{
	FILE *f = fopen(path, "r");

	buf[0] = '\0';
	if (!f)
		return buf;
	if (!fgets(buf, cap, f))
		buf[0] = '\0';
	fclose(f);
	buf[strcspn(buf, "\n")] = '\0';
	return buf;
}

bool why_module(struct why *w)
{
	char version[32];

	if (nl_genl_exists(SMCX_GENL_NAME)) {
		line_of("/sys/module/smcx/version", version, sizeof(version));
		why_ok(w, "module", "smcx %s is loaded", version);
		return true;
	}
	if (nl_genl_exists(SMCX_GEN_NAME)) {
		why_ok(w, "module", "in-tree smc is loaded instead of smcx; its reasons are coarser");
		return true;
	}
	why_bad(w, "module", "Load it: 'modprobe smcx'. If that fails, 'dmesg' tells why.",
		"no module with SMC is loaded");
	return false;
}

struct route {
	unsigned int	oif;
	bool		is_local;
	char		src[INET6_ADDRSTRLEN];
	char		gateway[INET6_ADDRSTRLEN];
	int		family;
};

static void on_route(const struct nlmsghdr *nlh, void *arg)
{
	const struct rtmsg *rt = mnl_nlmsg_get_payload(nlh);
	size_t len = 4;
	struct route *r = arg;
	struct nl_attrs attrs;
	const void *data;

	if (nlh->nlmsg_type != RTM_NEWROUTE)
		return;
	nl_msg_attrs(nlh, sizeof(*rt), &attrs);
	len = r->family == AF_INET6 ? 16 : 4;
	r->oif = nl_num(&attrs, RTA_OIF);
	r->is_local = rt->rtm_type == RTN_LOCAL;
	data = nl_data(&attrs, RTA_PREFSRC, len);
	if (data)
		inet_ntop(r->family, data, r->src, sizeof(r->src));
	data = nl_data(&attrs, RTA_GATEWAY, len);
	if (data)
		inet_ntop(r->family, data, r->gateway, sizeof(r->gateway));
}

bool why_route(struct why *w)
{
	const struct sockaddr_in6 *in6 = (const void *)&w->addr;
	const struct sockaddr_in *in = (const void *)&w->addr;
	struct route r = { .family = w->addr.ss_family };
	bool ipv6 = r.family == AF_INET6;
	int err;

	err = nl_route_get(r.family, ipv6 ? (const void *)&in6->sin6_addr : (const void *)&in->sin_addr,
			   ipv6 ? 16 : 4, on_route, &r);
	if (err) {
		why_bad(w, "route", "Add a route, see 'ip route'.", "no route to the peer: %s", strerror(err));
		return false;
	}
	if (r.is_local) {
		why_bad(w, "route", "Try it from another host, or leave local connections on TCP.",
			"the address is this host's own, and no RDMA port belongs to the loopback device");
		return true;
	}
	w->ifindex = r.oif;
	why_ok(w, "route", "by %s%s%s%s%s", name_of_netdev(r.oif), *r.src ? ", from " : "", r.src,
	       *r.gateway ? ", through the gateway " : "", r.gateway);
	return true;
}

/* ---- device ---- */

#define MAX_LEVELS	8	/* of network devices on each other */

struct find {
	struct why	*why;
	char		netdev[IF_NAMESIZE];	/* egress device */
	char		pnetid[32];	/* of it or of one below it, "" = none */
	unsigned int	devices;
	unsigned int	elsewhere;	/* of them in other namespaces */
	bool		active;
};

/* Is @name the device @netdev, or below it (VLAN, bond)? */
static bool runs_on(const char *netdev, const char *name, int levels)
{
	char pattern[64];
	bool found = false;
	glob_t lower;
	size_t i;

	if (!strcmp(netdev, name))
		return true;
	snprintf(pattern, sizeof(pattern), "/sys/class/net/%.15s/lower_*", netdev);
	if (!levels || glob(pattern, 0, NULL, &lower))
		return false;
	for (i = 0; i < lower.gl_pathc && !found; i++)
		found = runs_on(strrchr(lower.gl_pathv[i], '/') + sizeof("/lower_") - 1, name, levels - 1);
	globfree(&lower);
	return found;
}

static void look_at_port(struct find *f, const struct nl_attrs *dev, int port)
{
	struct why *w = f->why;
	struct nl_attrs in;
	bool active, fits;

	if (!nl_nested(dev, SMCX_DEV_PORT + port - 1, &in) || !nl_num(&in, SMCX_PORT_VALID))
		return;
	f->devices++;
	/* in-tree smc cannot tell */
	f->elsewhere += nl_genl_exists(SMCX_GENL_NAME) && !nl_num(&in, SMCX_PORT_NETDEV);
	/* an entry in the PNET table overrides */
	if (*f->pnetid)
		fits = !strcmp(f->pnetid, nl_str(&in, SMCX_PORT_PNETID));
	else
		fits = runs_on(f->netdev, name_of_netdev(nl_num(&in, SMCX_PORT_NETDEV)), MAX_LEVELS);
	active = nl_num(&in, SMCX_PORT_STATE);
	if (!fits || (*w->device && (f->active || !active)))
		return;
	snprintf(w->device, sizeof(w->device), "%s", nl_str(dev, SMCX_DEV_IB_NAME));
	w->port = port;
	f->active = active;
}

static void on_dev(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs top, dev;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_GEN_DEV_SMCR, &dev))
		return;
	look_at_port(arg, &dev, 1);
	look_at_port(arg, &dev, 2);
}

static void on_pnet(const struct nlmsghdr *nlh, void *arg)
{
	struct find *f = arg;
	struct nl_attrs top;

	nl_genl_attrs(nlh, &top);
	if (runs_on(f->netdev, nl_str(&top, SMCX_PNET_ETH), MAX_LEVELS))
		snprintf(f->pnetid, sizeof(f->pnetid), "%s", nl_str(&top, SMCX_PNET_NAME));
}

/* The port's GID table as sysfs has it: a GID of RoCE v2 for IPv4, or any of RoCE v1. */
static void check_gid(struct why *w)
{
	char path[160], gid[64], type[32], text[INET6_ADDRSTRLEN];
	struct in6_addr in6;
	unsigned int i;

	for (i = 0; i < 256; i++) {
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/gids/%u", w->device, w->port, i);
		if (inet_pton(AF_INET6, line_of(path, gid, sizeof(gid)), &in6) != 1 ||
		    IN6_IS_ADDR_UNSPECIFIED(&in6))
			continue;
		snprintf(path, sizeof(path), "/sys/class/infiniband/%s/ports/%u/gid_attrs/types/%u",
			 w->device, w->port, i);
		line_of(path, type, sizeof(type));
		if (!strcmp(type, "RoCE v2") && !IN6_IS_ADDR_V4MAPPED(&in6))
			continue;
		why_ok(w, "GID", "%s, %s", inet_ntop(AF_INET6, &in6, text, sizeof(text)), type);
		return;
	}
	why_bad(w, "GID", reason_cure(SMCX_REASON_LOCAL_NO_GID),
		"%s port %u has no GID for IPv4", w->device, w->port);
}

static void tell_no_device(const struct find *f)
{
	if (!f->devices)
		why_bad(f->why, "device", reason_cure(SMCX_REASON_LOCAL_NO_PORT), "there is no RDMA device for %s", f->netdev);
	else if (*f->pnetid)
		why_bad(f->why, "device", reason_cure(SMCX_REASON_LOCAL_NO_PNET),
			"%s has PNET id %s, none of the %u RDMA ports has", f->netdev, f->pnetid, f->devices);
	else if (f->elsewhere == f->devices)
		why_bad(f->why, "device", reason_cure(SMCX_REASON_LOCAL_NETNS),
			"the %u RDMA ports belong to another network namespace than %s", f->devices, f->netdev);
	else
		why_bad(f->why, "device", reason_cure(SMCX_REASON_LOCAL_NO_PORT),
			"none of the %u RDMA ports belongs to %s", f->devices, f->netdev);
}

void why_device(struct why *w)
{
	struct find f = { .why = w };

	if (!w->ifindex)
		return;
	snprintf(f.netdev, sizeof(f.netdev), "%.15s", name_of_netdev(w->ifindex));
	nl_genl_dump(SMCX_PNET_GENL_NAME, SMCX_PNET_CMD_GET, on_pnet, &f);
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_DEV_SMCR, on_dev, &f);
	if (!*w->device) {
		tell_no_device(&f);
		return;
	}
	why_ok(w, "device", "%s port %u belongs to %s%s%s", w->device, w->port, f.netdev,
	       *f.pnetid ? ", by PNET id " : "", f.pnetid);
	if (!f.active) {
		why_bad(w, "port", reason_cure(SMCX_REASON_LOCAL_PORT_DOWN), "%s port %u is not active",
			w->device, w->port);
		return;
	}
	why_ok(w, "port", "active");
	check_gid(w);
}

struct eids {
	char		text[160];
	unsigned int	n;
};

static void on_eid(const struct nlmsghdr *nlh, void *arg)
{
	struct eids *e = arg;
	size_t len = strlen(e->text);
	struct nl_attrs top;

	nl_genl_attrs(nlh, &top);
	if (!nl_has(&top, SMCX_EID_ENTRY))
		return;
	snprintf(e->text + len, sizeof(e->text) - len, "%s%s", len ? ", " : "", nl_str(&top, SMCX_EID_ENTRY));
	e->n++;
}

void why_eid(struct why *w)
{
	struct eids e = { "", 0 };

	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_DUMP_UEID, on_eid, &e);
	if (e.n)
		why_ok(w, "EID", "%s", e.text);
	else
		why_bad(w, "EID", reason_cure(SMCX_REASON_LOCAL_NO_UEID), "none configured");
}

/* of net.smc.onertt and of net.ipv4.tcp_fastopen */
#define CLIENT_BIT	1

void why_sysctls(struct why *w)
{
	char one[32], fastopen[32];

	line_of("/proc/sys/net/smc/onertt", one, sizeof(one));
	line_of("/proc/sys/net/ipv4/tcp_fastopen", fastopen, sizeof(fastopen));
	/* only smcx has it */
	if (!*one || !*fastopen)
		return;
	w->one_rtt = strtoul(one, NULL, 10) & CLIENT_BIT && strtoul(fastopen, NULL, 10) & CLIENT_BIT;
	if (w->one_rtt)
		why_ok(w, "1-RTT", "net.smc.onertt is %s, net.ipv4.tcp_fastopen is %s: allowed to clients",
		       one, fastopen);
	else
		why_off(w, "1-RTT", "To connect in one round trip, set bit 1 of both; SMC works without.",
			"net.smc.onertt is %s, net.ipv4.tcp_fastopen is %s: two round trips",
			one, fastopen);
}
