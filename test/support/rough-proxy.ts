import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a bad network does to a connection. */
export const roughness = ['cut', 'stall', 'half-close to the client', 'half-close to the server'] as const;

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
}

/** Stands between clients and servers like a bad network; what comes through is not changed. */
export class RoughProxy {
  private readonly pairs = new Set<Pair>();
  private readonly stalled = new Set<Pair>();

  private constructor(
    private readonly listener: Server,
    private readonly target: () => number | Promise<number>,
  ) {
    listener.on('connection', (client) => void this.join(client));
  }

  /** @param target the port that the next connection goes to; it waits until then */
  static async start(target: () => number | Promise<number>): Promise<RoughProxy> {
    const listener = createServer({ allowHalfOpen: true });
    const proxy = new RoughProxy(listener, target);
    listener.listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return proxy;
  }

  get port(): number {
    return (this.listener.address() as AddressInfo).port;
  }

  /** Does it to all connections that there are. */
  be(rough: (typeof roughness)[number]): void {
    for (const pair of this.pairs) this.disturb(pair, rough);
  }

  /** From now on nothing comes through the connections that there are, and neither side is told. */
  swallow(): void {
    for (const { client, server } of this.pairs) {
      client.unpipe(server).resume();
      server.unpipe(client).resume();
    }
  }

  stop(): void {
    this.listener.close();
    this.be('cut');
  }

  private disturb(pair: Pair, rough: (typeof roughness)[number]): void {
    const { client, server } = pair;
    if (rough === 'half-close to the client') client.end();
    else if (rough === 'half-close to the server') server.end();
    else if (rough === 'cut') for (const socket of [client, server]) socket.resetAndDestroy();
    else void this.stall(pair);
  }

  /** Nothing goes through, for as long as the client may wait or a little less. */
  private async stall(pair: Pair): Promise<void> {
    // A second pipe between the same sockets would send everything twice.
    if (this.stalled.has(pair)) return;
    this.stalled.add(pair);
    const { client, server } = pair;
    client.unpipe(server).pause();
    server.unpipe(client).pause();
    await delay(600);
    this.stalled.delete(pair);
    client.pipe(server);
    server.pipe(client);
  }

  private async join(client: Socket): Promise<void> {
    // It may end while it waits.
    client.on('error', () => {});
    const port = await this.target();
    if (client.destroyed) return;
    const server = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const pair = { client, server };
    this.pairs.add(pair);
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => {});
      socket.on('close', () => {
        this.pairs.delete(pair);
        other.destroy();
      });
    }
    client.pipe(server);
    server.pipe(client);
  }
}
