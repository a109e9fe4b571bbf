/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_FALLBACK_PRIV_H
#define SMCX_BASE_FALLBACK_PRIV_H

struct smcx_net;

/** smcx_fb_net_init() - empty record list and counts. @sn: namespace. Context: process. */
void smcx_fb_net_init(struct smcx_net *sn);
/** smcx_fb_net_exit() - free the records. @sn: namespace. Context: process. */
void smcx_fb_net_exit(struct smcx_net *sn);

#endif
