import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Counter, Registry } from 'prom-client';
import { closeSync, openSync, readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { devNull } from 'node:os';

/** How often this process is checked for being at its limit, in milliseconds. */
const lookEveryMs = 1000;

/** How many files connections leave for the database, webhooks, push services and the log. */
const reservedOf = (limit: number): number => Math.max(40, Math.min(500, Math.ceil(limit / 4)));

/**
 * Watches the limit of open files: each connection is one. Beyond it, the system closes connections while Node reports
 * nothing, the database and webhooks fail, and a worker loses connections that the primary then keeps open for ever.
 */
@Injectable()
export class OpenFiles implements OnApplicationBootstrap, OnApplicationShutdown {
  readonly registry = new Registry();
  private readonly logger = new Logger('Server');
  private readonly reached = new Counter({
    name: 'rookery_open_files_exhausted_total',
    help: 'How often a process reached its limit of open files: new connections were closed',
    registers: [this.registry],
  });
  private readonly limit = softLimit();
  private readonly most = this.limit - reservedOf(this.limit);
  private connections = 0;
  private isExhausted = false;
  private timer: NodeJS.Timeout | undefined;

  /** Closes connections to the server that would leave too few files for the rest of the process. */
  bound(server: Server): void {
    if (this.limit === Infinity) return;
    const closed = (): void => void this.connections--;
    server.prependListener('connection', (socket: Socket) => {
      this.connections++;
      socket.once('close', closed);
      if (this.connections <= this.most) return;
      // Not `maxConnections`: the primary would then offer the connection to full workers in turn, without end.
      socket.destroy();
      this.note(true);
    });
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => this.note(this.connections >= this.most || !canOpen()), lookEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  private note(isExhausted: boolean): void {
    if (isExhausted === this.isExhausted) return;
    this.isExhausted = isExhausted;
    if (!isExhausted) return this.logger.log('This process is below its limit of open files again');
    this.reached.inc();
    const limit = this.limit === Infinity ? '' : ` (${this.limit}, of which connections may use ${this.most})`;
    this.logger.error(
      `The limit of open files${limit} is reached: new connections are closed. ` +
        'Raise it: `ulimit -n`, LimitNOFILE= in systemd, nofile of the container',
    );
  }
}

function canOpen(): boolean {
  try {
    closeSync(openSync(devNull, 'r'));
    return true;
  } catch (error) {
    return !['EMFILE', 'ENFILE'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}

/** Infinity where there is none, and where it is unknown: other systems than Linux. */
function softLimit(): number {
  try {
    const [, limit] = /^Max open files +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8')) ?? [];
    return Number(limit ?? Infinity);
  } catch {
    return Infinity;
  }
}
