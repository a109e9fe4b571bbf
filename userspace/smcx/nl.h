/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_NL_H
#define SMCX_NL_H

#include <libmnl/libmnl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * DOC: Netlink
 *
 * Whatever fails ends the program with a message and the documented exit status, so
 * commands need no error paths. Attributes are checked for their size when read; what is missing or
 * has another type reads as zero or "".
 */

/** struct nl_attrs - the attributes of one level, by type */
struct nl_attrs {
	const struct nlattr *a[32];
};

typedef void (*nl_fn)(const struct nlmsghdr *nlh, void *arg);

/**
 * nl_genl_exists() - does the kernel know a generic netlink family?
 * @family: name
 *
 * Return: true if so; its number is remembered.
 */
bool nl_genl_exists(const char *family);

/**
 * nl_genl_need() - number of a generic netlink family
 * @family: name
 *
 * Ends the program with a hint when no module has it.
 * Return: number.
 */
uint16_t nl_genl_need(const char *family);

/**
 * nl_genl_dump() - hand every message of a dump to a function
 * @family: name
 * @cmd: command
 * @fn: called with each message
 * @arg: for @fn
 */
void nl_genl_dump(const char *family, uint8_t cmd, nl_fn fn, void *arg);

/**
 * nl_genl_begin() - start a request that changes something
 * @family: name
 * @cmd: command
 *
 * Return: message to add attributes to, then nl_genl_do().
 */
struct nlmsghdr *nl_genl_begin(const char *family, uint8_t cmd);

/**
 * nl_genl_do() - send the request and wait for its acknowledgement
 *
 * Return: 0 or a positive errno.
 */
int nl_genl_do(void);

/**
 * nl_diag_dump() - sock_diag dump of family 43
 * @ext: attributes asked for
 * @fn: called with each message
 * @arg: for @fn
 */
void nl_diag_dump(uint8_t ext, nl_fn fn, void *arg);

/**
 * nl_diag_try_dump() - as nl_diag_dump(), but go on where no module lists such sockets
 * @ext: attributes asked for
 * @fn: called with each message
 * @arg: for @fn
 *
 * Return: false if no module does.
 */
bool nl_diag_try_dump(uint8_t ext, nl_fn fn, void *arg);

/**
 * nl_route_get() - ask for the route to an address
 * @family: AF_INET or AF_INET6
 * @addr: address
 * @len: its bytes
 * @fn: called with the answer
 * @arg: for @fn
 *
 * Return: 0 or a positive errno.
 */
int nl_route_get(int family, const void *addr, size_t len, nl_fn fn, void *arg);

/** nl_genl_attrs() - top attributes of a generic netlink message. @nlh: message. @out: result. */
void nl_genl_attrs(const struct nlmsghdr *nlh, struct nl_attrs *out);
/** nl_msg_attrs() - attributes behind a fixed head. @nlh: message. @head: its size. @out: result. */
void nl_msg_attrs(const struct nlmsghdr *nlh, size_t head, struct nl_attrs *out);
/** nl_nested() - attributes inside an attribute. @in: outer level. @type: which. @out: result. Return: false if absent. */
bool nl_nested(const struct nl_attrs *in, int type, struct nl_attrs *out);

/** nl_has() - is it there? @in: level. @type: which. */
bool nl_has(const struct nl_attrs *in, int type);
/** nl_num() - unsigned number of 1, 2, 4 or 8 bytes, as it comes. @in: level. @type: which. */
uint64_t nl_num(const struct nl_attrs *in, int type);
/** nl_str() - string without trailing blanks, in a static buffer of its own for each type. @in: level. @type: which. */
const char *nl_str(const struct nl_attrs *in, int type);
/** nl_data() - bytes of an attribute. @in: level. @type: which. @size: least size. Return: NULL if absent or short. */
const void *nl_data(const struct nl_attrs *in, int type, size_t size);

#endif
