// SPDX-License-Identifier: GPL-2.0
/* smcx decode: the command, and the reading of files. See decode.h. */
#include "decode.h"

#include <errno.h>
#include <pcap/pcap.h>
#include <stdio.h>
#include <string.h>

#include "out.h"
#include "smcx.h"

/* By errno. @what: what cannot be done. */
static int unreadable(const char *what, const char *name)
{
	int denied = errno == EACCES || errno == EPERM;

	fprintf(stderr, "smcx: cannot %s %s: %s\n", what, name, strerror(errno));
	return denied ? EXIT_DENIED : EXIT_USAGE;
}

static int next_char(void *file)
{
	return getc(file);
}

static int from_text(FILE *file, const char *name)
{
	unsigned long bad;

	decode_begin();
	bad = decode_text(next_char, file);
	if (ferror(file)) {
		decode_end();
		return unreadable("read", name);
	}
	if (!decode_end() && !bad)
		fprintf(stderr, "smcx: %s: no messages\n", name);
	if (!bad)
		return EXIT_FINE;
	fprintf(stderr, "smcx: %s: line %lu is neither hexadecimal digits nor a capture. Give a file of 'tcpdump -w', or digits of messages with empty lines between them.\n",
		name, bad);
	return EXIT_USAGE;
}

static int packets(pcap_t *pcap, const char *name)
{
	int link_type = pcap_datalink(pcap), rc;
	unsigned long found, n = 0, cut = 0;
	struct pcap_pkthdr *head;
	const u_char *data;

	if (!packet_knows(link_type)) {
		fprintf(stderr, "smcx: %s: link type %d is not known. Capture on an Ethernet device or with '-i any'.\n",
			name, link_type);
		return EXIT_USAGE;
	}
	decode_begin();
	for (; (rc = pcap_next_ex(pcap, &head, &data)) == 1; n++) {
		cut += head->caplen < head->len;
		packet_decode(link_type, (uint64_t)head->ts.tv_sec * 1000000 + (uint64_t)head->ts.tv_usec,
			      data, head->caplen);
	}
	found = decode_end();
	if (!n && rc == PCAP_ERROR_BREAK)
		fprintf(stderr, "smcx: %s: no packets. With -U tcpdump writes each at once.\n", name);
	else if (!found && rc == PCAP_ERROR_BREAK)
		fprintf(stderr, "smcx: %s: no SMC in it. Capture with 'tcpdump -w FILE tcp or udp port %u'.\n",
			name, ROCE_PORT);
	/* what is shown says so by itself, but there may have been more */
	if (cut)
		fprintf(stderr, "smcx: %s: %lu of %lu packets were cut when they were captured. With '-s 0' tcpdump keeps all of them.\n",
			name, cut, n);
	if (rc == PCAP_ERROR_BREAK)
		return EXIT_FINE;
	fprintf(stderr, "smcx: %s: the rest cannot be read: %s\n", name, pcap_geterr(pcap));
	return EXIT_KERNEL;
}

static int from_capture(FILE *file, const char *name)
{
	char why[PCAP_ERRBUF_SIZE];
	pcap_t *pcap = pcap_fopen_offline(file, why);
	int rc;

	if (!pcap) {
		fprintf(stderr, "smcx: %s: %s. Give a file of 'tcpdump -w'.\n", name, why);
		return EXIT_USAGE;
	}
	rc = packets(pcap, name);
	stream_reset();
	roce_reset();
	/* closes @file, too */
	pcap_close(pcap);
	return rc;
}

/*
 * Captures begin with one of their magic numbers; no text begins so, as the "modified" pcap of old, whose
 * first byte may be 0x34, the digit 4, is not among them. That of pcapng begins like an empty line: all
 * of it counts, and no byte is read behind the first that differs, as the next may be long in coming.
 * glibc takes back more than one byte.
 */
static bool is_capture(FILE *file)
{
	static const unsigned char pcapng[] = { 0x0A, 0x0D, 0x0D, 0x0A };
	size_t same = 0, i;
	int c;

	while ((c = getc(file)) != EOF && c == pcapng[same])
		if (++same == sizeof(pcapng))
			break;
	if (c != EOF && same < sizeof(pcapng))
		ungetc(c, file);
	for (i = same; i--;)
		ungetc(pcapng[i], file);
	return same == sizeof(pcapng) || (!same && (c == 0xA1 || c == 0xD4 || c == 0x4D));
}

static int decode_file(const char *name)
{
	FILE *file = strcmp(name, "-") ? fopen(name, "r") : stdin;
	int rc;

	if (!file)
		return unreadable("open", name);
	if (is_capture(file))
		return from_capture(file, name);
	rc = from_text(file, name);
	if (file != stdin)
		fclose(file);
	return rc;
}

static unsigned int layer_of(const char *word)
{
	static const struct {
		const char	*word;
		enum layer	layer;
	} all[] = {
		{ "tcp", LAYER_TCP }, { "clc", LAYER_CLC }, { "llc", LAYER_LLC },
		{ "cdc", LAYER_CDC }, { "rdma", LAYER_RDMA },
	};
	size_t i;

	for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (!strcmp(word, all[i].word))
			return all[i].layer;
	return 0;
}

int cmd_decode(int argc, char **argv)
{
	const char *name = "-";
	unsigned int layers = 0;

	for (; *argv; argv++) {
		unsigned int layer = layer_of(*argv);

		if (layer)
			layers |= layer;
		else if (!strcmp(name, "-"))
			name = *argv;
		else
			return usage_error("one file at a time, unknown kind of message", *argv);
	}
	decode_layers = layers ? layers : LAYER_ALL;
	/* Whoever writes to it wants to see the answer now, whoever reads it from us. */
	if (!strcmp(name, "-"))
		setvbuf(stdout, NULL, _IOLBF, 0);
	return decode_file(name);
}
