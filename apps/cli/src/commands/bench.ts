import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { channelsClient } from '@rookery/client/server';
import { decoded, type ServerMessage, Socket } from '../channels/socket.js';
import { examples } from '../examples.js';
import { Fault } from '../fault.js';
import { print, printJson, tell } from '../output.js';
import { type JsonOptions, withJson } from '../query.js';
import { answered } from '../server/answers.js';
import { type AppOptions, appOf, type ServedApp, withAppOptions } from '../server/app-options.js';
import { wholeNumber } from '../whole-number.js';

interface BenchOptions extends AppOptions, JsonOptions {
  readonly subscribers: number;
  readonly triggers: number;
}

/** How many sockets are opened concurrently. */
const openedAtOnce = 50;
/** How long the last events may take to arrive, in milliseconds. */
const patienceMs = 10_000;

export const bench = (): Command =>
  withJson(
    withAppOptions(
      new Command('bench')
        .summary('measure the latency of events')
        .description(
          'Opens many subscriptions to one channel of a running server, triggers events one after the other, and ' +
            'prints their latency. With many subscribers, this single process also measures itself.',
        )
        .option('--subscribers <count>', 'connections on the channel', wholeNumber, 100)
        .option('--triggers <count>', 'events', wholeNumber, 200),
    ),
  )
    .addHelpText(
      'after',
      examples(
        ['rookery bench', '100 subscribers, 200 events'],
        ['rookery bench --subscribers 1000 --url https://push.example.com', 'through the proxy'],
      ),
    )
    .action(async (options: BenchOptions) => {
      const app = await appOf(options);
      const figures = await measured(app, options);
      if (options.json) return printJson(figures, options.query);
      const { latencyMs: latency } = figures;
      print(`${options.subscribers} subscribers got ${options.triggers} events each`);
      print(`latency in ms: 50% ${latency.p50}, 95% ${latency.p95}, 99% ${latency.p99}, max ${latency.max}`);
      print(`${figures.deliveriesPerSecond} deliveries/s, ${figures.triggersPerSecond} triggers/s`);
    });

async function measured(app: ServedApp, { subscribers, triggers }: BenchOptions) {
  const channel = `bench-${randomUUID()}`;
  const sentAt: number[] = [];
  const latencies: number[] = [];
  const received = ({ event, data }: ServerMessage): void => {
    if (event === 'tick') latencies.push(performance.now() - sentAt[decoded(data) as number]!);
  };
  const sockets = await subscribed(app, channel, subscribers, received);
  try {
    const begun = performance.now();
    const client = channelsClient(app);
    for (let n = 0; n < triggers; n++) {
      sentAt.push(performance.now());
      await answered(app.url, client.trigger(channel, 'tick', String(n)));
    }
    const triggeredMs = performance.now() - begun;
    const wanted = subscribers * triggers;
    for (const until = performance.now() + patienceMs; latencies.length < wanted && performance.now() < until;)
      await sleep(5);
    if (latencies.length < wanted) throw new Fault(`Only ${latencies.length} of ${wanted} deliveries arrived`);
    const deliveredMs = performance.now() - begun;
    return {
      subscribers,
      triggers,
      latencyMs: percentiles(latencies),
      deliveriesPerSecond: Math.round((wanted / deliveredMs) * 1000),
      triggersPerSecond: Math.round((triggers / triggeredMs) * 1000),
    };
  } finally {
    for (const socket of sockets) socket.close();
  }
}

/** Opens connections, and waits until all are subscribed. */
async function subscribed(app: ServedApp, channel: string, count: number, received: (message: ServerMessage) => void) {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(openedAtOnce, count - sockets.length) }, () =>
      subscribedSocket(app, channel, received),
    );
    sockets.push(...(await Promise.all(some)));
  }
  return sockets;
}

async function subscribedSocket(
  app: ServedApp,
  channel: string,
  received: (message: ServerMessage) => void,
): Promise<Socket> {
  let ready: () => void;
  const isReady = new Promise<void>((resolve) => (ready = resolve));
  const socket = await Socket.connect(app, {
    received(message) {
      if (message.event === 'pusher_internal:subscription_succeeded') ready();
      else received(message);
    },
    lost: (code, reason) => tell(`A connection was lost (${code} ${reason})`),
  });
  socket.subscribe(channel);
  await isReady;
  return socket;
}

function percentiles(values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => Number(sorted[Math.ceil(share * sorted.length) - 1]!.toFixed(2));
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}
