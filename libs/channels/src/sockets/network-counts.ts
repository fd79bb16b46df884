/** Connections by the network of their client, which is undefined for private addresses: these are not counted. */
export class NetworkCounts {
  private readonly counts = new Map<string, number>();

  of(network: string | undefined): number {
    return network === undefined ? 0 : (this.counts.get(network) ?? 0);
  }

  add(network: string | undefined, by: 1 | -1): void {
    if (network === undefined) return;
    const count = this.of(network) + by;
    if (count > 0) this.counts.set(network, count);
    else this.counts.delete(network);
  }
}
