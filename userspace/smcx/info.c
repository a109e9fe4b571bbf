// SPDX-License-Identifier: GPL-2.0
/* smcx info: this host. smcx reason: every reason for TCP, with cause and cure. */
#include <linux/smcx_abi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "nl.h"
#include "out.h"
#include "reason.h"
#include "smcx.h"
#include "words.h"

static void on_sys(const struct nlmsghdr *nlh, void *arg)
{
	char version[16];
	struct nl_attrs top, in;

	nl_genl_attrs(nlh, &top);
	if (!nl_nested(&top, SMCX_GEN_SYS_INFO, &in))
		return;
	snprintf(version, sizeof(version), "%u.%u", (unsigned int)nl_num(&in, SMCX_SYS_VER),
		 (unsigned int)nl_num(&in, SMCX_SYS_REL));
	out_text("smc_version", version);
	out_text("host", nl_str(&in, SMCX_SYS_LOCAL_HOST));
	out_text("smcr_v2", nl_num(&in, SMCX_SYS_IS_SMCR_V2) ? "yes" : "no");
	out_text("smcd_v2", nl_num(&in, SMCX_SYS_IS_ISM_V2) ? "yes" : "no");
	if (nl_has(&in, SMCX_SYS_SEID))
		out_text("seid", nl_str(&in, SMCX_SYS_SEID));
}

static void on_limit(const struct nlmsghdr *nlh, void *arg)
{
	struct nl_attrs top;

	nl_genl_attrs(nlh, &top);
	out_text("handshake_limitation", nl_num(&top, SMCX_HS_LIMITED) ? "yes" : "no");
}

/* The source that the loaded module was built from: the file that modprobe would take may be newer. */
static void show_loaded(const char *module)
{
	char path[64], text[64] = "";
	FILE *f;

	snprintf(path, sizeof(path), "/sys/module/%s/srcversion", module);
	f = fopen(path, "r");
	if (f && fgets(text, sizeof(text), f)) {
		text[strcspn(text, "\n")] = '\0';
		out_text("module_source", text);
	}
	if (f)
		fclose(f);
}

int cmd_info(int argc, char **argv)
{
	bool own = nl_genl_exists(SMCX_GENL_NAME);

	if (argc)
		return usage_error("info takes no arguments", argv[0]);
	nl_genl_need(SMCX_GEN_NAME);
	out_map_begin();
	out_group("host");
	out_text("module", own ? "smcx" : "smc");
	show_loaded(own ? "smcx" : "smc");
	out_text("tool", SMCX_VERSION);
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_GET_SYS_INFO, on_sys, NULL);
	nl_genl_dump(SMCX_GEN_NAME, SMCX_GEN_DUMP_HS_LIMITATION, on_limit, NULL);
	out_map_end();
	return EXIT_FINE;
}

static const struct out_column columns[] = {
	{ "reason", "Reason", false },
	{ "code", "Code", false },
	{ "on_wire", NULL, false },
	{ "cause", "cause", true },
	{ "cure", "what to do", true },
	{ NULL, NULL, false },
};

static void show_reason(struct out_table *t, uint32_t code)
{
	out_row(t);
	out_str(t, "reason", "%s", smcx_reason_name(code));
	out_str(t, "code", "0x%08x", code);
	out_bool(t, "on_wire", code && !smcx_reason_is_local(code));
	out_str(t, "cause", "%s", reason_cause(code));
	out_str(t, "cure", "%s", reason_cure(code));
}

/* A name, or a number as SMC tools and logs have it. */
static bool is_meant(const char *word, uint32_t code)
{
	char *end;
	unsigned long n = strtoul(word, &end, 0);

	return !strcasecmp(word, smcx_reason_name(code)) || (*word && !*end && n == code);
}

int cmd_reason(int argc, char **argv)
{
	struct out_table *t = out_table_begin(columns);
	unsigned int i, shown;
	bool found = true;
	uint32_t code;

	do {
		shown = 0;
		for (i = 0; code = smcx_reason_at(i, &found), found; i++) {
			if (argc && !is_meant(*argv, code))
				continue;
			show_reason(t, code);
			shown++;
		}
		if (argc && !shown)
			return usage_error("no such reason, see 'smcx reason' for all", *argv);
	} while (argc && *++argv);
	out_table_end(t, "");
	return EXIT_FINE;
}
