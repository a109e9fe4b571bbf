// SPDX-License-Identifier: GPL-2.0
/* Statistics: see stats.h. */
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "netns.h"
#include "stats.h"

void smcx_stat_hist(struct smcx_net *sn, enum smcx_hist h, size_t bytes)
{
	unsigned int class = 0;

	if (bytes > 8192)
		class = min_t(unsigned int, SMCX_HIST_CLASSES - 1,
			      order_base_2(DIV_ROUND_UP(bytes, 8192)));
	this_cpu_inc(sn->stats->hist[h][class]);
}

static void smcx_stats_sum_setup(const struct smcx_stats *s, struct smcx_stats *sum)
{
	int role, phase, k;

	for (role = 0; role < 2; role++) {
		for (phase = 0; phase < SMCX_PHASE_MAX; phase++) {
			sum->setup_us[role][phase] += READ_ONCE(s->setup_us[role][phase]);
			for (k = 0; k < SMCX_PHASE_CLASSES; k++)
				sum->setup[role][phase][k] += READ_ONCE(s->setup[role][phase][k]);
		}
	}
}

void smcx_stats_sum(const struct smcx_net *sn, struct smcx_stats *sum)
{
	int cpu, i, k;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct smcx_stats *s = per_cpu_ptr(sn->stats, cpu);

		for (i = 0; i < SMCX_CNT_MAX; i++)
			sum->cnt[i] += READ_ONCE(s->cnt[i]);
		for (i = 0; i < SMCX_HIST_MAX; i++)
			for (k = 0; k < SMCX_HIST_CLASSES; k++)
				sum->hist[i][k] += READ_ONCE(s->hist[i][k]);
		smcx_stats_sum_setup(s, sum);
	}
}
