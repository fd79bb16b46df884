import { EventEmitter } from 'node:events';

/** The other end of a connection, or the way there. */
export interface Line {
  connect(): void;
  /** Messages that belong together. */
  send(bytes: Buffer): void;
  /** This end is closed. */
  end(): void;
}

/** What ends a batch: Sync, a simple query, and the end of the connection. */
const ends = new Set(['S', 'Q', 'X']);

/** The client's end of a connection to PostgreSQL, as pg uses a socket. */
export class SimulatedSocket extends EventEmitter {
  writable = true;
  private written: Buffer[] = [];
  private isStarted = false;

  constructor(private readonly line: Line) {
    super();
  }

  connect(): this {
    this.line.connect();
    return this;
  }

  write(bytes: Buffer, done?: () => void): boolean {
    this.written.push(Buffer.from(bytes));
    // The first message has no letter.
    if (!this.isStarted || ends.has(String.fromCharCode(bytes[0]!))) {
      this.isStarted = true;
      this.line.send(Buffer.concat(this.written.splice(0)));
    }
    if (done) process.nextTick(done);
    return true;
  }

  end(): this {
    return this.destroy();
  }

  destroy(): this {
    if (!this.writable) return this;
    this.line.end();
    process.nextTick(() => this.closed());
    this.writable = false;
    return this;
  }

  /** The server's answers have arrived. */
  take(bytes: Buffer): void {
    if (this.writable) this.emit('data', bytes);
  }

  /** The connection is broken, or refused with a code. */
  broke(code?: string): void {
    if (!this.writable) return;
    this.writable = false;
    if (code !== undefined) this.emit('error', Object.assign(new Error(`connect ${code}`), { code }));
    this.closed();
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  private closed(): void {
    this.emit('end');
    this.emit('close');
  }
}
