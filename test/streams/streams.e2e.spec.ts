import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { EventsService, type StreamPiece, StreamsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const app = {
  ...testApp,
  clientEvents: true,
  history: [
    { channels: 'private-chat*', streams: true, clientEvents: true },
    { channels: 'cache-chat', streams: true },
    { channels: 'kept' },
  ],
};

let server: ChannelsServer;
let streams: StreamsService;
let trigger: EventsService['trigger'];
beforeAll(async () => {
  server = await startChannels({ apps: [app], streams: { timeoutSeconds: 2, joinMs: 0 } });
  streams = server.app.get(StreamsService);
  const events = server.app.get(EventsService);
  trigger = (...of) => events.trigger(...of);
});
afterAll(() => server.close());

let channel: string;
let channels = 0;
beforeEach(() => void (channel = `private-chat-${++channels}`));

/** A page that shows the streams of a channel, as the guide says. */
async function listener(on = channel, session?: string) {
  const client = await SocketClient.connect(server.port, testApp, session);
  await client.subscribe(on);
  const said = new Map<string, string>();
  let read = 0;
  const pieces: StreamPiece[] = [];
  const look = () => {
    for (const { data } of client.frames.slice(read).filter(({ event }) => event === 'answer')) {
      const piece = JSON.parse(data as string) as StreamPiece;
      pieces.push(piece);
      const before = said.get(piece.stream) ?? '';
      expect(piece.at).toBeLessThanOrEqual(before.length);
      if (piece.at + piece.text.length >= before.length) said.set(piece.stream, before.slice(0, piece.at) + piece.text);
    }
    read = client.frames.length;
    return pieces;
  };
  return {
    client,
    get pieces() {
      return look();
    },
    said: (id: string) => (look(), said.get(id)),
    hasEnd: (end: StreamPiece['end']) => until(() => look().at(-1)?.end === end, `the stream ends: ${end}`),
    hears: (id: string, text: string) => until(() => (look(), said.get(id) === text), `${text} is heard`),
  };
}

describe('a stream', () => {
  it('reaches listeners piece by piece, joined within a tick, and ends with the whole text', async () => {
    const alice = await listener();
    const answer = await streams.begin(channel, 'answer', { id: '7' });
    for (const text of ['He', 'll', 'o']) answer.append(text);
    await alice.hears('7', 'Hello');
    answer.append(', world');
    await alice.hears('7', 'Hello, world');
    await answer.end();
    await alice.hasEnd('done');
    expect(alice.pieces).toEqual([
      { stream: '7', at: 0, text: 'Hello' },
      { stream: '7', at: 5, text: ', world' },
      { stream: '7', at: 0, text: 'Hello, world', end: 'done' },
    ]);
    alice.client.close();
  });

  it('joins what comes in quick succession, and sends the first piece at once', async () => {
    const slow = await startChannels({ apps: [app], streams: { joinMs: 300 } });
    const alice = await SocketClient.connect(slow.port);
    await alice.subscribe(channel);
    const answer = await slow.app.get(StreamsService).begin(channel, 'answer', { id: '7' });
    for (const text of ['a', 'b', 'c', 'd']) {
      answer.append(text);
      for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(JSON.parse((await alice.next('answer')).data as string)).toMatchObject({ at: 0, text: 'a' });
    expect(JSON.parse((await alice.next('answer')).data as string)).toMatchObject({ at: 1, text: 'bcd' });
    answer.append('e');
    await answer.end();
    expect(JSON.parse((await alice.next('answer')).data as string)).toMatchObject({
      at: 0,
      text: 'abcde',
      end: 'done',
    });
    alice.close();
    await slow.close();
  });

  it('is told to a later subscriber as one event, then only what follows', async () => {
    const answer = await streams.begin(channel, 'answer', { id: '7' });
    const alice = await listener();
    answer.append('To be');
    await alice.hears('7', 'To be');
    answer.append(', or');
    await alice.hears('7', 'To be, or');
    const bob = await listener();
    answer.append(' not');
    await bob.hears('7', 'To be, or not');
    expect(bob.pieces).toEqual([
      { stream: '7', at: 0, text: 'To be, or' },
      { stream: '7', at: 9, text: ' not' },
    ]);
    await answer.end();
    const carol = await listener();
    await carol.hasEnd('done');
    expect(carol.pieces).toEqual([{ stream: '7', at: 0, text: 'To be, or not', end: 'done' }]);
    for (const { client } of [alice, bob, carol]) client.close();
  });

  it('ends with an error, and says only what the sender has for users', async () => {
    const alice = await listener();
    const one = await streams.begin(channel, 'answer', { id: '1' });
    one.append('So');
    await one.fail('The model is busy');
    await alice.hasEnd('error');
    expect(alice.pieces.at(-1)).toEqual({ stream: '1', at: 0, text: 'So', end: 'error', message: 'The model is busy' });
    expect(() => one.append('more')).toThrow('has ended: error');

    const two = await streams.begin(channel, 'answer', { id: '2' });
    await expect(two.pipe(failing())).rejects.toThrow('secret');
    await until(() => alice.pieces.at(-1)?.stream === '2' && alice.pieces.at(-1)?.end === 'error', 'the second fails');
    expect(JSON.stringify(alice.client.frames)).not.toContain('secret');
    alice.client.close();
  });

  it('ends when its sender is silent for too long, unless it shows that it goes on', async () => {
    const alice = await listener();
    const [idle, busy] = [await streams.begin(channel, 'answer'), await streams.begin(channel, 'answer')];
    idle.append('idle');
    busy.append('busy');
    const alive = setInterval(() => busy.append(''), 200);
    await until(() => alice.pieces.some(({ stream, end }) => stream === idle.id && end === 'timeout'), 'it ends');
    clearInterval(alive);
    expect(alice.pieces.filter(({ stream, end }) => stream === busy.id && end)).toEqual([]);
    await expect(idle.end()).resolves.toBeUndefined();
    await busy.end();
    alice.client.close();
  });

  it('that another server appends by plain triggers is told to later subscribers, and ended when it is silent', async () => {
    const piece = (data: StreamPiece) => trigger(testApp.id, { name: 'answer', channel, data });
    const alice = await listener();
    await piece({ stream: 'php', at: 0, text: 'Bon' });
    await piece({ stream: 'php', at: 3, text: 'jour' });
    const bob = await listener();
    await bob.hears('php', 'Bonjour');
    expect(bob.pieces).toEqual([{ stream: 'php', at: 0, text: 'Bonjour' }]);
    for (const each of [alice, bob]) await each.hasEnd('timeout');
    expect(bob.pieces.at(-1)).toEqual({ stream: 'php', at: 0, text: 'Bonjour', end: 'timeout' });
    for (const { client } of [alice, bob]) client.close();
  });

  it('of any length arrives whole, in events within the limit that cut no character', async () => {
    const text = Array.from({ length: 6000 }, (_, n) => `${n} "é"\n😀\u0001`).join('');
    const alice = await listener();
    const answer = await streams.begin(channel, 'answer', { id: '7' });
    // Halves of characters come alone.
    for (let at = 0; at < text.length; at += 777) answer.append(text.slice(at, at + 777));
    await alice.hears('7', text);
    const bob = await listener();
    await bob.hears('7', text);
    await answer.end();
    for (const each of [alice, bob]) await each.hasEnd('done');
    const carol = await listener();
    await carol.hears('7', text);
    for (const { client } of [alice, bob, carol]) {
      for (const { data } of client.frames.filter(({ event }) => event === 'answer')) {
        expect(Buffer.byteLength(data as string)).toBeLessThanOrEqual(10_240);
        expect((JSON.parse(data as string) as StreamPiece).text).not.toMatch(/\p{Surrogate}/u);
      }
      client.close();
    }
  });

  it('holds back half a character until the other comes', async () => {
    const alice = await listener();
    const answer = await streams.begin(channel, 'answer', { id: '7' });
    answer.append('a\ud83d');
    await alice.hears('7', 'a');
    answer.append('\ude00');
    await alice.hears('7', 'a😀');
    expect(alice.pieces).toEqual([
      { stream: '7', at: 0, text: 'a' },
      { stream: '7', at: 1, text: '😀' },
    ]);
    await answer.end();
    alice.client.close();
  });

  it('outlives the bounds of the history', async () => {
    const short = await startChannels({
      apps: [{ ...testApp, history: [{ channels: '*', events: 6, streams: true }] }],
      streams: { joinMs: 0 },
    });
    const answer = await short.app.get(StreamsService).begin('talk', 'answer', { id: '7' });
    const alice = await SocketClient.connect(short.port);
    await alice.subscribe('talk');
    let text = '';
    for (let n = 0; n < 40; n++) {
      text += n;
      answer.append(String(n));
      const isHeard = () => {
        const { data } = alice.frames.findLast(({ event }) => event === 'answer') ?? { data: '{"at":0,"text":""}' };
        const { at, text: said } = JSON.parse(data as string) as StreamPiece;
        return at + said.length === text.length;
      };
      await until(isHeard, `${n} is heard`);
    }
    expect(alice.frames.filter(({ event }) => event === 'answer').length).toBeGreaterThanOrEqual(40);
    alice.close();
    await until(() => alice.closed !== undefined, 'Alice is gone');
    const bob = await SocketClient.connect(short.port);
    await bob.subscribe('talk');
    const { data } = await bob.next('answer');
    expect(JSON.parse(data as string)).toEqual({ stream: '7', at: 0, text });
    bob.close();
    await short.close();
  });

  it('is not replayed to a session as pieces, but told as one event with other events that were missed', async () => {
    const session = 'a-session-of-alice';
    const alice = await listener(channel, session);
    const answer = await streams.begin(channel, 'answer', { id: '7' });
    answer.append('On');
    await alice.hears('7', 'On');
    alice.client.socket.terminate();
    await until(() => alice.client.closed !== undefined, 'she is away');
    answer.append('ce');
    await trigger(testApp.id, { name: 'typing', channel, data: 'x' });
    const back = await listener(channel, session);
    await back.client.next('typing');
    await back.hears('7', 'Once');
    answer.append(' upon');
    await back.hears('7', 'Once upon');
    expect(back.pieces.map(({ at }) => at)).toEqual([0, 4]);
    await answer.end();
    back.client.close();
  });

  it('on a cache channel comes once', async () => {
    const answer = await streams.begin('cache-chat', 'answer', { id: '7' });
    const alice = await listener('cache-chat');
    answer.append('Hi');
    await alice.hears('7', 'Hi');
    const bob = await listener('cache-chat');
    await bob.hears('7', 'Hi');
    await answer.end();
    await bob.hasEnd('done');
    expect(bob.pieces).toEqual([
      { stream: '7', at: 0, text: 'Hi' },
      { stream: '7', at: 0, text: 'Hi', end: 'done' },
    ]);
    for (const { client } of [alice, bob]) client.close();
  });

  it('cannot be spoken for by clients', async () => {
    const [alice, mallory] = [await listener(), await listener()];
    mallory.client.send({
      event: 'client-answer',
      channel,
      data: JSON.stringify({ stream: '7', at: 0, text: 'false' }),
    });
    await alice.client.next('client-answer');
    const bob = await listener();
    await trigger(testApp.id, { name: 'end', channel, data: '' });
    await bob.client.next('end');
    expect(JSON.stringify(bob.client.frames)).not.toContain('false');
    for (const { client } of [alice, mallory, bob]) client.close();
  });

  it.each([
    ['kept', 'answer', {}, 'carries no streams'],
    ['other', 'answer', {}, 'carries no streams'],
    ['private-chat-1', 'client-answer', {}, 'carries no streams'],
    ['private-chat-1', 'pusher:x', {}, 'reserved'],
    ['private-chat-1', 'answer', { id: '' }, 'The id of a stream'],
    ['private-chat-1', 'answer', { app: 'none' }, 'There is no app'],
  ])('on %s of %s with %j is refused: %s', async (on, name, options, text) => {
    await expect(streams.begin(on, name, options)).rejects.toThrow(text);
  });
});

describe('a server that shuts down', () => {
  it('ends its streams with an error', async () => {
    const second = await startChannels({ apps: [app] });
    const alice = await SocketClient.connect(second.port);
    await alice.subscribe('private-chat-1');
    const answer = await second.app.get(StreamsService).begin('private-chat-1', 'answer', { id: '7' });
    answer.append('Half');
    await alice.next('answer');
    await second.close();
    const { data } = await alice.next('answer');
    expect(JSON.parse(data as string)).toEqual({ stream: '7', at: 0, text: 'Half', end: 'error' });
  });
});

async function* failing(): AsyncIterable<string> {
  yield 'Half';
  throw new Error('secret');
}
