/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_BASE_EID_H
#define SMCX_BASE_EID_H

#include <linux/types.h>

/**
 * DOC: EID table
 *
 * Up to four user defined enterprise ids (UEID) of this host (protocol.rst 2.7,
 * 7.2), global to the host. The default SMCX_EID_DEFAULT is in place from load
 * on so that two hosts with this module need no configuration; it yields to the
 * administrator's: removing or flushing it is allowed and lasts until unload.
 */

#define SMCX_EID_LEN		32
#define SMCX_EID_MAX		4
#define SMCX_EID_DEFAULT	"SMCX.DEFAULT"

/**
 * smcx_eid_add() - add a UEID
 * @eid: 32 bytes, blank padded, syntax already checked by proto/eid.h
 * Context: process. Return: 0, -EEXIST, or -ERANGE when the table is full.
 */
int smcx_eid_add(const u8 eid[SMCX_EID_LEN]);

/**
 * smcx_eid_remove() - remove a UEID
 * @eid: 32 bytes
 * Context: process. Return: 0 or -ENOENT.
 */
int smcx_eid_remove(const u8 eid[SMCX_EID_LEN]);

/** smcx_eid_flush() - remove all UEIDs. Context: process. */
void smcx_eid_flush(void);

/**
 * smcx_eid_get() - copy the table
 * @out: SMCX_EID_MAX entries of 32 bytes
 * Context: any. Return: number of entries.
 */
unsigned int smcx_eid_get(u8 out[SMCX_EID_MAX][SMCX_EID_LEN]);

/** smcx_eid_init() - put the default EID in place. Context: module load. */
void smcx_eid_init(void);

#endif
