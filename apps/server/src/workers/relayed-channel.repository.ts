import { type ChannelOccupancy, ChannelRepository, type NodeHoldings, type Occupancy } from 'rookery/channels';
import { asLimit } from './as-limit.js';
import type { Far, Link } from './link.js';
import type { OccupiedPages } from './occupied-pages.js';

/** What the workers of a machine know together of channels, kept by the process that started them. */
export class RelayedChannelRepository extends ChannelRepository {
  private readonly far: Far<ChannelRepository>;
  private readonly pages: Far<OccupiedPages>;

  constructor(link: Link) {
    super();
    this.far = link.far('channels');
    this.pages = link.far('occupied');
  }

  occupy(appId: string, channel: string, nodeId: string, connections: number): Promise<Occupancy> {
    return this.far.occupy(appId, channel, nodeId, connections);
  }

  confirmVacated(appId: string, channel: string, version: number): Promise<boolean> {
    return this.far.confirmVacated(appId, channel, version);
  }

  subscriptionCounts(appId: string, channels: readonly string[]): Promise<readonly number[]> {
    return this.far.subscriptionCounts(appId, channels);
  }

  async *occupied(appId: string, prefix: string): AsyncIterable<readonly string[]> {
    const iteration = await this.pages.open(appId, prefix);
    try {
      for (let page; (page = await this.pages.next(iteration));) yield page;
    } finally {
      await this.pages.close(iteration);
    }
  }

  admit(appId: string, nodeId: string, connectionId: string, limit: number): Promise<boolean> {
    return this.far.admit(appId, nodeId, connectionId, asLimit(limit));
  }

  dismiss(appId: string, nodeId: string, connectionId: string): Promise<void> {
    return this.far.dismiss(appId, nodeId, connectionId);
  }

  announce(nodeId: string, holdings: NodeHoldings): Promise<readonly ChannelOccupancy[]> {
    return this.far.announce(nodeId, holdings);
  }

  takeOut(nodeId: string, heirId: string): Promise<readonly ChannelOccupancy[]> {
    return this.far.takeOut(nodeId, heirId);
  }
}
