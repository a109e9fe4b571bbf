# SPDX-License-Identifier: GPL-2.0
# Lines "kernel module result round mode conns proto rate requests errors" and
# "kernel module proof round mode conns client_smc client_fallback server_smc server_fallback" -> table and verdict.

function median(list,	n, i, j, t, a) {
	n = split(list, a, " ")
	for (i = 2; i <= n; i++)
		for (j = i; j > 1 && a[j] + 0 < a[j - 1] + 0; j--) {
			t = a[j]; a[j] = a[j - 1]; a[j - 1] = t
		}
	if (n % 2)
		return a[(n + 1) / 2]
	return n ? (a[n / 2] + a[n / 2 + 1]) / 2 : 0
}

$3 == "result" && $4 > 0 {
	key = $5 " " $6
	if (!(key in known)) { known[key]; order[++keys] = key }
	kernel = $1 " " $2
	if (!(kernel in runs)) { runs[kernel]; run_order[++run_count] = kernel }
	if ($7 == "tcp")
		tcp[kernel, key] = tcp[kernel, key] " " $8
	else {
		smc[kernel, key] = smc[kernel, key] " " $8
		done[kernel, key] += $9
	}
	# Each pair of neighbours in time gives one ratio: what disturbs one mostly disturbs the other.
	if ($7 == "smc" && last_tcp > 0)
		ratio[kernel, key] = ratio[kernel, key] " " $8 / last_tcp
	last_tcp = $7 == "tcp" ? $8 : 0
	errors[kernel] += $10
}
$3 == "proof" {
	kernel = $1 " " $2
	client_smc[kernel] += $7
	client_fb[kernel] += $8
	server_smc[kernel] += $9
	server_fb[kernel] += $10
	# A run with one connection a request needs as many SMC connections as it had requests.
	if ($5 == "close" && $4 > 0) close_smc[kernel] += $7
}
END {
	for (r = 1; r <= run_count; r++)
		for (k = 1; k <= keys; k++)
			if (order[k] ~ /^close/) close_done[run_order[r]] += done[run_order[r], order[k]]
	printf "\nnginx and wrk, 1 KB, requests per second (medians); ratio = SMC / TCP of the same run\n\n"
	printf "%-22s", "workload"
	for (r = 1; r <= run_count; r++) printf " | %-26s", run_order[r]
	printf "\n%-22s", ""
	for (r = 1; r <= run_count; r++) printf " | %8s %8s %8s", "TCP", "SMC", "ratio"
	printf "\n"
	for (k = 1; k <= keys; k++) {
		split(order[k], word, " ")
		printf "%-22s", (word[1] == "close" ? "Connection: close" : "keep-alive") " c=" word[2]
		for (r = 1; r <= run_count; r++) {
			kernel = run_order[r]
			value[kernel, order[k]] = median(ratio[kernel, order[k]])
			printf " | %8.0f %8.0f %8.2f", median(tcp[kernel, order[k]]), median(smc[kernel, order[k]]),
			       value[kernel, order[k]]
		}
		printf "\n"
	}
	ours = "6.12 smcx"
	yardstick = "6.12 smc"
	if ((ours in runs) && (yardstick in runs)) {
		printf "\nsmcx against in-tree smc on 6.12 (ratio of the ratios):"
		for (k = 1; k <= keys; k++) {
			split(order[k], word, " ")
			if (value[yardstick, order[k]] > 0)
				printf " %s c=%s %.1fx%s", word[1], word[2],
				       value[ours, order[k]] / value[yardstick, order[k]], k < keys ? "," : ""
		}
		printf "\n"
	}
	printf "\nproof, by the modules' counters (SMC connections / fallbacks):\n"
	for (r = 1; r <= run_count; r++) {
		kernel = run_order[r]
		bad = ""
		if (client_smc[kernel] == 0 || server_smc[kernel] == 0) bad = "  NO SMC AT ALL"
		else if (client_fb[kernel] || server_fb[kernel]) bad = "  SOME FELL BACK"
		else if (close_smc[kernel] < close_done[kernel]) bad = "  FEWER SMC CONNECTIONS THAN REQUESTS"
		else if (errors[kernel]) bad = "  SOCKET ERRORS"
		printf "  %-12s client %d / %d, server %d / %d, requests with a connection of their own %d, socket errors %d%s\n",
		       kernel, client_smc[kernel], client_fb[kernel], server_smc[kernel], server_fb[kernel],
		       close_done[kernel], errors[kernel], bad
		# The yardstick may disappoint; that is not our failure.
		if (bad != "" && kernel !~ / smc$/) failed = 1
	}
	if (!run_count) failed = 1
	exit failed
}
