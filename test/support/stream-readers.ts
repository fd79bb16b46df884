import { WebSocket } from 'ws';
import type { StreamPiece } from 'rookery/channels';
import { testApp } from './channels-server.js';
import type { Random } from './random.js';

/** What a page knows of a stream. */
interface Heard {
  text: string;
  end: StreamPiece['end'];
}

/** A page that shows streams. It connects again whenever it is cut off. */
export class StreamReader {
  readonly heard = new Map<string, Heard>();
  readonly faults: string[] = [];
  private socket: WebSocket | undefined;
  private isStopped = false;

  /** @param ports of the servers, any of which it uses */
  constructor(
    private readonly ports: readonly number[],
    readonly channels: readonly string[],
    private readonly random: Random,
  ) {
    this.connect();
  }

  /** The connection breaks; the page keeps what it has shown. */
  cut(): void {
    this.socket?.terminate();
  }

  /** The page is loaded again: it has forgotten everything. */
  reload(): void {
    this.heard.clear();
    this.cut();
  }

  stop(): void {
    this.isStopped = true;
    this.socket?.terminate();
  }

  private connect(): void {
    if (this.isStopped) return;
    const socket = (this.socket = new WebSocket(
      `ws://127.0.0.1:${this.random.of(this.ports)}/app/${testApp.key}?protocol=7&client=js&version=8.6.0`,
    ));
    /** The streams of which this connection has got something. */
    const begun = new Set<string>();
    socket.on('message', (text: Buffer) => {
      // A late message of a connection that the page has given up.
      if (this.socket !== socket || socket.readyState !== WebSocket.OPEN) return;
      const { event, data } = JSON.parse(text.toString()) as { event: string; data: string };
      if (event === 'pusher:connection_established')
        for (const channel of this.channels)
          socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel } }));
      else if (event === 'answer') this.hear(JSON.parse(data) as StreamPiece, begun);
    });
    socket.on('error', () => {});
    socket.on('close', () => setTimeout(() => this.connect(), this.random.below(50)));
  }

  private hear({ stream, at, text, end }: StreamPiece, begun: Set<string>): void {
    const heard = this.heard.get(stream) ?? { text: '', end: undefined };
    if (!begun.has(stream) && at !== 0) this.faults.push(`${stream} begins at ${at}`);
    begun.add(stream);
    if (at > heard.text.length) this.faults.push(`${stream} has ${heard.text.length}, then ${at}`);
    const known = heard.text.slice(at, at + text.length);
    if (!text.startsWith(known)) this.faults.push(`${stream} says ${text} where it had said ${known}`);
    if (at + text.length > heard.text.length) heard.text = heard.text.slice(0, at) + text;
    heard.end = end;
    this.heard.set(stream, heard);
  }
}
