# SPDX-License-Identifier: GPL-2.0
# Lines "kernel module result round mode conns proto rate requests errors" and
# "kernel module proof round mode conns proto client_smc client_fallback server_smc server_fallback one_round_trip"
# -> table and verdict.

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

function name_of(mode, conns) {
	if (mode == "far")
		return "close, 25 ms each way, c=" conns
	return (mode == "close" ? "Connection: close" : "keep-alive") " c=" conns
}

function cell(kernel, key, p) {
	if (!((kernel, key, p) in rate))
		return sprintf(" | %18s", "-")
	if (p == "tcp")
		return sprintf(" | %8.0f %9s", median(rate[kernel, key, p]), "")
	return sprintf(" | %8.0f %9.2f", median(rate[kernel, key, p]), value[kernel, key, p])
}

function verdict() {
	if (!all_smc)
		print "Nothing is proven: no SMC connections were counted."
	else if (all_fb)
		printf "NOT all connections were SMC: %d were, %d fell back to TCP.\n", all_smc, all_fb
	else if (doubts)
		printf "All %d connections of the SMC runs were SMC, none fell back to TCP; but see the words in capitals above.\n", all_smc
	else
		printf "All %d connections of the SMC runs were SMC, none fell back to TCP.\n", all_smc
}

BEGIN {
	split("tcp smc classic skip onertt", protos, " ")
	label["tcp"] = "TCP"
	label["smc"] = "SMC, in-tree"
	label["classic"] = "SMC, classic"
	label["skip"] = "SMC, RKEY skip"
	label["onertt"] = "SMC, 1-RTT"
}
$3 == "result" && $4 > 0 {
	key = $5 " " $6
	if (!(key in known)) { known[key]; order[++keys] = key }
	kernel = $1 " " $2
	if (!(kernel in runs)) { runs[kernel]; run_order[++run_count] = kernel }
	proto = $7
	seen[key, proto] = 1
	rate[kernel, key, proto] = rate[kernel, key, proto] " " $8
	# Neighbours in time give one ratio: what disturbs one mostly disturbs the other.
	if (proto == "tcp")
		last_tcp = $8
	else {
		if (last_tcp > 0)
			ratio[kernel, key, proto] = ratio[kernel, key, proto] " " $8 / last_tcp
		# A run with one connection a request needs as many SMC connections as it had requests.
		if ($5 != "keepalive") close_done[kernel, proto] += $9
	}
	errors[kernel, proto] += $10
}
$3 == "proof" {
	kernel = $1 " " $2
	proven[kernel, $7]
	client_smc[kernel, $7] += $8
	client_fb[kernel, $7] += $9
	server_smc[kernel, $7] += $10
	server_fb[kernel, $7] += $11
	early[kernel, $7] += $12
	if ($5 != "keepalive" && $4 > 0) close_smc[kernel, $7] += $8
}
END {
	for (r = 1; r <= run_count; r++)
		for (k = 1; k <= keys; k++)
			for (p = 2; p <= 5; p++)
				if ((run_order[r], order[k], protos[p]) in ratio)
					value[run_order[r], order[k], protos[p]] = median(ratio[run_order[r], order[k], protos[p]])
	printf "\nnginx and wrk, 1 KB, requests per second (medians); behind it SMC / TCP of the same run\n"
	printf "c=N: N connections at a time; close: a new one for each request; keep-alive: the same N for all\n"
	printf "classic: set up as net/smc does it; RKEY skip: no exchange of keys for each connection;\n"
	printf "1-RTT: that, and the SMC request goes along in TCP's SYN: connected after one round trip\n\n"
	printf "%-32s", "workload"
	for (r = 1; r <= run_count; r++) printf " | %-18s", run_order[r]
	printf "\n"
	for (k = 1; k <= keys; k++) {
		split(order[k], word, " ")
		printf "%-32s", name_of(word[1], word[2])
		for (r = 1; r <= run_count; r++) printf " | %18s", ""
		printf "\n"
		for (p = 1; p <= 5; p++) {
			if (!((order[k], protos[p]) in seen)) continue
			printf "    %-28s", label[protos[p]]
			for (r = 1; r <= run_count; r++) printf "%s", cell(run_order[r], order[k], protos[p])
			printf "\n"
		}
	}
	ours = "6.12 smcx"
	yardstick = "6.12 smc"
	if ((ours in runs) && (yardstick in runs)) {
		printf "\nsmcx, 1-RTT, against in-tree smc on 6.12 (ratio of the ratios):"
		for (k = 1; k <= keys; k++) {
			split(order[k], word, " ")
			if (value[yardstick, order[k], "smc"] > 0)
				printf "%s %s c=%s %.1fx", (k > 1 ? "," : ""), word[1], word[2],
				       value[ours, order[k], "onertt"] / value[yardstick, order[k], "smc"]
		}
		printf "\n"
	}
	printf "\nproof, by the modules' counters on wrk's machine and on nginx's\n\n"
	printf "%-10s %-14s  %16s  %12s  %15s  %11s  %7s\n", "run", "way", "SMC connections", "fell back", "close requests", "in the SYN", "errors"
	for (r = 1; r <= run_count; r++)
		for (p = 2; p <= 5; p++) {
			kernel = run_order[r]
			proto = protos[p]
			if (!((kernel, proto) in proven)) continue
			bad = ""
			if (client_smc[kernel, proto] == 0 || server_smc[kernel, proto] == 0) bad = "  NO SMC AT ALL"
			else if (client_fb[kernel, proto] || server_fb[kernel, proto]) bad = "  SOME FELL BACK"
			else if (close_smc[kernel, proto] < close_done[kernel, proto]) bad = "  FEWER SMC CONNECTIONS THAN REQUESTS"
			else if (proto == "onertt" && early[kernel, proto] < 0.9 * client_smc[kernel, proto]) bad = "  TOO FEW IN ONE ROUND TRIP"
			else if (proto != "onertt" && early[kernel, proto]) bad = "  SOME IN ONE ROUND TRIP"
			else if (errors[kernel, proto]) bad = "  SOCKET ERRORS"
			printf "%-10s %-14s  %16s  %12s  %15d  %11d  %7d%s\n", kernel, label[proto],
			       client_smc[kernel, proto] ", " server_smc[kernel, proto],
			       client_fb[kernel, proto] ", " server_fb[kernel, proto], close_done[kernel, proto],
			       early[kernel, proto], errors[kernel, proto], bad
			all_smc += client_smc[kernel, proto]
			all_fb += client_fb[kernel, proto] > server_fb[kernel, proto] ? client_fb[kernel, proto] : server_fb[kernel, proto]
			if (bad != "") doubts++
			# The yardstick may disappoint; that is not our failure.
			if (bad != "" && proto != "smc") failed = 1
		}
	printf "\nclose requests: each had a connection of its own, so there must be at least as many SMC connections\n"
	printf "in the SYN: SMC requests the server took out of it (1-RTT). wrk breaks some connections off at the end\n"
	printf "of a run, before they are SMC, so there may be a few more of these than SMC connections\n\n"
	verdict()
	if (!run_count) failed = 1
	exit failed
}
