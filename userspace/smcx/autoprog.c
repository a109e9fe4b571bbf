// SPDX-License-Identifier: GPL-2.0
/* The BPF program of smcx auto: see autobpf.h. */
#include <errno.h>
#include <linux/bpf.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "autobpf.h"
#include "btf.h"
#include "smcx.h"

#define HOOK		"update_socket_protocol"
#define MAX_INSNS	512
#define MAX_LABELS	64
/* Protocols of one socket type that the kernel has registered; it has four or five. */
#define MAX_PROTOCOLS	16

/* places in the program that jumps go to; a label for each rule follows */
enum { TO_TCP, TO_SMC, TO_LOOP, TO_RULES, TO_SIX, TO_FAMILY, TO_NEXT_RULE };

struct code {
	struct bpf_insn	insn[MAX_INSNS];
	int		n;
	int		label[MAX_LABELS];
	int		target[MAX_INSNS];	/* label of a jump, or -1 */
};

struct places {
	int		hook;			/* BTF id */
	int		nsproxy, net_ns, cookie;
	int		protocol, list;		/* in struct inet_protosw */
	uint64_t	inetsw, inetsw6;	/* heads of the lists for SOCK_STREAM */
};

static void emit(struct code *c, struct bpf_insn insn, int target)
{
	if (c->n == MAX_INSNS)
		return;
	c->target[c->n] = target;
	c->insn[c->n++] = insn;
}

static void op(struct code *c, int code, int dst, int src, int off, int imm)
{
	emit(c, (struct bpf_insn){ .code = code, .dst_reg = dst, .src_reg = src, .off = off, .imm = imm }, -1);
}

static void jump(struct code *c, int condition, int reg, int imm, int label)
{
	emit(c, (struct bpf_insn){ .code = BPF_JMP | condition | BPF_K, .dst_reg = reg, .imm = imm }, label);
}

static void here(struct code *c, int label)
{
	c->label[label] = c->n;
}

static void load(struct code *c, int size, int dst, int src, int off)
{
	op(c, BPF_LDX | size | BPF_MEM, dst, src, off, 0);
}

static void move(struct code *c, int dst, int src)
{
	op(c, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static void set(struct code *c, int dst, int imm)
{
	op(c, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

static void add(struct code *c, int dst, int imm)
{
	op(c, BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm);
}

static void call(struct code *c, int helper)
{
	op(c, BPF_JMP | BPF_CALL, 0, 0, 0, helper);
}

/* 64 bits take two instructions; a map is named by its descriptor. */
static void set64(struct code *c, int dst, int src, uint64_t value)
{
	op(c, BPF_LD | BPF_DW | BPF_IMM, dst, src, 0, value);
	op(c, 0, 0, 0, 0, value >> 32);
}

/* bytes at the address r9 + off into the stack at fp + to */
static void read_kernel(struct code *c, int to, int bytes, int off)
{
	move(c, BPF_REG_1, BPF_REG_10);
	add(c, BPF_REG_1, to);
	set(c, BPF_REG_2, bytes);
	move(c, BPF_REG_3, BPF_REG_9);
	add(c, BPF_REG_3, off);
	call(c, BPF_FUNC_probe_read_kernel);
	jump(c, BPF_JNE, BPF_REG_0, 0, TO_TCP);
}

/* An argument is an int in a 64-bit slot of the context, whose upper half may be anything. */
static void load_argument(struct code *c, int dst, int index)
{
	load(c, BPF_DW, dst, BPF_REG_1, 8 * index);
	op(c, BPF_ALU | BPF_MOV | BPF_X, dst, dst, 0, 0);
}

/* Plain TCP only. */
static void emit_arguments(struct code *c)
{
	load_argument(c, BPF_REG_7, 0);
	load_argument(c, BPF_REG_2, 1);
	load_argument(c, BPF_REG_3, 2);
	op(c, BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_2, 0, 0, 0xf);
	jump(c, BPF_JNE, BPF_REG_2, SOCK_STREAM, TO_TCP);
	jump(c, BPF_JEQ, BPF_REG_3, 0, TO_FAMILY);
	jump(c, BPF_JNE, BPF_REG_3, IPPROTO_TCP, TO_TCP);
	here(c, TO_FAMILY);
}

/* Is IPPROTO_SMC registered now? Only reads the kernel's list, so nothing can go wrong but a wrong answer. */
static void emit_registered(struct code *c, const struct places *p)
{
	jump(c, BPF_JEQ, BPF_REG_7, AF_INET6, TO_SIX);
	jump(c, BPF_JNE, BPF_REG_7, AF_INET, TO_TCP);
	set64(c, BPF_REG_8, 0, p->inetsw);
	emit(c, (struct bpf_insn){ .code = BPF_JMP | BPF_JA }, TO_NEXT_RULE + AUTO_RULES);
	here(c, TO_SIX);
	set64(c, BPF_REG_8, 0, p->inetsw6);
	here(c, TO_NEXT_RULE + AUTO_RULES);
	move(c, BPF_REG_9, BPF_REG_8);
	set(c, BPF_REG_7, MAX_PROTOCOLS);
	here(c, TO_LOOP);
	read_kernel(c, -8, 8, 0);
	load(c, BPF_DW, BPF_REG_9, BPF_REG_10, -8);
	emit(c, (struct bpf_insn){ .code = BPF_JMP | BPF_JEQ | BPF_X, .dst_reg = BPF_REG_9, .src_reg = BPF_REG_8 }, TO_TCP);
	read_kernel(c, -16, 2, p->protocol - p->list);
	load(c, BPF_H, BPF_REG_1, BPF_REG_10, -16);
	jump(c, BPF_JEQ, BPF_REG_1, IPPROTO_SMC, TO_RULES);
	add(c, BPF_REG_7, -1);
	jump(c, BPF_JNE, BPF_REG_7, 0, TO_LOOP);
	emit(c, (struct bpf_insn){ .code = BPF_JMP | BPF_JA }, TO_TCP);
	here(c, TO_RULES);
}

/* r8 = cookie of the caller's namespace, r6 = the rules */
static void emit_lookup(struct code *c, const struct auto_switch *s, const struct places *p)
{
	call(c, BPF_FUNC_get_current_task_btf);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_0, p->nsproxy);
	jump(c, BPF_JEQ, BPF_REG_1, 0, TO_TCP);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_1, p->net_ns);
	jump(c, BPF_JEQ, BPF_REG_1, 0, TO_TCP);
	load(c, BPF_DW, BPF_REG_8, BPF_REG_1, p->cookie);
	op(c, BPF_ST | BPF_W | BPF_MEM, BPF_REG_10, 0, -4, 0);
	set64(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, s->rules);
	move(c, BPF_REG_2, BPF_REG_10);
	add(c, BPF_REG_2, -4);
	call(c, BPF_FUNC_map_lookup_elem);
	jump(c, BPF_JEQ, BPF_REG_0, 0, TO_TCP);
	move(c, BPF_REG_6, BPF_REG_0);
}

static void emit_rule(struct code *c, const struct auto_switch *s, int i)
{
	int at = offsetof(struct auto_rules, rule) + i * sizeof(struct auto_rule), any = TO_NEXT_RULE + AUTO_RULES + 1 + i;

	load(c, BPF_W, BPF_REG_1, BPF_REG_6, at + offsetof(struct auto_rule, used));
	jump(c, BPF_JEQ, BPF_REG_1, 0, TO_NEXT_RULE + i);
	load(c, BPF_DW, BPF_REG_1, BPF_REG_6, at + offsetof(struct auto_rule, cookie));
	jump(c, BPF_JEQ, BPF_REG_1, 0, any);
	emit(c, (struct bpf_insn){ .code = BPF_JMP | BPF_JNE | BPF_X, .dst_reg = BPF_REG_1, .src_reg = BPF_REG_8 },
	     TO_NEXT_RULE + i);
	here(c, any);
	load(c, BPF_W, BPF_REG_1, BPF_REG_6, at + offsetof(struct auto_rule, cgroup));
	jump(c, BPF_JEQ, BPF_REG_1, 0, TO_SMC);
	set64(c, BPF_REG_1, BPF_PSEUDO_MAP_FD, s->cgroups);
	set(c, BPF_REG_2, i);
	call(c, BPF_FUNC_current_task_under_cgroup);
	jump(c, BPF_JEQ, BPF_REG_0, 1, TO_SMC);
	here(c, TO_NEXT_RULE + i);
}

/* 0 lets the kernel's own function answer, which gives the protocol asked for. */
static void write_code(struct code *c, const struct auto_switch *s, const struct places *p)
{
	int i;

	emit_arguments(c);
	emit_registered(c, p);
	emit_lookup(c, s, p);
	for (i = 0; i < AUTO_RULES; i++)
		emit_rule(c, s, i);
	here(c, TO_TCP);
	set(c, BPF_REG_0, 0);
	op(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	here(c, TO_SMC);
	set(c, BPF_REG_0, IPPROTO_SMC);
	op(c, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
	for (i = 0; i < c->n; i++)
		if (c->target[i] >= 0)
			c->insn[i].off = c->label[c->target[i]] - i - 1;
}

/* Address of a variable; 0 if unknown, or hidden from us. */
static uint64_t symbol(const char *name)
{
	FILE *f = fopen("/proc/kallsyms", "r");
	unsigned long long at, found = 0;
	char line[512], word[128];

	while (f && !found && fgets(line, sizeof(line), f))
		if (sscanf(line, "%llx %*c %127s", &at, word) == 2 && !strcmp(word, name))
			found = at;
	if (f)
		fclose(f);
	return found;
}

static int find_places(struct places *p, const char **why)
{
	struct btf_data *btf = btf_open();

	*why = "this kernel has no type information (CONFIG_DEBUG_INFO_BTF); use smc_run";
	if (!btf)
		return -1;
	p->hook = btf_func(btf, HOOK);
	p->nsproxy = btf_offset(btf, "task_struct", "nsproxy");
	p->net_ns = btf_offset(btf, "nsproxy", "net_ns");
	p->cookie = btf_offset(btf, "net", "net_cookie");
	p->protocol = btf_offset(btf, "inet_protosw", "protocol");
	p->list = btf_offset(btf, "inet_protosw", "list");
	btf_close(btf);
	errno = EOPNOTSUPP;
	*why = "this kernel has no hook " HOOK " (6.6 or newer, with MPTCP); use smc_run";
	if (p->hook < 0)
		return -1;
	*why = "this kernel's structures are not as expected; use smc_run";
	if (p->nsproxy < 0 || p->net_ns < 0 || p->cookie < 0 || p->protocol < 0 || p->list < 0)
		return -1;
	p->inetsw = symbol("inetsw");
	p->inetsw6 = symbol("inetsw6");
	*why = "/proc/kallsyms does not tell addresses; set the sysctl kernel.kptr_restrict to 1";
	if (!p->inetsw || !p->inetsw6)
		return -1;
	/* An array of list heads by socket type. */
	p->inetsw += SOCK_STREAM * 2 * sizeof(uint64_t);
	p->inetsw6 += SOCK_STREAM * 2 * sizeof(uint64_t);
	return 0;
}

int auto_program(const struct auto_switch *s, const char **why, char *log, unsigned int size)
{
	static struct code code;
	union bpf_attr attr;
	struct places p;

	if (find_places(&p, why))
		return -1;
	code.n = 0;
	write_code(&code, s, &p);
	memset(&attr, 0, sizeof(attr));
	attr.prog_type = BPF_PROG_TYPE_TRACING;
	attr.expected_attach_type = BPF_MODIFY_RETURN;
	attr.attach_btf_id = p.hook;
	attr.insns = (uintptr_t)code.insn;
	attr.insn_cnt = code.n;
	attr.license = (uintptr_t)"GPL";
	attr.log_buf = (uintptr_t)log;
	attr.log_size = size;
	attr.log_level = log ? 1 : 0;
	strcpy(attr.prog_name, "smcx_auto");
	*why = "the kernel does not take the BPF program";
	return auto_bpf(BPF_PROG_LOAD, &attr, sizeof(attr));
}
