import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { testApp } from './test-app.js';

/** A WebSocket client without a library, so that it can send any bytes. */
export class RawClient {
  received = Buffer.alloc(0);

  protected constructor(readonly socket: Socket) {
    socket.on('data', (bytes: Buffer) => this.take(bytes));
    socket.on('error', () => {});
  }

  /** A TCP connection on which nothing was said yet. It stays when the server ends its side. */
  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  /** A WebSocket on which the client has said nothing yet. */
  static async upgrade(port: number, { key } = testApp): Promise<RawClient> {
    const client = await RawClient.open(port);
    client.socket.write(upgradeRequest(`/app/${key}?protocol=7`));
    while (!client.received.includes('connection_established')) await once(client.socket, 'data');
    client.received = Buffer.alloc(0);
    return client;
  }

  write(bytes: Uint8Array | string): void {
    if (this.socket.writable) this.socket.write(bytes);
  }

  protected take(bytes: Buffer): void {
    this.received = Buffer.concat([this.received, bytes]);
  }

  /** Says no more and waits until the server has ended its side too. */
  async ended(): Promise<void> {
    if (this.socket.closed) return;
    const closed = once(this.socket, 'close');
    this.socket.end();
    await closed;
  }

  /** The code of the close frame that the server has sent; undefined when it sent none. */
  get closeCode(): number | undefined {
    for (let at = 0; at + 2 <= this.received.length;) {
      const length = this.received[at + 1]!;
      const extended = length === 126 ? 2 : length === 127 ? 8 : 0;
      if (this.received[at] === 0x88) return this.received.readUInt16BE(at + 2);
      at += 2 + extended + (extended === 2 ? this.received.readUInt16BE(at + 2) : length);
    }
    return undefined;
  }
}

/** The request of a WebSocket handshake. */
export function upgradeRequest(target: string, upgrade = 'websocket', method = 'GET'): string {
  return (
    `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nUpgrade: ${upgrade}\r\nConnection: Upgrade\r\n` +
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\nSec-WebSocket-Version: 13\r\n\r\n`
  );
}

/** One frame as a client sends it: masked. */
export function clientFrame(opcode: number, payload: Uint8Array | string, isFinal = true): Buffer {
  const bytes = Buffer.from(payload as string);
  const mask = randomBytes(4);
  const masked = bytes.map((byte, index) => byte ^ mask[index & 3]!);
  return Buffer.concat([header((isFinal ? 0x80 : 0) | opcode, bytes.length), mask, masked]);
}

function header(first: number, length: number): Buffer {
  if (length < 126) return Buffer.from([first, 0x80 | length]);
  const extended = Buffer.alloc(length < 65_536 ? 4 : 10);
  extended[0] = first;
  extended[1] = length < 65_536 ? 0xfe : 0xff;
  if (length < 65_536) extended.writeUInt16BE(length, 2);
  else extended.writeBigUInt64BE(BigInt(length), 2);
  return extended;
}
