import { Redis } from 'ioredis';

/** What some work costs all nodes of a Redis, and its longest command: while it runs, all others wait. */
export class RedisCost {
  constructor(nodes) {
    this.clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1'));
    // In milliseconds, from which on Redis notes what took long.
    for (const client of this.clients) void client.config('SET', 'latency-monitor-threshold', 1);
  }

  /** Of what nodes do unasked, such as heartbeats; later figures are without it. */
  async ofIdle(wait) {
    const before = await this.sum();
    const from = performance.now();
    await wait();
    const ms = performance.now() - from;
    const used = differences(await this.sum(), before);
    this.idle = Object.fromEntries(Object.entries(used).map(([name, value]) => [name, value / ms]));
    return { ms, ...used };
  }

  async of(work) {
    await Promise.all(this.clients.map((client) => client.call('LATENCY', 'RESET')));
    const before = await this.sum();
    const from = performance.now();
    await work();
    const ms = performance.now() - from;
    const used = differences(await this.sum(), before);
    for (const name of Object.keys(used)) used[name] = Math.max(0, used[name] - ms * (this.idle?.[name] ?? 0));
    const events = await Promise.all(this.clients.map((client) => client.call('LATENCY', 'LATEST')));
    return { ms, ...used, longestMs: Math.max(0, ...events.flat().map(([, , , longest]) => longest)) };
  }

  close() {
    for (const client of this.clients) client.disconnect();
  }

  async sum() {
    const all = await Promise.all(this.clients.map(figures));
    return Object.fromEntries(Object.keys(all[0]).map((name) => [name, all.reduce((sum, one) => sum + one[name], 0)]));
  }
}

const differences = (after, before) =>
  Object.fromEntries(Object.keys(after).map((name) => [name, after[name] - before[name]]));

async function figures(client) {
  const text = await client.info('everything');
  const sum = (pattern) => Array.from(text.matchAll(pattern), ([, value]) => Number(value)).reduce((a, b) => a + b, 0);
  return {
    calls: sum(/cmdstat_eval(?:sha)?:calls=(\d+)/g),
    commands: sum(/total_commands_processed:(\d+)/g),
    bytes: sum(/total_net_(?:in|out)put_bytes:(\d+)/g),
    cpuMs: 1000 * sum(/used_cpu_(?:sys|user):([\d.]+)/g),
  };
}
