import { isHostAmong } from './host-pattern.js';
import { isPublicAddress } from './public-address.js';
import { UnsafeUrl } from './safe-fetch-errors.js';

/**
 * The hosts and addresses that may be connected to: allowed hosts at public addresses, and any host at private
 * addresses if the private network is permitted.
 */
export class PermittedHosts {
  private readonly patterns: readonly string[];

  /** @param hosts - see {@link isHostPattern}; by default every public host */
  constructor(
    hosts: readonly string[] = ['*'],
    private readonly allowPrivateNetwork = false,
  ) {
    this.patterns = hosts.map((host) => host.toLowerCase());
  }

  /** Whether every host is allowed, so that no check is needed. */
  get areAll(): boolean {
    return this.allowPrivateNetwork && this.patterns.includes('*');
  }

  /** Refuses a host that is not allowed at any address. */
  check(host: string): void {
    if (!this.allowPrivateNetwork && !this.isNamed(host)) throw this.refusal(host);
  }

  readonly permits = (host: string, address: string): boolean =>
    isPublicAddress(address) ? this.isNamed(host) : this.allowPrivateNetwork;

  readonly refusal = (host: string): UnsafeUrl =>
    this.isNamed(host)
      ? new UnsafeUrl('private-address', `${host} has no public address (set allowPrivateNetwork to permit it)`)
      : new UnsafeUrl('host', `${host} is not an allowed host`);

  private isNamed(host: string): boolean {
    return isHostAmong(this.patterns, host);
  }
}
