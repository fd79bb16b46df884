import net from 'node:net';
import { maskedText, scan } from './frames.mjs';

// All sockets of a process read into one buffer: what is read is used up before the next read.
const shared = Buffer.allocUnsafeSlow(256 * 1024);
const key = Buffer.from('rookery-benchmark').toString('base64').padEnd(24, '=').slice(0, 24).replace(/.{2}$/, '==');
const none = Buffer.alloc(0);

/** One WebSocket of a load client: a bare TCP socket and a frame scanner. */
export class LoadSocket {
  carry = none;
  isOpen = false;
  isClosed = false;
  /** Called with each text once the socket is open; replaced by a counter while there is load. */
  onText = () => {};
  onOpen = () => {};
  onClosed = () => {};

  /**
   * @param {{ host: string, port: number, path: string, localAddress?: string, localPort?: number, offer?: string }} where
   * `offer`: what it says in `Sec-WebSocket-Extensions`
   */
  constructor(where) {
    const { host, port, localAddress, localPort } = where;
    this.onFrame = this.onFrame.bind(this);
    this.socket = net.connect({
      host,
      port,
      ...(localAddress ? { localAddress, localPort } : {}),
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (length) => {
          this.read(length);
          return true;
        },
      },
    });
    this.socket.on('connect', () => this.socket.write(upgrade(where)));
    this.socket.on('error', (error) => (this.error = error));
    this.socket.on('close', () => {
      this.isClosed = true;
      this.onClosed(this);
    });
  }

  send(text) {
    this.socket.write(maskedText(text));
  }

  destroy() {
    this.socket.destroy();
  }

  read(length) {
    let bytes = shared;
    if (this.carry.length > 0) {
      bytes = Buffer.concat([this.carry, shared.subarray(0, length)]);
      length = bytes.length;
      this.carry = none;
    }
    if (!this.isOpen) {
      const end = bytes.subarray(0, length).indexOf('\r\n\r\n');
      if (end < 0 || !bytes.subarray(0, 12).equals(accepted)) {
        if (end < 0) this.carry = Buffer.from(bytes.subarray(0, length));
        else this.socket.destroy(new Error(bytes.subarray(0, end).toString()));
        return;
      }
      this.isOpen = true;
      this.onOpen(this);
      bytes = Buffer.from(bytes.subarray(end + 4, length));
      length = bytes.length;
    }
    const used = scan(bytes, length, this.onFrame);
    if (used < length) this.carry = Buffer.from(bytes.subarray(used, length));
  }

  onFrame(bytes, start, end, opcode) {
    if (opcode === 1) this.onText(this, bytes, start, end);
    else if (opcode === 9) this.socket.write(Buffer.from([0x8a, 0x80, 1, 2, 3, 4]));
  }
}

const accepted = Buffer.from('HTTP/1.1 101');

const upgrade = ({ host, port, path, offer }) =>
  `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  (offer ? `Sec-WebSocket-Extensions: ${offer}\r\n` : '') +
  `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`;
