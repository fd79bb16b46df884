import { LoadSocket } from './load-socket.mjs';
import { localPort } from './local-ports.mjs';
import { Publication } from './publisher.mjs';

/** Ways to the host that authorizes: browsers keep a connection each, which would need as many descriptors again. */
const authorizingConnections = 64;
/** As with pusher-js, a client that could not connect tries again a second later. */
const retryMs = 1000;

/** Clients that come back when their server is gone, each to private channels of its own and some that all share. */
export class ReturningClients {
  ready = 0;
  tries = 0;
  authorizations = { calls: 0, channels: 0 };
  waiting = [];
  idle = [];
  authorizing = 0;

  /**
   * @param host whether the server authorizes, in one call for all channels of a client, as `batchedAuthorization` of
   *   @rookery/client asks; else they sign themselves
   */
  constructor({ where, dialect, app, count, channels, host }) {
    Object.assign(this, { where, dialect, app, count, channels, host });
  }

  start() {
    for (let index = 0; index < this.count; index++) this.connect(index);
  }

  /** Resolves with when the last of them was on its channels, as epoch milliseconds. */
  async allReady() {
    if (this.ready < this.count) await new Promise((resolve) => (this.settled = resolve));
    return { at: this.readyAt, tries: this.tries, ...this.authorizations };
  }

  reset() {
    this.tries = 0;
    this.authorizations = { calls: 0, channels: 0 };
  }

  stop() {
    this.isStopped = true;
  }

  connect(index) {
    if (this.isStopped) return;
    this.tries++;
    const socket = new LoadSocket({ ...this.where, path: this.dialect.path, ...localPort(index) });
    let joined = 0;
    socket.onClosed = () => {
      if (joined === this.channels) this.ready--;
      // Browsers do not notice at the same instant.
      setTimeout(() => this.connect(index), retryMs * (joined === this.channels ? Math.random() : 1));
    };
    socket.onText = (_, bytes, start, end) => {
      const text = bytes.latin1Slice(start, end);
      if (text.includes(this.dialect.greeting)) this.subscribe(socket, index, text);
      else if (text.includes(this.dialect.keepAlive.text)) socket.send(this.dialect.keepAlive.answer);
      joined += text.split(this.dialect.joined).length - 1;
      if (joined !== this.channels || socket.isReady) return;
      socket.isReady = true;
      this.readyAt = performance.timeOrigin + performance.now();
      if (++this.ready === this.count) this.settled?.();
    };
  }

  subscribe(socket, index, greeting) {
    const names = Array.from({ length: this.channels }, (_, n) =>
      n === 0 ? `private-user-${index}` : `private-shared-${n}-${index % 100}`,
    );
    if (!this.host) {
      for (const name of names) socket.send(this.dialect.subscribe(name, greeting, index));
      return;
    }
    this.authorizations.calls++;
    this.authorizations.channels += names.length;
    const socketId = /socket_id[\\":]+([\d.]+)/.exec(greeting)[1];
    this.ask({ socketId, names, answer: (answers) => this.authorized(socket, names, answers) });
  }

  authorized(socket, names, answers) {
    if (socket.isClosed) return;
    for (const channel of names)
      socket.send(JSON.stringify({ event: 'pusher:subscribe', data: { channel, auth: answers[channel].data.auth } }));
  }

  ask(question) {
    const idle = this.idle.pop();
    if (idle) this.send(idle, question);
    else if (this.authorizing < authorizingConnections) this.send(this.newConnection(), question);
    else this.waiting.push(question);
  }

  newConnection() {
    this.authorizing++;
    const connection = new Publication(this.where, (_, status, body) => {
      if (status === 200) this.answered(connection, JSON.parse(body));
      // The server is overloaded: 503.
      else setTimeout(() => this.send(connection, connection.question), retryMs);
    });
    return connection;
  }

  answered(connection, answers) {
    connection.question.answer(answers);
    const next = this.waiting.shift();
    if (next) this.send(connection, next);
    else this.idle.push(connection);
  }

  send(connection, question) {
    connection.question = question;
    const body = new URLSearchParams({ socket_id: question.socketId });
    for (const name of question.names) body.append('channel_name[]', name);
    const { host, port } = this.where;
    connection.send(
      Buffer.from(
        `POST /pusher/auth HTTP/1.1\r\nHost: ${host}:${port}\r\nContent-Type: application/x-www-form-urlencoded\r\n` +
          `Content-Length: ${Buffer.byteLength(String(body))}\r\n\r\n${String(body)}`,
      ),
    );
  }
}
