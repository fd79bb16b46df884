import { dropOldest } from '#common';
import type { DeviceAddress } from 'rookery/push-device';
import type { PlatformFault } from '../delivery/push.gateway.js';
import { CircuitBreaker } from './circuit-breaker.js';

/** Any client can register a device, so bundle identifiers are untrusted. */
const maxApps = 1000;

/**
 * The circuit breakers of one platform in one instance: one of the platform, and one of each app that it refuses, so
 * that a refused app stops no other.
 */
export class CircuitBreakers {
  /** Whether hardly any sends of the instance end: the platform hangs. */
  isStalled = false;
  private readonly platform = new CircuitBreaker();
  /** Those of refused apps, by bundle identifier. */
  private readonly apps = new Map<string, CircuitBreaker>();

  /** Whether the platform or an app is stopped. */
  get isOpen(): boolean {
    return this.platform.fault !== undefined || this.isOfApps;
  }

  /** Whether only apps are stopped: the devices of others can still be reached. */
  get isOfApps(): boolean {
    if (this.platform.fault !== undefined) return false;
    for (const breaker of this.apps.values()) if (breaker.fault !== undefined) return true;
    return false;
  }

  /** Why sends to the devices of an app are refused; undefined until several answers in a row say so. */
  faultOf(bundleIdentifier: string | undefined): string | undefined {
    if (this.platform.fault !== undefined) return this.platform.fault;
    return bundleIdentifier === undefined ? undefined : this.apps.get(bundleIdentifier)?.fault;
  }

  refused({ message, bundleIdentifier }: PlatformFault): void {
    this.breakerOf(bundleIdentifier).refused(message);
  }

  /** The gateway has judged a device, so it accepts the credentials for its app. */
  judged({ bundleIdentifier }: DeviceAddress): void {
    this.platform.judged();
    if (bundleIdentifier !== undefined) this.apps.delete(bundleIdentifier);
  }

  private breakerOf(bundleIdentifier: string | undefined): CircuitBreaker {
    if (bundleIdentifier === undefined) return this.platform;
    let breaker = this.apps.get(bundleIdentifier);
    if (!breaker) this.apps.set(bundleIdentifier, (breaker = new CircuitBreaker()));
    dropOldest(this.apps, maxApps);
    return breaker;
  }
}
