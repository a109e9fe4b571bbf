/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMC_RUN_SUPERVISE_H
#define SMC_RUN_SUPERVISE_H

/**
 * DOC: Programs that load no libraries
 *
 * A seccomp filter makes the kernel ask a supervisor about each socket() for plain TCP, and about
 * nothing else. The supervisor opens an SMC socket and has the kernel put it into the program's
 * descriptor table as the result of the call (SECCOMP_IOCTL_NOTIF_ADDFD with
 * SECCOMP_ADDFD_FLAG_SEND); or, on any doubt, has the kernel go on with the call as it was made
 * (SECCOMP_USER_NOTIF_FLAG_CONTINUE), which gives TCP. The arguments of socket() are numbers, so the
 * program's memory is never looked at, and nothing can change between look and use.
 *
 * Seccomp and not the BPF hook update_socket_protocol of newer kernels: it works for any user, on
 * both kernels, for one program and its children, and has a fallback to TCP.
 *
 * The program stays the process that smc_run was: exit status, signals, job control and parent
 * are exact by themselves. The supervisor is nobody's child and in a session of its own, so neither
 * Ctrl-C nor the program's wait() meets it. It blocks all signals, holds none of the program's
 * files, and ends when the last process with the filter has ended. If it is killed, the
 * kernel answers ENOSYS to socket(): the program does not hang.
 *
 * A socket bears marks of who made it: network namespace, user (for /proc/net/tcp, packet filters,
 * SO_REUSEPORT), control group. The supervisor takes on the caller's user, and leaves the call alone
 * where the caller is in another namespace or control group than itself. The descriptor number and
 * the limit on descriptors are the caller's, since the kernel installs in the caller's context.
 */

#include <stdbool.h>
#include <stddef.h>

#include "open.h"

/** enum supervise - result of supervise_start(): supervised; as before; or filter without supervisor */
enum supervise { SUPERVISE_FINE, SUPERVISE_UNTOUCHED, SUPERVISE_BROKEN };

/**
 * supervise_start() - put the filter on this process and a supervisor beside it
 * @o: how to open sockets
 * @verbose: let the supervisor tell on standard error what it does
 * @why: reason in words, if not SUPERVISE_FINE
 *
 * Sets no_new_privs if the process lacks CAP_SYS_ADMIN.
 *
 * Return: see enum supervise. After SUPERVISE_BROKEN no TCP socket can be opened.
 */
enum supervise supervise_start(const struct smc_opener *o, bool verbose, const char **why);

/**
 * answer_all() - the supervisor's work, until nobody has the filter any more
 * @listener: descriptor from seccomp(2)
 * @o: how to open
 * @verbose: tell on standard error
 */
void answer_all(int listener, struct smc_opener *o, bool verbose);

/**
 * filter_install() - put the filter on this process
 *
 * Return: listener, close-on-exec, or -1 with errno.
 */
int filter_install(void);

/**
 * caller_adopt() - become like a thread as far as its sockets show it
 * @pid: thread id
 *
 * Takes on the thread's user and group for files and sockets; caller_leave() goes back.
 *
 * Return: NULL, or why that cannot be done.
 */
const char *caller_adopt(int pid);

/**
 * caller_name() - what a thread is called
 * @pid: thread id
 * @name: result, printable; "?" if nobody knows
 * @size: its size
 */
void caller_name(int pid, char *name, size_t size);

/** caller_leave() - take back the user and group from before caller_adopt(). */
void caller_leave(void);

#endif
