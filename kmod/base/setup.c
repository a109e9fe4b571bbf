// SPDX-License-Identifier: GPL-2.0
/* Set-up times: see setup.h. */
#include <linux/log2.h>
#include <net/inet_sock.h>

#include "netns.h"
#include "setup.h"
#include "trace.h"

void smcx_setup_start(struct smcx_setup *s, const struct sock *sk, bool is_server)
{
	s->since = ktime_get_ns();
	s->sk = sk;
	s->sport = inet_sk(sk)->inet_num;
	s->dport = ntohs(inet_sk(sk)->inet_dport);
	s->is_server = is_server;
}

void smcx_setup_count(struct smcx_net *sn, const struct smcx_setup *s, enum smcx_phase phase,
		      u64 ns)
{
	u64 us = div_u64(ns, NSEC_PER_USEC);
	unsigned int class = 0;

	if (us > SMCX_PHASE_CLASS0_US)
		class = min_t(unsigned int, SMCX_PHASE_CLASSES - 1,
			      order_base_2(us) - ilog2(SMCX_PHASE_CLASS0_US));
	this_cpu_inc(sn->stats->setup[s->is_server][phase][class]);
	this_cpu_add(sn->stats->setup_us[s->is_server][phase], us);
	trace_smcx_setup(s, phase, us);
}
