# SPDX-License-Identifier: GPL-2.0
# Sourced by tests that go through all sysctls, or all trace points. userspace/tests compares these tables with the documents.

# smc_sysctls: name, least, most, below, above
smc_sysctls() {
	cat << 'END'
autocorking_size 0 4294967295 -1 4294967296
smcr_buf_type 0 2 -1 3
smcr_testlink_time 0 3600 -1 2147483648
wmem 16384 1073741823 16383 1073741824
rmem 16384 1073741823 16383 1073741824
smcr_max_links_per_lgr 1 2 0 3
smcr_max_conns_per_lgr 16 255 15 256
limit_smc_hs 0 1 -1 2
lgr_free_delay 0 604800 -1 604801
handshake_timeout_ms 100 600000 99 600001
close_timeout 1 3600 0 3601
path_retry 0 3600 -1 3601
onertt 0 3 -1 4
onertt_token_life 1 86400 0 86401
onertt_filter 0 1 -1 2
rkey_skip 0 1 -1 2
data_in_cdc 0 1 -1 2
END
}

# smc_traces: trace points and their fields
smc_traces() {
	cat << 'END'
smcx_setup sk sport dport is_server phase us
smcx_fallback sk sport dport is_server reason peer_reason
smcx_link group link port up conns
smcx_group_end group is_server conns err reason
smcx_drop why
END
}
