// A load client in a process of its own. It is told what to do by messages of its parent and answers each with one.
import { dialects } from './dialects.mjs';
import { JitteringClients } from './jittering.mjs';
import { LoadSocket } from './load-socket.mjs';
import { localPort, perAddress } from './local-ports.mjs';
import { Publisher, signedRequest } from './publisher.mjs';
import { ReturningClients } from './returning.mjs';

/** @type {LoadSocket[]} */
let sockets = [];
let dialect;
let target;
let messages = 0;
let closed = 0;
let latencies;
let publisher;
let returning;
/** @type {JitteringClients} */
let jittering;

/** How many milliseconds ago a stamp was made. */
let stampedAt = (stamp) => now() - stamp;

const now = () => performance.timeOrigin + performance.now();

const commands = {
  /**
   * Opens `count` sockets, `atOnce` at a time; each joins `channel`, or `channel` with its number modulo `channels`, as
   * a user of its own or all as `user`. `offer`: the WebSocket extension that each offers.
   */
  connect({ where, dialect: name, app, count, channel, channels = 1, user, atOnce = 128, offer }) {
    target = { ...where, app };
    dialect = dialects[name](app);
    if (count === 0) return { ms: 0 };
    const started = performance.now();
    const isMany = sockets.length + count > perAddress;
    let opened = 0;
    let ready = 0;
    return new Promise((resolve, reject) => {
      const openNext = () => {
        if (opened === count) return;
        const index = opened++;
        const socket = new LoadSocket({
          ...where,
          path: dialect.path,
          offer,
          ...(isMany && localPort(sockets.length)),
        });
        sockets.push(socket);
        const joined = () => {
          socket.onText = counted;
          if (++ready === count) resolve({ ms: performance.now() - started });
          else openNext();
        };
        socket.onClosed = () => {
          closed++;
          if (ready < count) reject(new Error(`a socket was closed after ${ready} of ${count}: ${socket.error ?? ''}`));
        };
        if (dialect.hello) socket.onOpen = () => socket.send(dialect.hello);
        socket.onText = (_, bytes, start, end) => {
          const text = bytes.toString('utf8', start, end);
          if (text.includes(dialect.greeting)) {
            if (channel === undefined) return joined();
            socket.channel = channels > 1 ? `${channel}-${index % channels}` : channel;
            socket.send(dialect.subscribe(socket.channel, text, index, user));
          } else if (text.includes(dialect.joined)) joined();
        };
      };
      for (let i = 0; i < atOnce; i++) openNext();
    });
  },

  /**
   * Publishes for a while and counts what arrives. `rate` paces it; `sample` also measures the way of some events, and
   * `timed` how long the answers take. `json`: the events have the data of an application, not one letter.
   */
  async load({ channels, bytes, json, inFlight, seconds, warmUp = 0.3, rate, together, sample, timed }) {
    const requests = requestsFor({ channels, bytes, json, stamped: Boolean(sample) });
    latencies = sample ? [] : undefined;
    publisher = new Publisher(target, inFlight, requests, rate, together);
    publisher.start();
    await sleep(warmUp);
    if (timed) publisher.times = [];
    const result = await counting(seconds);
    const answers = timed ? percentiles(publisher.times) : undefined;
    publisher.stop();
    await sleep(0.2);
    latencies = undefined;
    return { ...result, ...(answers && { answers }) };
  },

  /** Counts what a server sends by itself, whose stamps are nanoseconds of the machine's clock since its start. */
  async listen({ seconds, warmUp = 0.3 }) {
    await sleep(warmUp);
    latencies = [];
    stampedAt = (stamp) => (Number(process.hrtime.bigint()) - stamp) / 1e6;
    return counting(seconds);
  },

  /** Publishes `count` requests, as fast as they are answered. */
  async publish({ channels, bytes, inFlight, count }) {
    const requests = requestsFor({ channels, bytes });
    let left = count;
    await new Promise((resolve) => {
      publisher = new Publisher(target, inFlight, () => {
        if (--left <= 0) publisher.isRunning = false;
        if (publisher.answered + publisher.refused >= count - inFlight) resolve();
        return requests();
      });
      publisher.start();
    });
    await sleep(0.5);
    publisher.stop();
    return { answered: publisher.answered, refused: publisher.refused };
  },

  /** Publishes `count` requests on connections that stay open, until all are answered. */
  burst({ channels, bytes, inFlight, count }) {
    const requests = requestsFor({ channels, bytes });
    let left = count;
    publisher ??= new Publisher(target, inFlight);
    return new Promise((resolve) => {
      publisher.next = () => {
        if (--left === 0) publisher.isRunning = false;
        return requests();
      };
      publisher.onEnd = () => resolve({});
      publisher.start();
    });
  },

  /** Connects, leaves, and comes back when told: how long it takes until `count` events have come. */
  async returns({ where, app, channel, count }) {
    const { path, greeting, joined, subscribe } = dialects.pusher({ ...app, hasSessions: true });
    const connect = (heard) => {
      const socket = new LoadSocket({ ...where, path });
      socket.onClosed = () => {};
      socket.onText = (_, bytes, start, end) => {
        const text = bytes.toString('utf8', start, end);
        if (text.includes(greeting)) socket.send(subscribe(channel, text, 0));
        else heard(text, text.includes(joined));
      };
      return socket;
    };
    await new Promise((resolve) => {
      const socket = connect((_, isJoined) => {
        if (!isJoined) return;
        socket.destroy();
        resolve();
      });
    });
    target = { ...where, app };
    await commands.publish({ channels: { names: [channel], batch: 10 }, bytes: 100, inFlight: 8, count: count / 10 });
    const from = performance.now();
    return new Promise((resolve) => {
      let events = 0;
      const socket = connect((text) => {
        events += text.split('"replayed":true').length - 1;
        if (events < count) return;
        socket.destroy();
        resolve({ ms: performance.now() - from, events });
      });
    });
  },

  /** Clients that come back to their server; answers when all are on their channels. */
  comeBack({ where, dialect: name, app, ...options }) {
    returning = new ReturningClients({ where, dialect: dialects[name](app), app, ...options });
    returning.start();
    return returning.allReady();
  },

  /** Answers when all of them are back, once some have gone. */
  async areBack() {
    while (returning.ready === returning.count) await sleep(0.01);
    returning.reset();
    return returning.allReady();
  },

  /** Clients whose connections break while events come. */
  async jitter({ dialect: name, app, ...options }) {
    jittering = new JitteringClients({ ...options, app: { ...app, hasSessions: true }, dialectOf: dialects[name] });
    const before = process.cpuUsage();
    const { replays, live, ...counts } = await jittering.run();
    const { user, system } = process.cpuUsage(before);
    const cpuSeconds = (user + system) / 1e6;
    return {
      ...counts,
      cpuSeconds,
      replays: { ...percentiles(replays), count: replays.length },
      live: percentiles(live),
    };
  },

  /** Answers when all of them are on their channel. */
  async allJoined() {
    while (!jittering.areJoined) await sleep(0.01);
    return {};
  },

  stopComing() {
    returning.stop();
    return {};
  },

  /** Every socket sends `perSecond` client events for a while, spread over each second. */
  async clientEvents({ seconds, perSecond }) {
    latencies = [];
    let next = 0;
    let due = performance.now();
    const step = 1000 / (perSecond * sockets.length);
    const timer = setInterval(() => {
      for (const until = performance.now(); due <= until; due += step) {
        const socket = sockets[next++ % sockets.length];
        socket.send(dialect.clientEvent(socket.channel, `{"t":${now().toFixed(3)},"p":"${'x'.repeat(60)}"}`));
      }
    }, 1);
    await sleep(0.5);
    const result = await counting(seconds);
    clearInterval(timer);
    latencies = undefined;
    return result;
  },

  /** Sends a ping on each socket in turn, `perSecond` in all, and measures how long the pongs take. */
  async pings({ seconds, perSecond }) {
    const times = [];
    for (const socket of sockets)
      socket.onText = (_, bytes, start, end) => {
        if (socket.pingedAt === undefined || !bytes.latin1Slice(start, end).includes(dialect.pong)) return;
        times.push(performance.now() - socket.pingedAt);
        socket.pingedAt = undefined;
      };
    let next = 0;
    const timer = setInterval(() => {
      const socket = sockets[next++ % sockets.length];
      if (socket.pingedAt !== undefined) return;
      socket.pingedAt = performance.now();
      socket.send(dialect.ping);
    }, 1000 / perSecond);
    await sleep(seconds);
    clearInterval(timer);
    await sleep(0.2);
    return { latency: percentiles(times) };
  },

  close() {
    for (const socket of sockets) socket.destroy();
    sockets = [];
    closed = 0;
    return {};
  },
};

function counted(socket, bytes, start, end) {
  messages++;
  if (end - start < 80 && isKeepAlive(bytes, start, end)) {
    messages--;
    socket.send(dialect.keepAlive.answer);
  } else if (latencies && (messages & 7) === 0) sampleWay(bytes, start, end);
}

const isKeepAlive = (bytes, start, end) => bytes.latin1Slice(start, end).startsWith(dialect.keepAlive.text);

// The stamp is inside a JSON text inside a JSON text, so its quotes are escaped.
function sampleWay(bytes, start, end) {
  const sentAt = /\\"t\\":([\d.]+)/.exec(bytes.latin1Slice(start, end))?.[1];
  if (sentAt) latencies.push(stampedAt(Number(sentAt)));
}

async function counting(seconds) {
  const from = {
    at: performance.now(),
    cpu: process.cpuUsage(),
    messages,
    bytes: bytesRead(),
    answered: publisher?.answered ?? 0,
  };
  if (latencies) latencies = [];
  process.send({ measuring: true });
  await sleep(seconds);
  process.send({ measuring: false });
  const took = (performance.now() - from.at) / 1000;
  const cpu = process.cpuUsage(from.cpu);
  return {
    seconds: took,
    messagesPerSecond: (messages - from.messages) / took,
    bytesPerMessage: (bytesRead() - from.bytes) / (messages - from.messages || 1),
    answersPerSecond: ((publisher?.answered ?? 0) - from.answered) / took,
    refused: publisher?.refused ?? 0,
    closed,
    clientCpu: (cpu.user + cpu.system) / 1e6 / took,
    ...(latencies ? { latency: percentiles(latencies) } : {}),
  };
}

const bytesRead = () => sockets.reduce((sum, { socket }) => sum + socket.bytesRead, 0);

// Requests are signed beforehand, so that the client costs less than the server; stamped ones cannot be.
function requestsFor({ channels, bytes, json, stamped }) {
  const path = `/apps/${target.app.id}/${channels.batch ? 'batch_events' : 'events'}`;
  const request = (n) =>
    signedRequest({
      ...target,
      path,
      body: JSON.stringify(json ? ordersOf(channels, bytes, n) : bodyOf(channels, bytes, n)),
    });
  if (stamped) return () => request(0);
  const pool = Array.from({ length: 256 }, (_, n) => request(n));
  let next = 0;
  return () => pool[next++ & 255];
}

function bodyOf({ names, batch }, bytes, n) {
  const stamp = `{"t":${now().toFixed(3)},"n":${n},"p":"`;
  // So that a whole event frame has about `bytes` of payload.
  const data = `${stamp}${'x'.repeat(Math.max(0, bytes - 50 - stamp.length))}"}`;
  if (!batch) return { name: 'm', channels: names, data };
  return { batch: Array.from({ length: batch }, () => ({ name: 'm', channel: names[0], data })) };
}

/** Some orders of a shop, as it lists them. */
function ordersOf({ names }, bytes, n) {
  const states = ['placed', 'paid', 'packed', 'on its way', 'delivered'];
  const orders = [];
  for (let length = 100; length < bytes; length = JSON.stringify(orders).length) {
    // Any number from 0 to a million, the same in each run.
    const draw = (salt) => Math.imul(n * 7919 + orders.length * 104_729 + salt, 2_654_435_761) >>> 12;
    const [id, cents] = [draw(1), draw(2) / 100];
    orders.push({
      id,
      customer: `customer-${draw(3)}`,
      total: cents,
      state: states[draw(4) % 5],
      at: 1.7e12 + draw(5),
    });
  }
  return { name: 'm', channels: names, data: JSON.stringify(orders) };
}

function percentiles(times) {
  const sorted = Float64Array.from(times).sort();
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null;
  return { p50: at(0.5), p99: at(0.99), p999: at(0.999), samples: sorted.length };
}

const sleep = (seconds) => new Promise((resolve) => setTimeout(resolve, seconds * 1000));

process.on('message', ({ id, command, ...options }) => {
  Promise.resolve()
    .then(() => commands[command](options))
    .then(
      (result) => process.send({ id, result }),
      (error) => process.send({ id, error: error.message }),
    );
});
process.on('disconnect', () => process.exit(0));
