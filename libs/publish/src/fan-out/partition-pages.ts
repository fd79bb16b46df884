import type { DeviceAddress, Platform } from 'rookery/push-device';
import type { Recipients } from './recipients.js';

/** A page of a partition, and whether it is the last. */
export interface PartitionPage {
  readonly devices: readonly DeviceAddress[];
  readonly last: boolean;
}

/**
 * Pages through the devices of one platform in an audience. Device ids begin with their platform and pages are in the
 * order of ids, so a platform's devices are contiguous. It reads one page ahead.
 */
export class PartitionPages {
  private ahead?: { readonly after: string; readonly devices: Promise<readonly DeviceAddress[]> };

  constructor(
    private readonly recipients: Recipients,
    private readonly platform: Platform,
    private readonly size: number,
  ) {}

  /** @param to - the last id to include; absent: the last of the platform */
  async after(cursor: string, to?: string): Promise<PartitionPage> {
    const found = await (this.ahead?.after === cursor ? this.ahead.devices : this.read(cursor));
    const devices = found.filter(({ id, platform }) => platform === this.platform && (to === undefined || id <= to));
    const end = devices.at(-1)?.id;
    const last = devices.length < this.size || end === undefined;
    this.ahead = last ? undefined : { after: end, devices: this.readAhead(end) };
    return { devices, last };
  }

  private readAhead(after: string): Promise<readonly DeviceAddress[]> {
    const devices = this.read(after);
    // The reader of the page gets the error; until then it would count as unhandled and end the process.
    devices.catch(() => undefined);
    return devices;
  }

  private async read(after: string): Promise<readonly DeviceAddress[]> {
    return this.recipients.page(after, this.size);
  }
}
