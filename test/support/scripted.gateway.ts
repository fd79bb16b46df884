import type { DeviceAddress, Platform } from 'rookery/push-device';
import {
  type Notification,
  type Outcome,
  PlatformFault,
  type PreparedNotification,
  PushGateway,
  SendLater,
} from 'rookery/publish';

/** A gateway that does what the test says; without a word it delivers. */
export class ScriptedGateway extends PushGateway {
  /** The ids of the devices that were sent to. */
  readonly sent: string[] = [];
  readonly prepared: Notification[] = [];
  ttlMs = 3_600_000;
  /** How many sends are under way, now and at most. */
  active = 0;
  peak = 0;
  rejected?: string;
  fault?: string;
  /** Ends the sends in progress when the gateway is closed. */
  private readonly ends = new Set<(error: SendLater) => void>();
  answer: (device: DeviceAddress) => Outcome | Promise<Outcome> = () => ({ outcome: 'delivered' });

  constructor(readonly platform: Platform) {
    super();
  }

  async prepare(notification: Notification): Promise<PreparedNotification | { readonly rejected: string }> {
    this.prepared.push(notification);
    if (this.fault !== undefined) throw new PlatformFault(this.fault);
    if (this.rejected !== undefined) return { rejected: this.rejected };
    return { ttlMs: this.ttlMs, send: (device) => this.send(device) };
  }

  async close(): Promise<void> {
    for (const end of this.ends) end(new SendLater('Closed'));
  }

  private async send(device: DeviceAddress): Promise<Outcome> {
    this.sent.push(device.id);
    this.active += 1;
    this.peak = Math.max(this.peak, this.active);
    let end!: (error: SendLater) => void;
    const closed = new Promise<never>((_, reject) => (end = reject));
    this.ends.add(end);
    try {
      return await Promise.race([this.answered(device), closed]);
    } finally {
      this.ends.delete(end);
      this.active -= 1;
    }
  }

  private async answered(device: DeviceAddress): Promise<Outcome> {
    await Promise.resolve();
    return this.answer(device);
  }
}
