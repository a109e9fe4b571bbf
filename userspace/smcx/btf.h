/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BTF_H
#define SMCX_BTF_H

struct btf_data;

/** btf_open() - read the type information of the running kernel. Return: it, or NULL with errno; btf_close() frees it. */
struct btf_data *btf_open(void);
/** btf_close() - free. @btf: from btf_open(), or NULL. */
void btf_close(struct btf_data *btf);

/** btf_func() - id of a function. @btf: types. @name: its name. Return: id, or -1 if there is none. */
int btf_func(const struct btf_data *btf, const char *name);

/**
 * btf_offset() - where a member stands in a structure
 * @btf: types
 * @type: name of the structure
 * @member: name of a member of itself, not of an unnamed structure in it
 *
 * Return: offset in bytes, or -1 if there is none.
 */
int btf_offset(const struct btf_data *btf, const char *type, const char *member);

#endif
