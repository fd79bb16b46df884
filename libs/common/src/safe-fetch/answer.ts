import type { Dispatcher } from 'undici';
import { GrowingBuffer } from '../growing-buffer.js';

/** A host's unmodified answer: redirects are not followed, bodies are not decompressed. */
export interface FetchedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** As UTF-8 text, cut at `maxAnswerBytes`. */
  readonly body: string;
}

/**
 * Collects one answer and at most `maxBytes` of its body; if more arrives, it drops the connection, because the status
 * is known by then. The whole exchange has `timeoutMs`.
 */
export class AnswerCollector implements Dispatcher.DispatchHandler {
  private readonly kept: GrowingBuffer;
  private readonly timer: NodeJS.Timeout;
  private controller?: Dispatcher.DispatchController;
  private status = 0;
  private headers: FetchedAnswer['headers'] = {};
  private timedOut = false;

  constructor(
    private readonly maxBytes: number,
    timeoutMs: number,
    private readonly resolve: (answer: FetchedAnswer) => void,
    private readonly reject: (error: Error) => void,
  ) {
    this.kept = new GrowingBuffer(maxBytes);
    this.timer = setTimeout(() => this.expire(), timeoutMs);
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.controller = controller;
    if (this.timedOut) controller.abort(new TimedOut());
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: FetchedAnswer['headers']): void {
    this.status = status;
    this.headers = headers;
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    const room = this.maxBytes - this.kept.length;
    this.kept.add(chunk.length > room ? chunk.subarray(0, room) : chunk);
    if (chunk.length <= room) return;
    this.finish();
    controller.abort(new Error('the rest of the answer is not needed'));
  }

  onResponseEnd(): void {
    this.finish();
  }

  /** Has no effect after `finish`: a promise settles once. */
  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    clearTimeout(this.timer);
    this.reject(error);
  }

  private finish(): void {
    clearTimeout(this.timer);
    this.resolve({ status: this.status, headers: this.headers, body: this.kept.bytes.toString() });
  }

  /** A request that still waits for a connection has no controller: it is aborted when it starts. */
  private expire(): void {
    this.timedOut = true;
    this.reject(new TimedOut());
    this.controller?.abort(new TimedOut());
  }
}

/** The whole exchange took longer than `timeoutMs`. */
export class TimedOut extends Error {}
