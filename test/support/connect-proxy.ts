import { createServer, type IncomingMessage, type Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { listen } from './stand-ins/listen.js';

/** What the proxy does with the next requests: the work, or what bad proxies do. */
export type ProxyConduct = 'connect' | 'hang' | 'drop' | 'garbage' | 'garbage in the tunnel' | number;

/**
 * An HTTP proxy of a closed network: it knows every name as this machine, whose DNS knows none of them, so a connection
 * beside the proxy fails.
 */
export class ConnectProxy {
  /** The hosts and ports that were asked for, and how many connections it opened. */
  readonly asked: string[] = [];
  opened = 0;
  conduct: ProxyConduct = 'connect';
  /** `user:password` to ask for; otherwise it answers 407. */
  credentials?: string;
  private readonly ends = new Set<Socket>();

  private constructor(
    readonly port: number,
    private readonly stop: () => Promise<void>,
  ) {}

  static async start(): Promise<ConnectProxy> {
    const server: Server = createServer();
    const { port, close } = await listen(server);
    const proxy = new ConnectProxy(port, close);
    server.on('connect', (request, near: Socket, head) => proxy.take(request, near, head));
    return proxy;
  }

  url(user = ''): string {
    return `http://${user && `${user}@`}127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    for (const end of this.ends) end.destroy();
    await this.stop();
  }

  private take({ url = '', headers }: IncomingMessage, near: Socket, head: Buffer): void {
    this.asked.push(url);
    near.on('error', () => near.destroy());
    if (this.conduct === 'hang') return;
    if (this.conduct === 'drop') return void near.destroy();
    if (this.conduct === 'garbage') return void near.end('\0\x01garbage\r\n\r\n');
    if (this.conduct === 'garbage in the tunnel') return void near.end('HTTP/1.1 200 OK\r\n\r\n\0\x01garbage');
    const wanted = this.credentials && `Basic ${Buffer.from(this.credentials).toString('base64')}`;
    const refusal = !wanted || wanted === headers['proxy-authorization'] ? this.conduct : 407;
    if (typeof refusal === 'number') return void near.end(`HTTP/1.1 ${refusal} Refused\r\n\r\n`);
    const far = connect(Number(url.split(':').at(-1)), '127.0.0.1', () => {
      this.opened += 1;
      near.write('HTTP/1.1 200 Connection established\r\n\r\n');
      far.write(head);
      near.pipe(far).pipe(near);
    });
    for (const end of [near, far]) this.ends.add(end);
    far.on('error', () => near.destroy()).on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  }
}
