import type { DeviceAddress } from 'rookery/push-device';
import type { Vapid } from './vapid.js';

/** The VAPID keys of an instance: a push service accepts the one with which a browser subscribed, and no other. */
export class VapidKeys {
  private readonly byName: ReadonlyMap<string, Vapid>;
  private readonly oldest: Vapid | undefined;

  /** @param pairs - with their names; the oldest last */
  constructor(pairs: readonly (readonly [name: string, vapid: Vapid])[]) {
    this.byName = new Map(pairs);
    this.oldest = pairs.at(-1)?.[1];
  }

  /** `undefined` if the instance no longer has the pair. Devices from before names were kept have the oldest one. */
  of({ vapidKey }: DeviceAddress): Vapid | undefined {
    return vapidKey === undefined ? this.oldest : this.byName.get(vapidKey);
  }
}
