// SPDX-License-Identifier: GPL-2.0
/* RDMA devices come and go, see DOC in dev.h */

#include <linux/etherdevice.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <rdma/ib_cache.h>

#include "gid.h"
#include "priv.h"

LIST_HEAD(smcx_dev_list);

/* writers of smcx_dev_list, and smcx_dev_for_each() */
static DEFINE_MUTEX(smcx_dev_mutex);

static const struct smcx_rdma_events *smcx_dev_events;
static struct ib_client smcx_ib_client;

/* @mac is written once, before @defined */
static struct {
	u8	prefix[2];
	u8	mac[ETH_ALEN];
	bool	defined;
} smcx_peer_id;
static DEFINE_SPINLOCK(smcx_peer_id_lock);

bool smcx_rdma_peer_id(u8 id[8])
{
	if (!smp_load_acquire(&smcx_peer_id.defined))
		return false;
	memcpy(id, smcx_peer_id.prefix, 2);
	memcpy(id + 2, smcx_peer_id.mac, ETH_ALEN);
	return true;
}

static void smcx_peer_id_define(const u8 *mac)
{
	if (is_zero_ether_addr(mac))
		return;
	spin_lock(&smcx_peer_id_lock);
	if (!smcx_peer_id.defined) {
		ether_addr_copy(smcx_peer_id.mac, mac);
		smp_store_release(&smcx_peer_id.defined, true);
	}
	spin_unlock(&smcx_peer_id_lock);
}

static unsigned int smcx_dev_nports(const struct smcx_dev *dev)
{
	return min_t(unsigned int, dev->ibdev->phys_port_cnt, SMCX_DEV_PORTS);
}

/* Drivers may take the RTNL for a port query, so it is made here and not when a path is looked for. */
static void smcx_dev_read_port(struct smcx_dev *dev, u8 port)
{
	struct ib_port_attr attr;
	u8 mac[ETH_ALEN];

	if (!rdma_protocol_roce(dev->ibdev, port))
		return;
	if (!ib_query_port(dev->ibdev, port, &attr))
		WRITE_ONCE(dev->port_mtu[port - 1], attr.active_mtu);
	if (smcx_port_is_active(dev->ibdev, port) &&
	    smcx_gid_mac(dev->ibdev, port, mac))
		smcx_peer_id_define(mac);
}

static void smcx_dev_port_work(struct work_struct *work)
{
	struct smcx_dev *dev = container_of(work, struct smcx_dev, port_work);
	unsigned long flags = xchg(&dev->port_flags, 0);
	u8 port;

	for (port = 1; port <= smcx_dev_nports(dev); port++) {
		if (test_bit(port - 1, &flags))
			smcx_dev_events->port_down(dev, port);
		smcx_dev_read_port(dev, port);
	}
	if (test_bit(SMCX_DEV_GIDS, &flags))
		smcx_qps_check_gids(dev);
}

static void smcx_dev_event(struct ib_event_handler *handler, struct ib_event *ev)
{
	struct smcx_dev *dev = container_of(handler, struct smcx_dev, events);
	unsigned int port;

	switch (ev->event) {
	case IB_EVENT_PORT_ERR:
		if (ev->element.port_num <= SMCX_DEV_PORTS)
			set_bit(ev->element.port_num - 1, &dev->port_flags);
		break;
	case IB_EVENT_DEVICE_FATAL:
		for (port = 0; port < SMCX_DEV_PORTS; port++)
			set_bit(port, &dev->port_flags);
		break;
	case IB_EVENT_GID_CHANGE:
		atomic_inc(&dev->gid_gen);
		set_bit(SMCX_DEV_GIDS, &dev->port_flags);
		break;
	case IB_EVENT_PORT_ACTIVE:
		break;
	default:
		return;
	}
	queue_work(system_wq, &dev->port_work);
}

static bool smcx_dev_is_suitable(struct ib_device *ibdev)
{
	u32 port;

	if (ibdev->node_type != RDMA_NODE_IB_CA ||
	    !(ibdev->attrs.device_cap_flags & IB_DEVICE_MEM_MGT_EXTENSIONS) ||
	    ibdev->attrs.max_recv_sge < 2)
		return false;
	for (port = 1; port <= ibdev->phys_port_cnt && port <= SMCX_DEV_PORTS; port++)
		if (rdma_protocol_roce(ibdev, port))
			return true;
	return false;
}

static int smcx_dev_map_spill(struct smcx_dev *dev)
{
	dev->spill = kzalloc(SMCX_SPILL_LEN, GFP_KERNEL);
	if (!dev->spill)
		return -ENOMEM;
	dev->spill_dma = ib_dma_map_single(dev->ibdev, dev->spill, SMCX_SPILL_LEN,
					   DMA_FROM_DEVICE);
	if (!ib_dma_mapping_error(dev->ibdev, dev->spill_dma))
		return 0;
	kfree(dev->spill);
	return -EIO;
}

static void smcx_dev_unmap_spill(struct smcx_dev *dev)
{
	ib_dma_unmap_single(dev->ibdev, dev->spill_dma, SMCX_SPILL_LEN, DMA_FROM_DEVICE);
	kfree(dev->spill);
}

static struct smcx_dev *smcx_dev_alloc(struct ib_device *ibdev)
{
	struct smcx_dev *dev;

	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return NULL;
	refcount_set(&dev->ref, 1);
	dev->ibdev = ibdev;
	mutex_init(&dev->cq_lock);
	INIT_LIST_HEAD(&dev->cqs);
	INIT_LIST_HEAD(&dev->qps);
	spin_lock_init(&dev->chunk_lock);
	INIT_LIST_HEAD(&dev->chunks);
	init_waitqueue_head(&dev->idle);
	INIT_WORK(&dev->port_work, smcx_dev_port_work);
	/* differs from what gid_span says: nothing is known yet */
	atomic_set(&dev->gid_gen, 1);
	return dev;
}

static int smcx_dev_add(struct ib_device *ibdev)
{
	struct smcx_dev *dev;
	int rc;

	if (!smcx_dev_is_suitable(ibdev))
		return -EOPNOTSUPP;
	dev = smcx_dev_alloc(ibdev);
	if (!dev)
		return -ENOMEM;
	rc = smcx_dev_map_spill(dev);
	if (rc)
		goto put;
	rc = smcx_cqs_init(dev);
	if (rc)
		goto unmap;
	INIT_IB_EVENT_HANDLER(&dev->events, ibdev, smcx_dev_event);
	ib_register_event_handler(&dev->events);
	mutex_lock(&smcx_dev_mutex);
	list_add_tail_rcu(&dev->node, &smcx_dev_list);
	mutex_unlock(&smcx_dev_mutex);
	/* only now: an event that came before the handler has left its mark in the caches */
	queue_work(system_wq, &dev->port_work);
	ib_set_client_data(ibdev, &smcx_ib_client, dev);
	return 0;

unmap:
	smcx_dev_unmap_spill(dev);
put:
	smcx_dev_put(dev);
	return rc;
}

/* From here on smcx_cq_join() and smcx_chunk_get() refuse, and readers under RCU turn away. */
static void smcx_dev_mark_gone(struct smcx_dev *dev)
{
	mutex_lock(&smcx_dev_mutex);
	list_del_rcu(&dev->node);
	mutex_unlock(&smcx_dev_mutex);
	mutex_lock(&dev->cq_lock);
	spin_lock_bh(&dev->chunk_lock);
	WRITE_ONCE(dev->gone, true);
	spin_unlock_bh(&dev->chunk_lock);
	mutex_unlock(&dev->cq_lock);
}

static void smcx_dev_remove(struct ib_device *ibdev, void *data)
{
	struct smcx_dev *dev = data;

	smcx_dev_mark_gone(dev);
	ib_unregister_event_handler(&dev->events);
	cancel_work_sync(&dev->port_work);
	smcx_dev_events->dev_remove(dev);
	smcx_qps_stop(dev);
	smcx_chunks_exit(dev);
	smcx_cqs_exit(dev);
	smcx_dev_unmap_spill(dev);
	synchronize_rcu();
	smcx_dev_put(dev);
}

static struct ib_client smcx_ib_client = {
	.name	= "smcx",
	.add	= smcx_dev_add,
	.remove	= smcx_dev_remove,
};

int smcx_dev_for_each(int (*fn)(struct smcx_dev *dev, void *arg), void *arg)
{
	struct smcx_dev *dev;
	int rc = 0;

	mutex_lock(&smcx_dev_mutex);
	list_for_each_entry(dev, &smcx_dev_list, node) {
		rc = fn(dev, arg);
		if (rc)
			break;
	}
	mutex_unlock(&smcx_dev_mutex);
	return rc;
}

int smcx_rdma_init(const struct smcx_rdma_events *ev)
{
	smcx_dev_events = ev;
	get_random_bytes(smcx_peer_id.prefix, sizeof(smcx_peer_id.prefix));
	return ib_register_client(&smcx_ib_client);
}

void smcx_rdma_exit(void)
{
	ib_unregister_client(&smcx_ib_client);
}
