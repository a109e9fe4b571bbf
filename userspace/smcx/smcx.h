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
#include <stdbool.h>
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
	EXIT_IS_TCP	= 5,	/* why: connected, but as TCP */
	EXIT_UNREACHED	= 6,	/* why: cannot connect */
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
int cmd_peers(int argc, char **argv);
int cmd_trust(int argc, char **argv);
int cmd_stat(int argc, char **argv);
int cmd_eid(int argc, char **argv);
int cmd_pnet(int argc, char **argv);
int cmd_why(int argc, char **argv);
int cmd_info(int argc, char **argv);
int cmd_reason(int argc, char **argv);
int cmd_decode(int argc, char **argv);
int cmd_auto(int argc, char **argv);

/** struct options - what was given on the command line, for the commands that know it */
struct options {
	bool	processes;	/* -p */
	bool	setup;		/* -s */
	double	watch;		/* seconds between two rounds, 0 = one round */
	double	delta;		/* seconds to count, 0 = all since the module was loaded */
};

extern struct options options;

/** usage_error() - complain about a command line. @what: complaint. @word: the word in question or NULL. Return: EXIT_USAGE. */
int usage_error(const char *what, const char *word);

/** is_show() - does the command show what there is? @argc, @argv: its own arguments. Return: true for none, or "show". */
bool is_show(int argc, char **argv);

/**
 * finish() - send what nl_genl_begin() began, and complain if the kernel refuses
 * @what: what was to be done
 * @invalid: what to do about EINVAL
 * @list: command that shows what is there
 *
 * Return: exit status.
 */
int finish(const char *what, const char *invalid, const char *list);

/** pause_for() - sleep. @secs: seconds. */
void pause_for(double secs);

/** proc_read() - look which processes have which sockets, for proc_holders(). */
void proc_read(void);

/**
 * proc_holders() - processes that have a socket open
 * @inode: inode of the socket
 * @text: result: "name[pid],name[pid]"
 * @cap: its size
 *
 * Return: process id of the first, 0 if none is known.
 */
int proc_holders(uint64_t inode, char *text, size_t cap);

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
