/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MARK_H
#define MARK_H

/* TCP_KEEPIDLE of a socket that fakekernel.c made */
#define FAKE_MARK	4711

#endif
