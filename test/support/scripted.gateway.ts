import type { DeviceAddress, Platform } from 'rookery/push-device';
import { type Notification, type Outcome, type PreparedNotification, PushGateway } from 'rookery/publish';

/** A gateway that does what the test says; without a word it delivers. */
export class ScriptedGateway extends PushGateway {
  readonly sent: DeviceAddress[] = [];
  readonly prepared: Notification[] = [];
  ttlMs = 3_600_000;
  answer: (device: DeviceAddress) => Outcome | Promise<Outcome> = () => ({ outcome: 'delivered' });

  constructor(readonly platform: Platform) {
    super();
  }

  async prepare(notification: Notification): Promise<PreparedNotification> {
    this.prepared.push(notification);
    return {
      ttlMs: this.ttlMs,
      send: async (device) => {
        this.sent.push(device);
        return this.answer(device);
      },
    };
  }

  async close(): Promise<void> {}
}
