import type { DeviceAddress, KnownEnvironment } from 'rookery/push-device';
import type { Outcome } from '../delivery/push.gateway.js';
import { PlatformFault, SendLater } from '../delivery/push.gateway.js';

/** A deferred device, and the gateway's answer. */
export interface DeferredDevice {
  readonly device: DeviceAddress;
  readonly reason: string;
  readonly retryAfterMs?: number;
}

/** A device that its gateway reports gone, unless it registered again after `before`, in epoch milliseconds. */
export interface GoneDevice {
  readonly id: string;
  readonly before: number;
  /** When it was first reported gone, if it was before; epoch milliseconds. */
  readonly goneSince?: number;
}

/** The outcomes of one page's devices. */
export class PageOutcome {
  readonly sent: DeviceAddress[] = [];
  readonly failed: { readonly device: DeviceAddress; readonly reason: string }[] = [];
  readonly gone: GoneDevice[] = [];
  readonly later: DeferredDevice[] = [];
  /** Devices whose environment of Apple was not known before. */
  readonly environments: KnownEnvironment[] = [];
  /** The platform faults that a gateway reported, by the app that they concern; `undefined`: the platform. */
  readonly faults = new Map<string | undefined, string>();
  /** An error that no gateway should throw. */
  unexpected?: unknown;

  /** Whether some devices were reached although others are stopped: an app is at fault, not the platform. */
  get isPartial(): boolean {
    return this.sent.length > 0 && this.later.some(({ reason }) => reason === platformFault);
  }

  /** The ids of all its devices. */
  deviceIds(): readonly string[] {
    return [...this.sent, ...this.failed.map(({ device }) => device), ...this.later.map(({ device }) => device)].map(
      ({ id }) => id,
    );
  }

  settle(device: DeviceAddress, outcome: Outcome): void {
    this.learn(device, outcome);
    switch (outcome.outcome) {
      case 'delivered':
        this.sent.push(device);
        break;
      case 'unregistered':
        this.failed.push({ device, reason: 'unregistered' });
        // A token registered after the device was read is not the token that the gateway judged.
        this.gone.push({
          id: device.id,
          before: Math.min(outcome.before ?? Infinity, device.registeredAt),
          goneSince: device.goneSince,
        });
        break;
      case 'rejected':
        this.failed.push({ device, reason: outcome.reason });
        break;
      default:
        outcome satisfies never;
    }
  }

  private learn({ id, registeredAt: before, ...device }: DeviceAddress, { outcome, environment }: Outcome): void {
    if (environment === undefined || environment === device.environment || outcome === 'rejected') return;
    this.environments.push({ id, before, environment });
  }

  /** The device is not at fault, so it waits until the platform works. */
  stopped(device: DeviceAddress): void {
    this.later.push({ device, reason: platformFault });
  }

  thrown(device: DeviceAddress, error: unknown): void {
    if (error instanceof PlatformFault) {
      this.faults.set(error.bundleIdentifier, error.message);
      this.stopped(device);
    } else if (error instanceof SendLater) {
      this.later.push({ device, reason: error.reason, ...wish(error) });
    } else {
      this.unexpected ??= error;
      this.later.push({ device, reason: 'InternalError' });
    }
  }
}

/** The reason recorded for devices that a platform fault stops. */
export const platformFault = 'PlatformFault';

const wish = ({ retryAfterMs }: SendLater): { readonly retryAfterMs?: number } =>
  retryAfterMs === undefined ? {} : { retryAfterMs };

/** The outcome of a page that is not sent: the same reason for every device. */
export function refusePage(devices: readonly DeviceAddress[], reason: string): PageOutcome {
  const outcome = new PageOutcome();
  for (const device of devices) outcome.failed.push({ device, reason });
  return outcome;
}
