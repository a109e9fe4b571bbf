/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SMCX_LINK_POOL_H
#define SMCX_LINK_POOL_H

#include <linux/types.h>

#include "link.h"

/**
 * DOC: Receive buffer pool
 *
 * Each link group has its own regions (never shared between peers), each
 * carved into elements (RMBE) of one size class, index 1 up. The first region of
 * a class is small, later ones grow up to the device's limit, so a peer with one connection costs
 * little and one with many needs few registrations and few remote keys.
 * An element is handed out clean: what the previous user received is zeroed when
 * the element comes back, or, if that is a lot, when it is taken again.
 * Who reads an element calls smcx_rmbe_sync() first.
 * An element whose peer may still write (close never answered) is not reused: it stays
 * quarantined until the group ends. A server's group that has lost many elements that way
 * retires: it takes no new connections and ends with the last one. A client does not choose the group,
 * so its group retires only when it will give out no new element any more. What Proposals in SYNs
 * have cost that nobody confirmed is counted per peer, beyond the group (smcx_token_lost()).
 * A region that has been wholly unused for a minute is given back to the system once the peer has
 * been told (DELETE_RKEY); the first one of a group stays.
 */

/**
 * struct smcx_rmbe - a receive buffer element
 * @base: kernel address
 * @size: bytes (16 KiB << code)
 * @idx: 1-based RMBE index within the region
 * @sync: smcx_rmbe_sync() does something
 * @rkey: region's key on link 0 (the link in use today)
 * @addr: region's address as the peer knows it
 * @priv: pool's
 */
struct smcx_rmbe {
	void	*base;
	u32	size;
	u8	idx;
	bool	sync;
	u32	rkey;
	u64	addr;
	void	*priv;
};

/**
 * smcx_rmbe_get() - take a clean element
 * @lgr: group with a seat
 * @size: wish in bytes; rounded up to a size class, reduced when memory is short
 * @w: a region may be made, and waited for; if somebody else makes one, @w is queued. NULL: not even that
 * @rmbe: result
 *
 * If the link is in RTS the element's registration has completed on return;
 * on a FORMING group it is registered by smcx_link_connect()/smcx_link_ready(), see smcx_rmbe_settle().
 * A registration stands behind all messages under way: a peer that takes none can hold it up. So only one
 * caller for each group sleeps here, the others get -EINPROGRESS and try again when @w->fn is called.
 * Context: process; with @w for a local registration (<= 5 s). Return: 0, -EAGAIN (not without @w), -EINPROGRESS or negative errno.
 */
int smcx_rmbe_get(struct smcx_lgr *lgr, u32 size, struct smcx_lgr_waiter *w, struct smcx_rmbe *rmbe);

/**
 * smcx_rmbe_settle() - wait until the peer may write to the element
 * @rmbe: element whose region has been registered by smcx_link_connect() or smcx_link_ready()
 *
 * For who tells the peer past the link: a registration runs before all messages posted later, but not before TCP's.
 * Context: process; <= 5 s. Return: 0 or negative errno.
 */
int smcx_rmbe_settle(const struct smcx_rmbe *rmbe);

/**
 * smcx_rmbe_put() - give an element back
 * @lgr: group
 * @rmbe: element; zeroed struct afterwards
 * @dirty: bytes from @base the peer may have written (zeroed before reuse)
 * @quarantine: the peer may still write: never reuse
 * Context: any.
 */
void smcx_rmbe_put(struct smcx_lgr *lgr, struct smcx_rmbe *rmbe, u32 dirty, bool quarantine);

/** smcx_pool_note_syn() - a quarantined element went to a Proposal in a SYN that nobody confirmed. @lgr: server's group. Context: any. */
void smcx_pool_note_syn(struct smcx_lgr *lgr);

/** smcx_rmbe_fetch() - smcx_rmbe_sync() where it is needed. @rmbe: element. @off: first byte. @len: bytes. Context: any but hard interrupt. */
void smcx_rmbe_fetch(const struct smcx_rmbe *rmbe, u32 off, u32 len);

/**
 * smcx_rmbe_store() - write bytes that came behind a CDC message where an RDMA write would have put them
 * @rmbe: element
 * @off: first byte
 * @src: bytes
 * @len: their number
 * Context: any but hard interrupt.
 */
void smcx_rmbe_store(const struct smcx_rmbe *rmbe, u32 off, const u8 *src, u32 len);

/**
 * smcx_rmbe_sync() - before the CPU reads what the peer has written
 * @rmbe: element
 * @off: first byte
 * @len: bytes, within the element
 * Context: any but hard interrupt; may take qp->lock.
 */
static inline void smcx_rmbe_sync(const struct smcx_rmbe *rmbe, u32 off, u32 len)
{
	if (unlikely(rmbe->sync))
		smcx_rmbe_fetch(rmbe, off, len);
}

/** smcx_pool_register() - post registration of all NEW regions. @link: link in RTS. Context: process. Return: 0 or errno. */
int smcx_pool_register(struct smcx_link *link);
/** smcx_pool_unmap() - unmap all regions, take back what was counted (group DYING, QP fenced). @lgr: group. Context: process. */
void smcx_pool_unmap(struct smcx_lgr *lgr);
/** smcx_pool_free() - free all regions (last reference). @lgr: group. Context: process. */
void smcx_pool_free(struct smcx_lgr *lgr);

/**
 * struct smcx_pool_info - for dumps
 * @regions: regions
 * @elements: elements in all of them
 * @in_use: elements in use
 * @quarantined: elements lost to quarantine
 * @bytes: bytes of all regions
 */
struct smcx_pool_info {
	unsigned int	regions;
	unsigned int	elements;
	unsigned int	in_use;
	unsigned int	quarantined;
	size_t		bytes;
};

/** smcx_pool_query() - numbers for dumps. @lgr: group. @info: result. Context: process. */
void smcx_pool_query(struct smcx_lgr *lgr, struct smcx_pool_info *info);

#endif
