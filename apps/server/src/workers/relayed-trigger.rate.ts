import { TriggerRate } from 'rookery/channels';
import type { Far, Link } from './link.js';

/** How often the workers of a machine trigger together, counted by the process that started them. */
export class RelayedTriggerRate extends TriggerRate {
  private readonly far: Far<TriggerRate>;

  constructor(link: Link) {
    super();
    this.far = link.far('triggerRate');
  }

  take(appId: string, limit: number, events: number): Promise<boolean> {
    return this.far.take(appId, limit, events);
  }
}
