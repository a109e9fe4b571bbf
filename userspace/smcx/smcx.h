/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_SMCX_H
#define SMCX_SMCX_H

/**
 * DOC: The smcx tool
 *
 * One file a group of commands; each command asks the kernel (nl.h) and prints (out.h).
 * Everything is read in in-tree smc's format, so the tool works with either module; what
 * only this module knows comes from its own family and is left out where that is absent.
 */

#include <linux/smcx.h>
#include <stddef.h>
#include <stdint.h>

struct out_table;

/* exit statuses, documented in smcx(8) */
enum {
	EXIT_FINE	= 0,
	EXIT_USAGE	= 1,	/* command line not understood */
	EXIT_KERNEL	= 2,	/* the kernel refused, or gave an error */
	EXIT_NO_SMC	= 3,	/* no module with SMC is loaded */
	EXIT_DENIED	= 4,	/* needs more privileges */
};

/**
 * cmd_*() - a command
 * @argc: number of its own arguments
 * @argv: its own arguments, NULL terminated
 *
 * Return: exit status.
 */
int cmd_sock(int argc, char **argv);
int cmd_lgr(int argc, char **argv);
int cmd_link(int argc, char **argv);
int cmd_dev(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_eid(int argc, char **argv);
int cmd_pnet(int argc, char **argv);
int cmd_decode(int argc, char **argv);

/** usage_error() - complain about a command line. @what: complaint. @word: the word in question or NULL. Return: EXIT_USAGE. */
int usage_error(const char *what, const char *word);

/** name_of_role() - "client" or "server". @role: 0 or 1. */
const char *name_of_role(uint64_t role);

/** name_of_netdev() - interface name of an index. @ifindex: index. Return: static text, "-" if none. */
const char *name_of_netdev(uint64_t ifindex);


/**
 * out_gid() - fill a cell with a GID
 * @t: table
 * @key: column
 * @gid: text as the kernel gives it, with all zeroes; shown in IPv6 notation, easier to compare
 * @len: most characters of it
 */
void out_gid(struct out_table *t, const char *key, const char *gid, size_t len);

#endif
