// SPDX-License-Identifier: GPL-2.0
/*
 * A sockops program that puts every connection a server of this machine gets into a sockmap, as proxies do to
 * take the way round the stack. Says "on" when it is attached, "none" if this kernel has no sockmaps.
 *
 *   sockmap CGROUP2		until it is killed
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PLACES	1024	/* of the map, a power of two; a connection's is its remote port's */
#define INSN(c, d, s, o, i) \
	{ .code = (c), .dst_reg = (d), .src_reg = (s), .off = (o), .imm = (i) }

static int bpf(int cmd, union bpf_attr *attr)
{
	return syscall(SYS_bpf, cmd, attr, sizeof(*attr));
}

static int make_map(void)
{
	union bpf_attr attr = {
		.map_type	= BPF_MAP_TYPE_SOCKMAP,
		.key_size	= sizeof(uint32_t),
		.value_size	= sizeof(uint32_t),
		.max_entries	= PLACES,
	};

	return bpf(BPF_MAP_CREATE, &attr);
}

static int load(int map)
{
	const struct bpf_insn prog[] = {
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_6, BPF_REG_1, 0, 0),
		INSN(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_6, offsetof(struct bpf_sock_ops, op), 0),
		/* over everything else */
		INSN(BPF_JMP | BPF_JNE | BPF_K, BPF_REG_2, 0, 11, BPF_SOCK_OPS_PASSIVE_ESTABLISHED_CB),
		/* network order, in the upper half */
		INSN(BPF_LDX | BPF_MEM | BPF_W, BPF_REG_2, BPF_REG_6,
		     offsetof(struct bpf_sock_ops, remote_port), 0),
		INSN(BPF_ALU64 | BPF_RSH | BPF_K, BPF_REG_2, 0, 0, 16),
		INSN(BPF_ALU64 | BPF_AND | BPF_K, BPF_REG_2, 0, 0, PLACES - 1),
		INSN(BPF_STX | BPF_MEM | BPF_W, BPF_REG_10, BPF_REG_2, -4, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_1, BPF_REG_6, 0, 0),
		INSN(BPF_LD | BPF_DW | BPF_IMM, BPF_REG_2, BPF_PSEUDO_MAP_FD, 0, map),
		INSN(0, 0, 0, 0, 0),
		INSN(BPF_ALU64 | BPF_MOV | BPF_X, BPF_REG_3, BPF_REG_10, 0, 0),
		INSN(BPF_ALU64 | BPF_ADD | BPF_K, BPF_REG_3, 0, 0, -4),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_4, 0, 0, BPF_ANY),
		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, BPF_FUNC_sock_map_update),
		INSN(BPF_ALU64 | BPF_MOV | BPF_K, BPF_REG_0, 0, 0, 1),
		INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0),
	};
	union bpf_attr attr = {
		.prog_type	= BPF_PROG_TYPE_SOCK_OPS,
		.insns		= (uintptr_t)prog,
		.insn_cnt	= sizeof(prog) / sizeof(prog[0]),
		.license	= (uintptr_t)"GPL",
	};

	return bpf(BPF_PROG_LOAD, &attr);
}

int main(int argc, char **argv)
{
	union bpf_attr attr = { .link_create.attach_type = BPF_CGROUP_SOCK_OPS };
	int map = make_map();

	if (argc != 2)
		return 1;
	if (map < 0) {
		puts("none");
		return 0;
	}
	attr.link_create.target_fd = open(argv[1], O_RDONLY | O_DIRECTORY);
	attr.link_create.prog_fd = load(map);
	/* a link ends with us */
	if (bpf(BPF_LINK_CREATE, &attr) < 0) {
		printf("failed: %s\n", strerror(errno));
		return 1;
	}
	close(attr.link_create.target_fd);
	puts("on");
	fflush(stdout);
	pause();
	return 0;
}
