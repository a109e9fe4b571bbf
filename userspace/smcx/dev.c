// SPDX-License-Identifier: GPL-2.0
/* smcx dev: RDMA devices, one row a port. */
#include <linux/smcx_abi.h>
#include <stdbool.h>
#include <stdio.h>

#include "nl.h"
#include "out.h"
#include "smcx.h"

static const struct out_column columns[] = {
	{ "device", "Device", false },
	{ "port", "Port", false },
	{ "active", "Active", false },
	{ "netdev", "Netdev", false },
	{ "links", "Links", false },
	{ "pnetid", "PNET", false },
	{ "pnetid_by_user", NULL, false },
	{ "critical", "Critical", false },
	{ "pci_id", "PCI", false },
	{ "pci_fid", NULL, false },
	{ "pci_pchid", NULL, false },
	{ "pci_vendor", NULL, false },
	{ "pci_device", NULL, false },
	{ NULL, NULL, false },
};

/* Virtual devices have none of it. */
static void show_pci(struct out_table *t, const struct nl_attrs *dev)
{
	if (*nl_str(dev, SMCX_DEV_PCI_ID))
		out_str(t, "pci_id", "%s", nl_str(dev, SMCX_DEV_PCI_ID));
	if (nl_has(dev, SMCX_DEV_PCI_FID))
		out_num(t, "pci_fid", nl_num(dev, SMCX_DEV_PCI_FID));
	if (nl_has(dev, SMCX_DEV_PCI_CHID))
		out_num(t, "pci_pchid", nl_num(dev, SMCX_DEV_PCI_CHID));
	if (nl_has(dev, SMCX_DEV_PCI_VENDOR))
		out_str(t, "pci_vendor", "0x%04x", (unsigned int)nl_num(dev, SMCX_DEV_PCI_VENDOR));
	if (nl_has(dev, SMCX_DEV_PCI_DEVICE))
		out_str(t, "pci_device", "0x%04x", (unsigned int)nl_num(dev, SMCX_DEV_PCI_DEVICE));
}

static void show_port(struct out_table *t, const struct nl_attrs *dev, int port)
{
	struct nl_attrs in;

	if (!nl_nested(dev, SMCX_DEV_PORT + port - 1, &in) || !nl_num(&in, SMCX_PORT_VALID))
		return;
	out_row(t);
	out_str(t, "device", "%s", nl_str(dev, SMCX_DEV_IB_NAME));
	out_num(t, "port", port);
	out_bool(t, "active", nl_num(&in, SMCX_PORT_STATE));
	out_paint(t, "active", nl_num(&in, SMCX_PORT_STATE) ? PAINT_GOOD : PAINT_BAD);
	out_str(t, "netdev", "%s", name_of_netdev(nl_num(&in, SMCX_PORT_NETDEV)));
	out_num(t, "links", nl_num(&in, SMCX_PORT_LNK_CNT));
	out_bool(t, "pnetid_by_user", nl_num(&in, SMCX_PORT_PNET_USR));
	if (*nl_str(&in, SMCX_PORT_PNETID))
		out_str(t, "pnetid", "%s", nl_str(&in, SMCX_PORT_PNETID));
	out_bool(t, "critical", nl_num(dev, SMCX_DEV_IS_CRIT));
	show_pci(t, dev);
}

static void on_dev(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs top, dev;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_GEN_DEV_SMCR, &dev))
		return;
	show_port(arg, &dev, 1);
	show_port(arg, &dev, 2);
}

int cmd_dev(int argc, char **argv)
{
	struct out_table *t;

	if (argc)
		return usage_error("dev takes no arguments", argv[0]);
	t = out_table_begin(columns);
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_DEV_SMCR, on_dev, t);
	out_table_end(t, "no RDMA devices: for soft-RoCE, 'rdma link add rxe0 type rxe netdev DEVICE'");
	return EXIT_FINE;
}
