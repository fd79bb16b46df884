import type { Exchange } from './exchange.js';
import type { FrameWriter } from './frame-writer.js';
import { initialMaxFrameSize, initialWindowSize, ProtocolFault } from './frames.js';

const largestWindow = 2 ** 31 - 1;

/** Sends the bodies of one connection's requests, as far as the peer's windows let it (RFC 9113 §5.2). */
export class BodySender {
  private window = initialWindowSize;
  private streamWindow = initialWindowSize;
  /** Those that have something left to send, the oldest first. */
  private readonly waiting = new Set<Exchange>();

  constructor(private readonly writer: FrameWriter) {}

  get isHeldUp(): boolean {
    return this.waiting.size > 0;
  }

  begin(exchange: Exchange): void {
    exchange.window = this.streamWindow;
    if (!exchange.isSent) this.send(exchange);
  }

  forget(exchange: Exchange): void {
    this.waiting.delete(exchange);
  }

  /** WINDOW_UPDATE of the connection. */
  widen(bytes: number): void {
    this.window = widened(this.window, bytes);
    this.goOn();
  }

  /** WINDOW_UPDATE of a stream. */
  widenStream(exchange: Exchange, bytes: number): void {
    exchange.window = widened(exchange.window, bytes);
    if (this.waiting.has(exchange)) this.send(exchange);
  }

  /** SETTINGS_INITIAL_WINDOW_SIZE, which counts for open streams too; those that are sent need no window any more. */
  allow(streamWindow: number): void {
    const change = streamWindow - this.streamWindow;
    this.streamWindow = streamWindow;
    for (const exchange of this.waiting) exchange.window = widened(exchange.window, change);
    this.goOn();
  }

  private goOn(): void {
    for (const exchange of this.waiting) this.send(exchange);
  }

  private send(exchange: Exchange): void {
    const { body } = exchange.request;
    while (!exchange.isSent) {
      const room = Math.min(this.window, exchange.window, initialMaxFrameSize);
      if (room <= 0) return void this.waiting.add(exchange);
      const start = exchange.sentBytes;
      const end = Math.min(start + room, body.length);
      this.writer.data(exchange.streamId, body, start, end);
      exchange.sentBytes = end;
      exchange.window -= end - start;
      this.window -= end - start;
    }
    this.waiting.delete(exchange);
  }
}

function widened(window: number, bytes: number): number {
  if (window + bytes > largestWindow) throw new ProtocolFault('A window is too large');
  return window + bytes;
}
