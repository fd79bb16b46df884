import { withoutDoubles } from '../../libs/sdk/dist/modules/client.mjs';
import { LoadSocket } from './load-socket.mjs';
import { Publication, signedRequest } from './publisher.mjs';

/** A connection breaks every 13 to 17 s, and its client is offline for 2 s: as in anycable/nodejs-websocket-bench. */
const [shortestMs, longestMs, offlineMs] = [13_000, 17_000, 2000];
/** How long clients may take to come back and get the rest after the last event. */
const graceMs = 30_000;
const connectsAtOnce = 200;

const now = () => performance.timeOrigin + performance.now();
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** @returns whether a text is one that `withoutDoubles` of @rookery/client drops: it knows pusher-js by these parts alone */
function doublesFilter() {
  let listener;
  const transport = { bind_global: (callback) => (listener = callback) };
  const connection = { state: 'connected', bind: () => {}, connection: { transport } };
  withoutDoubles({ connection });
  return (data) => {
    const message = { data };
    listener('message', message);
    return message.data !== data;
  };
}

/** One client, over all its connections. */
class JitteringClient {
  doubles = 0;
  doublesLeft = 0;
  got = 0;
  isDouble = doublesFilter();
  isBack = false;

  constructor(all, { where, path, dialect }, index) {
    Object.assign(this, { all, where, path, dialect, index });
    this.seen = new Uint8Array(all.events);
  }

  connect() {
    this.connectsAt = now();
    const socket = new LoadSocket({ ...this.where, path: this.path });
    this.socket = socket;
    if (this.dialect.hello) socket.onOpen = () => socket.send(this.dialect.hello);
    socket.onText = (_, bytes, start, end) => this.read(socket, bytes.latin1Slice(start, end));
    socket.onClosed = () => {
      // As with pusher-js, a client that could not connect tries again a second later.
      if (socket !== this.socket) return;
      this.isBack = false;
      setTimeout(() => this.connect(), 1000);
    };
  }

  read(socket, text) {
    const { dialect, all } = this;
    const n = /n\\*":(\d+),/.exec(text)?.[1];
    if (this.isDouble(text)) this.doubles += 1;
    else if (n !== undefined) this.take(Number(n));
    if (n !== undefined) return;
    if (text.includes(dialect.greeting)) socket.send(dialect.subscribe(all.channel, text, this.index));
    else if (text.includes(dialect.joined)) {
      this.isBack = true;
      all.joined();
    } else if (text.startsWith(dialect.keepAlive.text)) socket.send(dialect.keepAlive.answer);
  }

  take(n) {
    if (this.seen[n] > 0) {
      this.doublesLeft += 1;
      return;
    }
    this.seen[n] = 1;
    this.got += 1;
    const { sentAt, replays, live } = this.all;
    if (sentAt[n] < this.connectsAt) replays.push(now() - this.connectsAt);
    else live.push(now() - sentAt[n]);
  }

  break() {
    if (this.all.isOver) return;
    const { socket } = this;
    this.socket = undefined;
    this.isBack = false;
    // Reset, as a network does that is gone: a close would say good-bye.
    socket.socket.resetAndDestroy();
    setTimeout(() => this.connect(), offlineMs);
    this.breakLater(offlineMs);
  }

  breakLater(afterMs = 0) {
    setTimeout(() => this.break(), afterMs + shortestMs + Math.random() * (longestMs - shortestMs));
  }
}

/** Clients of one channel, whose connections break again and again; each notes which events have come. */
export class JitteringClients {
  ready = 0;
  isOver = false;
  replays = [];
  live = [];
  sentAt = [];

  /**
   * @param targets where the servers are; clients take turns
   * @param isSteady whether connections break only with their server
   */
  constructor({ targets, dialectOf, app, channel, count, events, perSecond, isSteady = false }) {
    Object.assign(this, { targets, app, channel, events, perSecond, isSteady });
    this.clients = Array.from({ length: count }, (_, index) => {
      const dialect = dialectOf(app);
      return new JitteringClient(this, { where: targets[index % targets.length], path: dialect.path, dialect }, index);
    });
  }

  joined() {
    this.ready += 1;
    this.onJoined?.();
  }

  get areJoined() {
    return this.clients.every(({ isBack }) => isBack);
  }

  async connectAll() {
    let next = 0;
    await new Promise((resolve) => {
      const connectNext = () => this.clients[next++]?.connect();
      this.onJoined = () => (this.ready === this.clients.length ? resolve() : connectNext());
      for (let n = 0; n < connectsAtOnce; n++) connectNext();
    });
    this.onJoined = undefined;
  }

  /** @returns shares and counts of deliveries, and how long replays take from the attempt to connect, in milliseconds */
  async run() {
    await this.connectAll();
    if (!this.isSteady) for (const client of this.clients) client.breakLater(-shortestMs * Math.random());
    await this.publishAll();
    this.isOver = true;
    const until = performance.now() + graceMs;
    const isWhole = () => this.clients.every(({ got, isBack }) => isBack && got === this.events);
    while (!isWhole() && performance.now() < until) await sleep(100);
    const sum = (what) => this.clients.reduce((total, client) => total + client[what], 0);
    return {
      wanted: this.clients.length * this.events,
      got: sum('got'),
      doubles: sum('doubles'),
      doublesLeft: sum('doublesLeft'),
      reconnections: this.ready - this.clients.length,
      replays: this.replays,
      live: this.live,
    };
  }

  async publishAll() {
    let answered = () => {};
    const publication = new Publication(this.targets[0], (_, status) => {
      if (status !== 200) throw new Error(`a publication was answered ${status}`);
      answered();
    });
    const path = `/apps/${this.app.id}/events`;
    for (let n = 0; n < this.events; n++) {
      const due = sleep(1000 / this.perSecond);
      const body = JSON.stringify({ name: 'm', channels: [this.channel], data: `{"n":${n},"p":"${'x'.repeat(80)}"}` });
      this.sentAt[n] = now();
      await new Promise((resolve) => {
        answered = resolve;
        publication.send(signedRequest({ ...this.targets[0], app: this.app, path, body }));
      });
      await due;
    }
    publication.stop();
  }
}
