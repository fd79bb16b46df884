import type { Socket } from 'node:net';
import { ProxyFailed, proxyOf, tunnelTo } from '#common';

/** Opens the sockets to an endpoint for which the environment names a proxy, one at a time. */
export class Tunnels {
  private opening?: AbortController;

  constructor(
    private readonly endpoint: URL,
    private readonly timeoutMs: number,
  ) {}

  get isOpening(): boolean {
    return this.opening !== undefined;
  }

  /**
   * Calls `opened` with a socket through the proxy, or at once without one if there is no proxy; `failed` with the fault
   * of the proxy.
   */
  open(opened: (through?: Socket) => void, failed: (fault: ProxyFailed) => void): void {
    let proxy: URL | undefined;
    try {
      proxy = proxyOf(this.endpoint);
    } catch (error) {
      return failed(error as ProxyFailed); // The only error of `proxyOf`.
    }
    if (!proxy) return opened();
    const { signal } = (this.opening = new AbortController());
    const done = (): void => (this.opening = undefined);
    void tunnelTo(this.endpoint, proxy, { timeoutMs: this.timeoutMs, signal }).then(
      (socket) => {
        done();
        if (signal.aborted) socket.destroy();
        else opened(socket);
      },
      (error: ProxyFailed) => {
        done();
        if (!signal.aborted) failed(error);
      },
    );
  }

  close(): void {
    this.opening?.abort();
  }
}
