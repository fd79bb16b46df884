import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { StreamsService } from 'rookery/channels';
import { startChannels, testApp } from '../support/channels-server.js';
import { Random } from '../support/random.js';
import { StreamReader } from '../support/stream-readers.js';
import { channelOf, streamAll, textOf } from '../support/stream-texts.mjs';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

const count = 1000;
const all = Array.from({ length: count }, (_, n) => n);

it('tells 1,000 streams at once to all, byte for byte, whenever they join, are cut off or reload', async () => {
  const random = new Random(Number(process.env['SEED'] ?? 7));
  const server = await startChannels({ apps: [{ ...testApp, history: [{ channels: 'chat-*', streams: true }] }] });
  const readers: StreamReader[] = [];
  const add = () => {
    const from = random.below(100);
    const channels = Array.from({ length: 10 }, (_, n) => `chat-${(from + n) % 100}`);
    readers.push(new StreamReader([server.port], channels, random));
  };
  for (let n = 0; n < 20; n++) add();

  const streamed = { isDone: false };
  const streaming = streamAll(server.app.get(StreamsService), all, 60).then(() => (streamed.isDone = true));
  while (!streamed.isDone) {
    await delay(10);
    const choice = random.weighted({ add: 1, cut: 8, reload: 3, none: 8 });
    if (choice === 'add' && readers.length < 60) add();
    if (choice === 'cut') random.of(readers).cut();
    if (choice === 'reload') random.of(readers).reload();
  }
  await streaming;
  add();

  for (const reader of readers) {
    const streams = all.filter((stream) => reader.channels.includes(channelOf(stream)));
    expect(streams).toHaveLength(100);
    await until(() => streams.every((stream) => reader.heard.get(String(stream))?.end === 'done'), 'all have ended');
    for (const stream of streams) expect(reader.heard.get(String(stream))!.text).toBe(textOf(stream));
    expect(reader.faults).toEqual([]);
    reader.stop();
  }
  await server.close();
});
