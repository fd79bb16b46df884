import type { DeviceAddress } from 'rookery/push-device';
import type { Outcome, PreparedNotification } from '../delivery/push.gateway.js';
import { PlatformFault, SendLater } from '../delivery/push.gateway.js';
import type { SendSlots } from './send-slots.js';

/** A device that was put off, and what the gateway said. */
export interface PutOff {
  readonly device: DeviceAddress;
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** What became of the devices of one page. */
export class PageOutcome {
  readonly sent: DeviceAddress[] = [];
  readonly failed: { readonly device: DeviceAddress; readonly reason: string }[] = [];
  readonly gone: { readonly id: string; readonly before?: number }[] = [];
  readonly later: PutOff[] = [];
  /** Why nothing can be sent on this platform. */
  fault?: string;
  /** An error that no gateway should throw. */
  unexpected?: unknown;

  settle(device: DeviceAddress, outcome: Outcome): void {
    switch (outcome.outcome) {
      case 'delivered':
        this.sent.push(device);
        break;
      case 'unregistered':
        this.failed.push({ device, reason: 'unregistered' });
        this.gone.push(outcome.before === undefined ? { id: device.id } : { id: device.id, before: outcome.before });
        break;
      case 'rejected':
        this.failed.push({ device, reason: outcome.reason });
        break;
      default:
        outcome satisfies never;
    }
  }

  thrown(device: DeviceAddress, error: unknown): void {
    if (error instanceof PlatformFault) {
      this.fault ??= error.message;
      this.failed.push({ device, reason: platformFault });
    } else if (error instanceof SendLater) {
      this.later.push({ device, reason: error.reason, ...wish(error) });
    } else {
      this.unexpected ??= error;
      this.later.push({ device, reason: 'InternalError' });
    }
  }
}

/** The reason of the devices that a platform's fault leaves without a notification. */
export const platformFault = 'PlatformFault';

const wish = ({ retryAfterMs }: SendLater): { readonly retryAfterMs?: number } =>
  retryAfterMs === undefined ? {} : { retryAfterMs };

/** Sends to each device of a page, `concurrency` at a time, and answers when all are dealt with. */
export async function sendPage(
  devices: readonly DeviceAddress[],
  prepared: PreparedNotification,
  slots: SendSlots,
  concurrency: number,
): Promise<PageOutcome> {
  const outcome = new PageOutcome();
  const rest = devices.values();
  await Promise.all(Array.from({ length: Math.min(concurrency, devices.length) }, () => send(rest)));
  return outcome;

  async function send(devices: Iterable<DeviceAddress>): Promise<void> {
    for (const device of devices) {
      const turn = slots.take();
      if (turn) await turn;
      if (outcome.fault === undefined) await sendOne(device);
      else outcome.failed.push({ device, reason: platformFault });
      slots.give();
    }
  }

  async function sendOne(device: DeviceAddress): Promise<void> {
    try {
      outcome.settle(device, await prepared.send(device));
    } catch (error) {
      outcome.thrown(device, error);
    }
  }
}

/** The outcome of a page that is not sent at all: the same reason for every device. */
export function refusePage(devices: readonly DeviceAddress[], reason: string): PageOutcome {
  const outcome = new PageOutcome();
  for (const device of devices) outcome.failed.push({ device, reason });
  return outcome;
}
