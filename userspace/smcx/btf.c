// SPDX-License-Identifier: GPL-2.0
/* The little of BTF that smcx auto needs: functions by name, members of structures. */
#include "btf.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/btf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define KERNEL_BTF	"/sys/kernel/btf/vmlinux"

struct btf_data {
	size_t			size;
	const char		*types, *types_end, *strings;
	struct btf_header	head;
	char			bytes[];
};

/* What follows struct btf_type, by its kind; -1 = a kind from the future. */
static long extra(const struct btf_type *t)
{
	size_t n = BTF_INFO_VLEN(t->info);

	switch (BTF_INFO_KIND(t->info)) {
	case BTF_KIND_PTR: case BTF_KIND_FWD: case BTF_KIND_TYPEDEF: case BTF_KIND_VOLATILE: case BTF_KIND_CONST:
	case BTF_KIND_RESTRICT: case BTF_KIND_FUNC: case BTF_KIND_FLOAT: case BTF_KIND_TYPE_TAG:
		return 0;
	case BTF_KIND_INT: case BTF_KIND_VAR: case BTF_KIND_DECL_TAG:
		return sizeof(__u32);
	case BTF_KIND_ARRAY:
		return sizeof(struct btf_array);
	case BTF_KIND_STRUCT: case BTF_KIND_UNION:
		return n * sizeof(struct btf_member);
	case BTF_KIND_ENUM:
		return n * sizeof(struct btf_enum);
	case BTF_KIND_FUNC_PROTO:
		return n * sizeof(struct btf_param);
	case BTF_KIND_DATASEC:
		return n * sizeof(struct btf_var_secinfo);
	case BTF_KIND_ENUM64:
		return n * sizeof(struct btf_enum64);
	default:
		return -1;
	}
}

static bool check(struct btf_data *btf)
{
	const char *end = btf->bytes + btf->size;
	const char *strings_end;

	if (btf->size < sizeof(btf->head))
		return false;
	memcpy(&btf->head, btf->bytes, sizeof(btf->head));
	if (btf->head.magic != BTF_MAGIC || btf->head.hdr_len > btf->size)
		return false;
	btf->types = btf->bytes + btf->head.hdr_len + btf->head.type_off;
	btf->types_end = btf->types + btf->head.type_len;
	btf->strings = btf->bytes + btf->head.hdr_len + btf->head.str_off;
	strings_end = btf->strings + btf->head.str_len;
	return btf->types_end <= end && strings_end <= end && btf->head.str_len && !strings_end[-1];
}

static bool read_all(int fd, char *to, size_t size)
{
	ssize_t n = 1;

	for (; size && (n = read(fd, to, size)) > 0; size -= n)
		to += n;
	return !size;
}

struct btf_data *btf_open(void)
{
	int fd = open(KERNEL_BTF, O_RDONLY | O_CLOEXEC);
	struct btf_data *btf = NULL;
	struct stat st;

	if (fd < 0)
		return NULL;
	if (!fstat(fd, &st))
		btf = malloc(sizeof(*btf) + st.st_size);
	if (btf) {
		btf->size = st.st_size;
		if (!read_all(fd, btf->bytes, btf->size) || !check(btf)) {
			free(btf);
			btf = NULL;
			errno = EBADMSG;
		}
	}
	close(fd);
	return btf;
}

void btf_close(struct btf_data *btf)
{
	free(btf);
}

/* Type of this kind and name, and its id. */
static const struct btf_type *find(const struct btf_data *btf, unsigned int kind, const char *name, int *id)
{
	const char *at = btf->types;

	for (*id = 1; at + sizeof(struct btf_type) <= btf->types_end; (*id)++) {
		const struct btf_type *t = (const struct btf_type *)at;
		long more = extra(t);

		if (more < 0 || at + sizeof(*t) + more > btf->types_end)
			break;
		if (BTF_INFO_KIND(t->info) == kind && t->name_off < btf->head.str_len &&
		    !strcmp(btf->strings + t->name_off, name))
			return t;
		at += sizeof(*t) + more;
	}
	return NULL;
}

int btf_func(const struct btf_data *btf, const char *name)
{
	int id;

	return find(btf, BTF_KIND_FUNC, name, &id) ? id : -1;
}

int btf_offset(const struct btf_data *btf, const char *type, const char *member)
{
	const struct btf_type *t;
	const struct btf_member *m;
	unsigned int i, bits;
	int id;

	t = find(btf, BTF_KIND_STRUCT, type, &id);
	if (!t)
		return -1;
	m = (const struct btf_member *)(t + 1);
	for (i = 0; i < BTF_INFO_VLEN(t->info); i++) {
		if (m[i].name_off >= btf->head.str_len || strcmp(btf->strings + m[i].name_off, member))
			continue;
		bits = BTF_INFO_KFLAG(t->info) ? BTF_MEMBER_BIT_OFFSET(m[i].offset) : m[i].offset;
		return bits / 8;
	}
	return -1;
}
