import type { ServerResponse } from 'node:http';

/** A client's request that waits for data. */
export interface TransportAnswer {
  /** Whether nothing more can be written: the client sends another request. */
  readonly isEnded: boolean;
  /** Bytes queued because the client reads slowly. */
  readonly waitingBytes: number;
  write(bytes: Buffer): void;
  end(bytes?: Buffer): void;
  /** Ends it without a final write. */
  destroy(): void;
}

/** Lets pages of any origin read the answer, and keeps proxies from caching, compressing or buffering it. */
const headers = {
  'access-control-allow-origin': '*',
  'cache-control': 'no-store, no-transform',
  'content-type': 'application/javascript; charset=UTF-8',
  'x-accel-buffering': 'no',
  'x-content-type-options': 'nosniff',
} as const;

/** pusher-js reads no more than this of one answer; then it sends a new request (channels-wire §11). */
const streamBytes = 256 * 1024;

/** For streams, stays open until pusher-js would send a new request; for polls, ends with the first write. */
export class HttpAnswer implements TransportAnswer {
  isEnded = false;
  private written = 0;

  constructor(
    private readonly response: ServerResponse,
    private readonly isStream: boolean,
  ) {}

  get waitingBytes(): number {
    return this.response.writableLength;
  }

  write(bytes: Buffer): void {
    this.written += bytes.length;
    if (!this.isStream || this.written > streamBytes) return this.end(bytes);
    this.begin();
    this.response.write(bytes);
  }

  end(bytes?: Buffer): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.begin();
    this.response.end(bytes);
  }

  /** Resolves when the client has read most of it, or has stopped reading. */
  async drained(): Promise<void> {
    const { response } = this;
    if (!response.writableNeedDrain || response.destroyed) return;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        response.off('drain', end).off('close', end);
        resolve();
      };
      response.on('drain', end).on('close', end);
    });
  }

  destroy(): void {
    this.isEnded = true;
    this.response.destroy();
  }

  private begin(): void {
    if (!this.response.headersSent) this.response.writeHead(200, headers);
  }
}
