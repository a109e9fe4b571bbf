// SPDX-License-Identifier: GPL-2.0
/* See option.h: a BPF program on a control group. */
#define _GNU_SOURCE
#include "option.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ROOT "/sys/fs/cgroup"
#define GROUP ROOT "/hostile"
#define TCP_SYN 0x02
#define OPTION_LEN 6

#define INSN(c, d, s, o, i) { .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (int)(i) }
#define MOV(d, i) INSN(BPF_ALU64 | BPF_MOV | BPF_K, d, 0, 0, i)
#define MOVR(d, s) INSN(BPF_ALU64 | BPF_MOV | BPF_X, d, s, 0, 0)
#define LOAD(d, field) INSN(BPF_LDX | BPF_MEM | BPF_W, d, 6, offsetof(struct bpf_sock_ops, field), 0)
#define JEQ(d, i, o) INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, i)
#define JNE(d, i, o) INSN(BPF_JMP | BPF_JNE | BPF_K, d, 0, o, i)
#define JUNSET(d, o) INSN(BPF_JMP | BPF_JEQ | BPF_K, d, 0, o, 0)
#define AND(d, i) INSN(BPF_ALU64 | BPF_AND | BPF_K, d, 0, 0, i)
#define CALL(f) INSN(BPF_JMP | BPF_CALL, 0, 0, 0, f)
#define JA(o) INSN(BPF_JMP | BPF_JA, 0, 0, o, 0)
#define EXIT INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

static const struct bpf_insn prog[] = {
	/*  0 */ MOVR(6, 1),
	/*  1 */ LOAD(7, op),
	/*  2 */ JEQ(7, BPF_SOCK_OPS_TCP_CONNECT_CB, 1),
	/*  3 */ JNE(7, BPF_SOCK_OPS_TCP_LISTEN_CB, 4),
	/*  4 */ MOVR(1, 6),
	/*  5 */ MOV(2, BPF_SOCK_OPS_WRITE_HDR_OPT_CB_FLAG),
	/*  6 */ CALL(BPF_FUNC_sock_ops_cb_flags_set),
	/*  7 */ JA(18),
	/*  8 */ JEQ(7, BPF_SOCK_OPS_HDR_OPT_LEN_CB, 1),
	/*  9 */ JNE(7, BPF_SOCK_OPS_WRITE_HDR_OPT_CB, 16),
	/* 10 */ LOAD(8, skb_tcp_flags),
	/* 11 */ AND(8, TCP_SYN),
	/* 12 */ JUNSET(8, 13),
	/* 13 */ MOVR(1, 6),
	/* 14 */ JNE(7, BPF_SOCK_OPS_HDR_OPT_LEN_CB, 4),
	/* 15 */ MOV(2, OPTION_LEN),
	/* 16 */ MOV(3, 0),
	/* 17 */ CALL(BPF_FUNC_reserve_hdr_opt),
	/* 18 */ JA(7),
	/* 19: kind, length and "SMCR" as EBCDIC */
		 INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -8, 0xd4e206fe),
	/* 20 */ INSN(BPF_ST | BPF_MEM | BPF_W, 10, 0, -4, 0xd9c3),
	/* 21 */ MOVR(2, 10),
	/* 22 */ INSN(BPF_ALU64 | BPF_ADD | BPF_K, 2, 0, 0, -8),
	/* 23 */ MOV(3, OPTION_LEN),
	/* 24 */ MOV(4, 0),
	/* 25 */ CALL(BPF_FUNC_store_hdr_opt),
	/* 26 */ MOV(0, 1),
	/* 27 */ EXIT,
};

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static bool join(const char *group)
{
	char path[64];
	int fd;
	bool ok;

	snprintf(path, sizeof(path), "%s/cgroup.procs", group);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	ok = fd >= 0 && write(fd, "0", 1) == 1;
	if (fd >= 0)
		close(fd);
	return ok;
}

static bool attach(void)
{
	static char log[4096];
	union bpf_attr load = {
		.prog_type = BPF_PROG_TYPE_SOCK_OPS,
		.insns = (uintptr_t)prog,
		.insn_cnt = sizeof(prog) / sizeof(prog[0]),
		.license = (uintptr_t)"GPL",
		.log_buf = (uintptr_t)log,
		.log_size = sizeof(log),
		.log_level = 1,
	};
	union bpf_attr at = { .attach_type = BPF_CGROUP_SOCK_OPS };

	at.attach_bpf_fd = bpf(BPF_PROG_LOAD, &load);
	at.target_fd = open(GROUP, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if ((int)at.attach_bpf_fd < 0 || (int)at.target_fd < 0 || bpf(BPF_PROG_ATTACH, &at)) {
		perror("hostile: BPF");
		fputs(log, stderr);
		return false;
	}
	close(at.attach_bpf_fd);
	close(at.target_fd);
	return true;
}

/* option_on() - sockets made from here on, by us and our children, offer SMC as a listener's and as a client's. */
bool option_on(void)
{
	mkdir(GROUP, 0755);
	return attach() && join(GROUP);
}

/* option_off() - the group goes, and the program with it. */
void option_off(void)
{
	join(ROOT);
	rmdir(GROUP);
}
