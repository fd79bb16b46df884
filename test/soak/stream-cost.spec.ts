import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { EventsService, type EventStream, StreamsService } from 'rookery/channels';
import { startChannels, testApp } from '../support/channels-server.js';
import { cpuMs } from '../support/cpu-time.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

vi.setConfig({ testTimeout: 120_000 });

const streams = 100;
const rounds = 100;
const text = ' a piece of an answer';

/** As a fast model brings its tokens. */
const pauseMs = 10;

it('a piece costs less CPU than the same text as an event', async () => {
  const server = await startChannels({
    apps: [{ ...testApp, history: [{ channels: 'chat-*', streams: true }, { channels: 'news-*' }] }],
  });
  const events = server.app.get(EventsService);
  const service = server.app.get(StreamsService);
  const listener = await SocketClient.connect(server.port);
  // What arrives is counted only: reading it would cost the same for both.
  const got = { bytes: 0 };
  for (let n = 0; n < streams; n++) for (const kind of ['chat', 'news']) await listener.subscribe(`${kind}-${n}`);
  listener.socket.removeAllListeners('message');
  listener.socket.on('message', (message: Buffer) => (got.bytes += message.length));

  const arrived = async () => {
    // Pieces that are being joined.
    await delay(100);
    let before = -1;
    while (got.bytes !== before) {
      before = got.bytes;
      for (let n = 0; n < 20; n++) await nextTurn();
    }
  };
  let answers: EventStream[] = [];
  const begin = async () => {
    answers = await Promise.all(Array.from({ length: streams }, (_, n) => service.begin(`chat-${n}`, 'answer')));
    await arrived();
  };
  const pieces = async () => {
    for (let round = 0; round < rounds; round++) {
      for (const answer of answers) answer.append(text);
      await delay(pauseMs);
    }
    await arrived();
  };
  const plain = async () => {
    for (let round = 0; round < rounds; round++) {
      for (let n = 0; n < streams; n++)
        void events.trigger(testApp.id, {
          name: 'answer',
          channel: `news-${n}`,
          data: { id: String(n), at: round, text },
        });
      await delay(pauseMs);
    }
    await arrived();
  };

  const ratios: number[] = [];
  for (let turn = 0; turn < 7; turn++) {
    await begin();
    const event = await cpuMs(plain);
    const piece = await cpuMs(pieces);
    ratios.push(piece / event);
    await Promise.all(answers.map((answer) => answer.end()));
    await arrived();
  }
  // The first turns compile.
  const ratio = ratios.slice(2).toSorted((a, b) => a - b)[2]!;
  console.log(`A piece costs ${ratio.toFixed(2)} of an event (${ratios.map((each) => each.toFixed(2)).join(', ')})`);
  expect(ratio).toBeLessThan(1);
  listener.close();
  await until(() => listener.closed !== undefined, 'the listener is gone');
  await server.close();
});
