// SPDX-License-Identifier: GPL-2.0
/* smcx eid, smcx pnet: what can be configured. */
#include <ctype.h>
#include <errno.h>
#include <linux/smcx_abi.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nl.h"
#include "out.h"
#include "smcx.h"

/* IB_DEVICE_NAME_MAX without the end */
#define RDMA_NAME_MAX	63

/* What to do about an error; @invalid explains EINVAL. */
static const char *advice(int err, const char *invalid, const char *list)
{
	static char text[80];

	switch (err) {
	case EINVAL:
		return invalid;
	case EPERM:
	case EACCES:
		/* in a container or namespace */
		if (!geteuid())
			return "it needs CAP_NET_ADMIN, and EIDs and RDMA ports are the host's";
		return "run it as root, or with CAP_NET_ADMIN";
	case ERANGE:
	case ENOSPC:
		return "there is no room for more: remove one first";
	}
	snprintf(text, sizeof(text), "see what is there with '%s'", list);
	return text;
}

int finish(const char *what, const char *invalid, const char *list)
{
	int err = nl_genl_do();

	if (!err)
		return EXIT_FINE;
	fprintf(stderr, "smcx: cannot %s: %s: %s\n", what, strerror(err), advice(err, invalid, list));
	return err == EPERM || err == EACCES ? EXIT_DENIED : EXIT_KERNEL;
}

static const struct out_column eid_columns[] = {
	{ "eid", "EID", false },
	{ "kind", "Kind", false },
	{ "enabled", "Enabled", false },
	{ NULL, NULL, false },
};

static void on_ueid(const struct nlmsghdr *nlh, void *arg)
{
	struct out_table *t = arg;
	struct nl_attrs top;

	nl_genl_attrs(nlh, &top);
	if (!nl_has(&top, SMCX_EID_ENTRY))
		return;
	out_row(t);
	out_str(t, "eid", "%s", nl_str(&top, SMCX_EID_ENTRY));
	out_str(t, "kind", "user");
	out_bool(t, "enabled", true);
}

static void on_seid(const struct nlmsghdr *nlh, void *arg)
{
	struct out_table *t = arg;
	struct nl_attrs top;

	nl_genl_attrs(nlh, &top);
	if (!nl_has(&top, SMCX_SEID_ENTRY))
		return;
	out_row(t);
	out_str(t, "eid", "%s", nl_str(&top, SMCX_SEID_ENTRY));
	out_str(t, "kind", "system");
	out_bool(t, "enabled", nl_num(&top, SMCX_SEID_ENABLED));
}

static int eid_show(void)
{
	struct out_table *t = out_table_begin(eid_columns);

	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_DUMP_UEID, on_ueid, t);
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_DUMP_SEID, on_seid, t);
	out_table_end(t, "no EID: SMC version 2 is not possible; add one with 'smcx eid add'");
	return EXIT_FINE;
}

/* @more: what it may have besides letters and digits, but not first. */
static bool is_name(const char *text, size_t most, const char *more)
{
	size_t i;

	for (i = 0; text[i]; i++)
		if (!isalnum((unsigned char)text[i]) && (!i || !strchr(more, text[i])))
			return false;
	return i && i <= most;
}

static int eid_change(uint8_t cmd, const char *what, const char *eid)
{
	char padded[SMCX_EID_ENTRY_LEN + 1];
	struct nlmsghdr *nlh;
	size_t i;

	if (!is_name(eid, SMCX_EID_ENTRY_LEN, ".-"))
		return usage_error("an EID has 1 to 32 letters, digits, dots and dashes, the first a letter or digit, not",
				   eid);
	snprintf(padded, sizeof(padded), "%-*s", SMCX_EID_ENTRY_LEN, eid);
	for (i = 0; padded[i]; i++)
		padded[i] = toupper((unsigned char)padded[i]);
	nlh = nl_genl_begin(SMCX_GEN_NAME, cmd);
	mnl_attr_put_strz(nlh, SMCX_EID_ENTRY, padded);
	return finish(what, "use letters, digits, dots and dashes, the first a letter or digit", "smcx eid");
}

bool is_show(int argc, char **argv)
{
	return !argc || (argc == 1 && !strcmp(argv[0], "show"));
}

int cmd_eid(int argc, char **argv)
{
	if (is_show(argc, argv))
		return eid_show();
	if (argc == 2 && !strcmp(argv[0], "add"))
		return eid_change(SMCX_GEN_ADD_UEID, "add the EID", argv[1]);
	if (argc == 2 && !strcmp(argv[0], "del"))
		return eid_change(SMCX_GEN_REMOVE_UEID, "remove the EID", argv[1]);
	if (argc == 1 && !strcmp(argv[0], "flush")) {
		nl_genl_begin(SMCX_GEN_NAME, SMCX_GEN_FLUSH_UEID);
		return finish("remove the EIDs", "update smcx", "smcx eid");
	}
	return usage_error("eid takes: add EID, del EID, flush, or show", NULL);
}

#define SMCX_PNET_ID_LEN	16

static const struct out_column pnet_columns[] = {
	{ "pnetid", "PNET", false },
	{ "netdev", "Netdev", false },
	{ "device", "Device", false },
	{ "port", "Port", false },
	{ NULL, NULL, false },
};

static void on_pnet(const struct nlmsghdr *nlh, void *arg)
{
	struct out_table *t = arg;
	struct nl_attrs top;

	nl_genl_attrs(nlh, &top);
	if (!nl_has(&top, SMCX_PNET_NAME))
		return;
	out_row(t);
	out_str(t, "pnetid", "%s", nl_str(&top, SMCX_PNET_NAME));
	if (strcmp(nl_str(&top, SMCX_PNET_ETH), "n/a"))
		out_str(t, "netdev", "%s", nl_str(&top, SMCX_PNET_ETH));
	if (!strcmp(nl_str(&top, SMCX_PNET_IB), "n/a"))
		return;
	out_str(t, "device", "%s", nl_str(&top, SMCX_PNET_IB));
	if (nl_num(&top, SMCX_PNET_PORT) != 255)
		out_num(t, "port", nl_num(&top, SMCX_PNET_PORT));
}

static int pnet_show(void)
{
	struct out_table *t = out_table_begin(pnet_columns);

	nl_genl_dump(SMCX_PNET_GENL_NAME, SMCX_PNET_CMD_GET, on_pnet, t);
	out_table_end(t, "no PNET entries: RDMA ports are found from the route");
	return EXIT_FINE;
}

/* The kernel takes an entry for a device to come. A typing error looks the same. */
static void warn_absent(const char *eth, const char *ib)
{
	static const char warning[] = "smcx: no such device now: '%s'; the entry waits for one of that name\n";
	char path[128];

	if (eth && !if_nametoindex(eth))
		fprintf(stderr, warning, eth);
	snprintf(path, sizeof(path), "/sys/class/infiniband/%s", ib ? ib : "");
	if (ib && access(path, F_OK))
		fprintf(stderr, warning, ib);
}

/* Any name that a device may have; the kernel judges the rest. */
static bool is_device(const char *name, size_t most)
{
	return !name || (*name && strlen(name) <= most);
}

static int bad_pnet_id(const char *id)
{
	return usage_error("an id has 1 to 16 letters and digits, not", id);
}

static int pnet_del(const char *id)
{
	struct nlmsghdr *nlh;

	if (!is_name(id, SMCX_PNET_ID_LEN, ""))
		return bad_pnet_id(id);
	nlh = nl_genl_begin(SMCX_PNET_GENL_NAME, SMCX_PNET_CMD_DEL);
	mnl_attr_put_strz(nlh, SMCX_PNET_NAME, id);
	return finish("remove the PNET entry", "give an id of 1 to 16 letters and digits", "smcx pnet");
}

/* ID [eth NAME] [ib NAME [port N]] */
static int pnet_add(char **argv)
{
	const char *id = *argv++, *eth = NULL, *ib = NULL, *port = NULL;
	struct nlmsghdr *nlh;
	char *end = NULL;
	long n = 0;
	int rc;

	for (; *argv; argv += 2) {
		const char **to = !strcmp(*argv, "eth") ? &eth : !strcmp(*argv, "ib") ? &ib :
				  !strcmp(*argv, "port") ? &port : NULL;

		if (!to || !argv[1])
			return usage_error(to ? "a name is missing after" : "unknown word", *argv);
		*to = argv[1];
	}
	if (!is_name(id, SMCX_PNET_ID_LEN, ""))
		return bad_pnet_id(id);
	if (!is_device(eth, IF_NAMESIZE - 1))
		return usage_error("a network device's name has 1 to 15 characters, not", eth);
	if (!is_device(ib, RDMA_NAME_MAX))
		return usage_error("an RDMA device's name has 1 to 63 characters, not", ib);
	if (!eth && !ib)
		return usage_error("pnet add needs eth NAME or ib NAME", NULL);
	if (port)
		n = strtol(port, &end, 10);
	if (port && (!ib || *end || n < 1 || n > 2))
		return usage_error("port is 1 or 2, of an RDMA device named by ib", port);
	nlh = nl_genl_begin(SMCX_PNET_GENL_NAME, SMCX_PNET_CMD_ADD);
	mnl_attr_put_strz(nlh, SMCX_PNET_NAME, id);
	if (eth)
		mnl_attr_put_strz(nlh, SMCX_PNET_ETH, eth);
	if (ib)
		mnl_attr_put_strz(nlh, SMCX_PNET_IB, ib);
	if (port)
		mnl_attr_put_u8(nlh, SMCX_PNET_PORT, n);
	rc = finish("add the PNET entry", "give the names of devices as ip link and rdma link show them", "smcx pnet");
	if (rc == EXIT_FINE)
		warn_absent(eth, ib);
	return rc;
}

int cmd_pnet(int argc, char **argv)
{
	if (is_show(argc, argv))
		return pnet_show();
	if (argc >= 2 && !strcmp(argv[0], "add"))
		return pnet_add(argv + 1);
	if (argc == 2 && !strcmp(argv[0], "del"))
		return pnet_del(argv[1]);
	if (argc == 1 && !strcmp(argv[0], "flush")) {
		nl_genl_begin(SMCX_PNET_GENL_NAME, SMCX_PNET_CMD_FLUSH);
		return finish("remove the PNET entries", "update smcx", "smcx pnet");
	}
	return usage_error("pnet takes: add ID [eth NAME] [ib NAME [port N]], del ID, flush, or show", NULL);
}
