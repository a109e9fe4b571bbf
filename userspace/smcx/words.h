/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_WORDS_H
#define SMCX_WORDS_H

#include "reason.h"

/**
 * DOC: Reasons in words
 *
 * The module knows decline and fallback reasons by number and name (proto/reason.h). What they mean, and what to do, stands
 * here; Documentation/fallback.rst is made of it.
 */

/** reason_cause() - what it means. @reason: own reason or a peer's diagnosis. Return: a sentence, never NULL. */
const char *reason_cause(uint32_t reason);

/** reason_cure() - what to do about it. @reason: own reason or a peer's diagnosis. Return: a sentence, never NULL. */
const char *reason_cure(uint32_t reason);

/**
 * reason_of_peer() - a peer's diagnosis, for functions that tell of reasons
 * @diagnosis: from its Decline
 *
 * Numbers that are local here mean nothing when another sends them.
 *
 * Return: @diagnosis, or a reason that nobody knows.
 */
static inline uint32_t reason_of_peer(uint32_t diagnosis)
{
	return smcx_reason_is_local(diagnosis) ? SMCX_REASON_LOCAL_BASE : diagnosis;
}

#endif
