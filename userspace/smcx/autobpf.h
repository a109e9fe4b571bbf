/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_AUTOBPF_H
#define SMCX_AUTOBPF_H

/**
 * DOC: The switch in the kernel
 *
 * Kernels from 6.6 on let a BPF program choose the protocol of each socket(): hook
 * update_socket_protocol, made for MPTCP, and there if the kernel has MPTCP and BTF. Ours answers
 * IPPROTO_SMC for plain TCP if a rule holds for the caller and IPPROTO_SMC is registered at
 * that moment: after rmmod new sockets are TCP again, nothing breaks. A port is not known yet in
 * socket(), so there are no rules for ports.
 *
 * Loaded with bpf(2) as it is, so that neither building nor running smcx needs a BPF compiler or
 * library. It stays after smcx ends, held by the file system for BPF objects, until the next boot.
 *
 * All rules are one value that is read, changed and written back, and loading pins three objects:
 * who changes the switch (load, unload, set) holds a lock on /run/smcx-auto.lock. Reading needs none.
 */

#include <linux/types.h>

#define AUTO_RULES	16
#define AUTO_TEXT	116

/**
 * struct auto_rule - who gets SMC
 * @used: 1 = a rule
 * @cgroup: 1 = only callers in the control group of this index in the map, and below
 * @cookie: of the network namespace (SO_NETNS_COOKIE), never used twice; 0 = any
 * @netns: inode number of the namespace, the name that people know; a later one may get it, too
 * @text: path of the control group
 */
struct auto_rule {
	__u32	used, cgroup;
	__u64	cookie;
	__u32	netns;
	char	text[AUTO_TEXT];
};

/** struct auto_rules - value of the only element of the map. @rule: rules. */
struct auto_rules {
	struct auto_rule	rule[AUTO_RULES];
};

/**
 * struct auto_switch - open descriptors of a loaded switch
 * @rules: map of the rules
 * @cgroups: map of the control groups
 */
struct auto_switch {
	int	rules, cgroups;
};

/**
 * auto_open() - the switch that is loaded
 * @s: result
 *
 * Return: 0, -1 with errno: ENOENT none, EXDEV it cannot be seen from this mount namespace.
 */
int auto_open(struct auto_switch *s);

/**
 * auto_load() - load the switch, with no rules; for when auto_open() found none
 * @s: result
 * @why: what failed, in words
 *
 * Return: 0, -1 with errno and @why.
 */
int auto_load(struct auto_switch *s, const char **why);

/** auto_unload() - take the switch out of the kernel. Return: 0, -1 with errno as auto_open(). */
int auto_unload(void);

/** auto_get() - read the rules. @s: switch. @r: result. Return: 0 or -1 with errno. */
int auto_get(const struct auto_switch *s, struct auto_rules *r);
/** auto_set() - replace the rules. @s: switch. @r: rules. Return: 0 or -1 with errno. */
int auto_set(const struct auto_switch *s, const struct auto_rules *r);
/** auto_set_cgroup() - set a rule's control group. @s: switch. @index: of the rule. @fd: its folder. Return: 0 or -1 with errno. */
int auto_set_cgroup(const struct auto_switch *s, __u32 index, int fd);

/**
 * auto_program() - write the BPF program
 * @s: maps
 * @why: what is missing, in words
 * @log: text of the verifier
 * @size: of @log
 *
 * Return: descriptor of the loaded program, -1 with errno and @why.
 */
int auto_program(const struct auto_switch *s, const char **why, char *log, unsigned int size);

/** auto_bpf() - bpf(2). @cmd: command. @attr: arguments. @size: of @attr. Return: as that. */
union bpf_attr;
long auto_bpf(int cmd, union bpf_attr *attr, unsigned int size);

#endif
