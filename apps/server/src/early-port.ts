import cluster from 'node:cluster';
import { once } from 'node:events';
import type { Server as HttpServer } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { queueLength } from './queue-length.js';

/** How many clients wait at most, and how long; others are disconnected. */
interface Bounds {
  readonly most: number;
  readonly maxMs: number;
}

/** pusher-js gives up an attempt after 15 seconds. */
const defaultBounds: Bounds = { most: 10_000, maxMs: 15_000 };

/**
 * The server's port, opened before the server is loaded. Clients that connect in the meantime wait for the server: if they
 * were refused, pusher-js would not retry for 15 seconds.
 */
export class EarlyPort {
  /** The waiting clients, each with a function that ends its wait. */
  private readonly held = new Map<Socket, () => void>();
  private readonly maxMs: number;

  private constructor(
    private readonly early: Server,
    { most, maxMs }: Bounds,
  ) {
    early.maxConnections = most;
    this.maxMs = maxMs;
    early.on('connection', (socket) => this.hold(socket));
  }

  /** @returns undefined if the server has to open the port itself, or to report why it cannot */
  static async open(environment: NodeJS.ProcessEnv, bounds = defaultBounds): Promise<EarlyPort | undefined> {
    const host = environment['HOST']?.trim() || '127.0.0.1';
    const port = Number(environment['PORT'] || '6001');
    // With workers, the primary opens the port later; localhost may be two addresses; and a path is no port.
    if (!isServedAlone(environment) || host === 'localhost' || host.startsWith('/') || !isPort(port)) return undefined;
    const early = createServer({ pauseOnConnect: true });
    const held = new EarlyPort(early, bounds);
    early.listen(port, host, queueLength);
    try {
      await once(early, 'listening');
      return held;
    } catch {
      return undefined;
    }
  }

  /** What to pass to `listen`: Node accepts another server in place of options, and Nest an object with a host. */
  options(host: string): Server & { readonly host: string } {
    return Object.assign(this.early, { host });
  }

  /** Passes the waiting clients to the server, which must be listening by now. */
  passTo(server: HttpServer): void {
    for (const [socket, letGo] of this.held) {
      letGo();
      server.emit('connection', socket);
      socket.resume();
    }
  }

  private hold(socket: Socket): void {
    const fault = (): void => {};
    const timer = setTimeout(() => socket.destroy(), this.maxMs);
    const letGo = (): void => {
      clearTimeout(timer);
      this.held.delete(socket);
      socket.off('close', letGo).off('error', fault);
    };
    this.held.set(socket, letGo);
    socket.on('close', letGo).on('error', fault);
  }
}

const isServedAlone = ({ WORKERS: workers, LISTEN_FDS: sockets }: NodeJS.ProcessEnv): boolean =>
  (workers || '1') === '1' && !sockets && cluster.isPrimary;

const isPort = (port: number): boolean => Number.isInteger(port) && port >= 0 && port <= 65_535;
