import { createHash, createHmac } from 'node:crypto';
import net from 'node:net';

/** A signed request of the Channels HTTP API as bytes, ready to be written. */
export function signedRequest({ host, port, app, path, body }) {
  const md5 = createHash('md5').update(body).digest('hex');
  const query = `auth_key=${app.key}&auth_timestamp=${Math.floor(Date.now() / 1000)}&auth_version=1.0&body_md5=${md5}`;
  const signature = createHmac('sha256', app.secret).update(`POST\n${path}\n${query}`).digest('hex');
  return Buffer.from(
    `POST ${path}?${query}&auth_signature=${signature} HTTP/1.1\r\nHost: ${host}:${port}\r\n` +
      `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}

const shared = Buffer.allocUnsafeSlow(64 * 1024);

/** One keep-alive HTTP connection with one request in flight. */
export class Publication {
  rest = '';

  constructor(where, onAnswer) {
    this.where = where;
    this.onAnswer = onAnswer;
    this.connect();
  }

  connect() {
    this.socket = net.connect({
      host: this.where.host,
      port: this.where.port,
      noDelay: true,
      onread: {
        buffer: shared,
        callback: (length) => {
          this.read(length);
          return true;
        },
      },
    });
    this.socket.on('error', () => {});
    this.socket.on('close', () => this.closed());
    if (this.request) this.socket.write(this.request);
  }

  send(request) {
    this.request = request;
    this.sentAt = performance.now();
    this.socket.write(request);
  }

  // A server may close after each answer; one that closes before its answer gets the request again.
  closed() {
    if (!this.isStopped) this.connect();
  }

  read(length) {
    this.rest += shared.latin1Slice(0, length);
    const end = this.rest.indexOf('\r\n\r\n');
    if (end < 0) return;
    const size = /content-length: *(\d+)/i.exec(this.rest);
    const isWhole = size ? this.rest.length >= end + 4 + Number(size[1]) : this.rest.endsWith('0\r\n\r\n');
    if (!isWhole) return;
    const status = Number(this.rest.slice(9, 12));
    const body = this.rest.slice(end + 4);
    this.rest = '';
    this.request = undefined;
    this.onAnswer(this, status, body);
  }

  stop() {
    this.isStopped = true;
    this.socket.destroy();
  }
}

/**
 * Publishes from `inFlight` connections: each as fast as it is answered, or all in turn at `rate` a second, `together`
 * of them at a time.
 * `next()` makes the request; what was answered is counted by status.
 */
export class Publisher {
  answered = 0;
  refused = 0;
  isRunning = false;
  /** How long answers took, in milliseconds, if they are timed. */
  times;
  /** Called when the last request is answered. */
  onEnd = () => {};
  inFlight = 0;

  constructor(where, inFlight, next, rate, together = 1) {
    this.next = next;
    this.rate = rate;
    this.together = together;
    this.idle = [];
    this.connections = Array.from({ length: inFlight }, () => new Publication(where, (c, s) => this.done(c, s)));
  }

  start() {
    this.isRunning = true;
    this.inFlight = this.connections.length;
    if (!this.rate) {
      for (const connection of this.connections) connection.send(this.next());
      return;
    }
    this.idle = [...this.connections];
    let due = performance.now();
    this.timer = setInterval(() => {
      for (const now = performance.now(); due <= now; due += 1000 / this.rate)
        for (const connection of this.idle.splice(-this.together)) connection.send(this.next());
    }, 1);
  }

  done(connection, status) {
    if (status === 200) this.answered++;
    else this.refused++;
    this.times?.push(performance.now() - connection.sentAt);
    if (!this.isRunning) {
      if (--this.inFlight === 0) this.onEnd();
    } else if (this.rate) this.idle.push(connection);
    else connection.send(this.next());
  }

  stop() {
    this.isRunning = false;
    clearInterval(this.timer);
    for (const connection of this.connections) connection.stop();
  }
}
