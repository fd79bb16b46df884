import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { simulateReadableStream, streamText } from 'ai';
import { MockLanguageModelV3 } from 'ai/test';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EventStream, StreamsService } from 'rookery/channels';
import { streamed, type StreamedText } from '@rookery/client';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { joined, PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';

const parts = ['Der Fluß ', 'fließt ', 'nach 東', '京 😀', '.'];
const text = parts.join('');

let server: ChannelsServer;
let client: PusherJs;
let heard: StreamedText[] = [];
beforeAll(async () => {
  const apps = [{ ...testApp, history: [{ channels: 'chat', streams: true }] }];
  server = await startChannels({ apps, streams: { joinMs: 0 } });
  const { port: wsPort } = server;
  client = new PusherJs(testApp.key, {
    cluster: '',
    wsHost: '127.0.0.1',
    wsPort,
    forceTLS: false,
    enabledTransports: ['ws'],
  });
  streamed(await joined(client, 'chat'), 'answer', (stream) => heard.push(stream));
});
afterAll(async () => {
  client.disconnect();
  await server.close();
});

const begin = (): Promise<EventStream> => {
  heard = [];
  return server.app.get(StreamsService).begin('chat', 'answer');
};
const ended = (id: string, end: StreamedText['end']) =>
  until(() => heard.some((each) => each.id === id && each.end === end), `the stream ends: ${end}`);

/** A model of Vercel's AI SDK that says the text. */
const model = (...more: readonly object[]) =>
  new MockLanguageModelV3({
    doStream: async () => ({
      stream: simulateReadableStream({
        chunkDelayInMs: 5,
        chunks: [
          { type: 'text-start', id: '1' },
          ...parts.map((delta) => ({ type: 'text-delta', id: '1', delta }) as const),
          { type: 'text-end', id: '1' },
          ...(more as []),
          {
            type: 'finish',
            finishReason: { unified: 'stop', raw: undefined },
            logprobs: undefined,
            usage: {
              inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
              outputTokens: { total: 5, text: 5, reasoning: undefined },
            },
          },
        ],
      }),
    }),
  });
const asked = (...more: readonly object[]) =>
  streamText({ model: model(...more), prompt: 'Say it', onError: () => {} });

describe('a stream of the AI SDK', () => {
  it.each([
    ['textStream', () => asked().textStream],
    ['fullStream', () => asked().fullStream],
    ['toUIMessageStream()', () => asked().toUIMessageStream()],
    ['the body of toUIMessageStreamResponse()', () => asked().toUIMessageStreamResponse().body!],
  ])('is piped from %s', async (_, source) => {
    const answer = await begin();
    expect(await answer.pipe(source())).toBe(text);
    await ended(answer.id, 'done');
    expect(heard.at(-1)).toEqual({ id: answer.id, text, end: 'done', message: undefined });
    expect(heard.length).toBeGreaterThan(2);
  });

  it.each([
    ['fullStream', () => asked({ type: 'error', error: new Error('no quota') }).fullStream],
    [
      'toUIMessageStream()',
      () => asked({ type: 'error', error: new Error('no quota') }).toUIMessageStream({ onError: () => 'no quota' }),
    ],
  ])('fails with %s, and listeners are not told why', async (_, source) => {
    const answer = await begin();
    await expect(answer.pipe(source())).rejects.toThrow('no quota');
    await ended(answer.id, 'error');
    expect(heard.at(-1)).toEqual({ id: answer.id, text, end: 'error', message: undefined });
  });
});

describe('the parts of a stream of the AI SDK', () => {
  const more = [
    { type: 'reasoning-start', id: 'r' },
    { type: 'reasoning-delta', id: 'r', delta: 'It is a "river"\n' },
    { type: 'reasoning-end', id: 'r' },
  ];

  it.each([
    ['toUIMessageStream()', () => asked(...more).toUIMessageStream()],
    ['the body of toUIMessageStreamResponse()', () => asked(...more).toUIMessageStreamResponse().body!],
  ])('are lines of the text, from %s', async (_, source) => {
    const answer = await begin();
    await answer.pipeParts(source());
    await ended(answer.id, 'done');
    const chunks = [];
    for await (const chunk of asked(...more).toUIMessageStream()) chunks.push(chunk);
    expect(heard.at(-1)!.text).toBe(chunks.map((chunk) => `${JSON.stringify(chunk)}\n`).join(''));
    expect(heard.at(-1)!.text).toContain('reasoning-delta');
  });

  it('are objects of any kind', async () => {
    const answer = await begin();
    answer.appendPart({ price: 7, note: 'half a \ud83d' });
    await answer.pipeParts([{ price: 8 }, [9]]);
    await ended(answer.id, 'done');
    const lines = heard.at(-1)!.text.split('\n');
    expect(lines.slice(0, -1).map((line) => JSON.parse(line))).toEqual([
      { price: 7, note: 'half a \ud83d' },
      { price: 8 },
      [9],
    ]);
  });

  it('end with an error when their source throws', async () => {
    async function* failing() {
      yield await Promise.resolve({ price: 7 });
      throw new Error('no quota');
    }
    const answer = await begin();
    await expect(answer.pipeParts(failing())).rejects.toThrow('no quota');
    await ended(answer.id, 'error');
    expect(heard.at(-1)!.text).toBe('{"price":7}\n');
  });
});

describe('a stream that is stopped', () => {
  it('ends with what was said, also when its source reports that by an error', async () => {
    async function* stopped(signal: AbortSignal) {
      yield 'Half';
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
    }
    const answer = await begin();
    const piped = answer.pipe(stopped(answer.signal));
    await until(() => heard.some((each) => each.text === 'Half'), 'half is heard');
    answer.stop();
    expect(await piped).toBe('Half');
    await ended(answer.id, 'done');
  });
});

describe('a stream of a server that is compatible with OpenAI', () => {
  let openAi: Server;
  let bodies: readonly (string | Uint8Array)[] = [];
  beforeAll(async () => {
    openAi = createServer((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      void (async () => {
        for (const each of bodies) {
          response.write(each);
          await new Promise((resolve) => setTimeout(resolve, 5));
        }
        response.end();
      })();
    });
    await new Promise<void>((resolve) => openAi.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => openAi.close());

  const chunk = (content: string | undefined, finish: string | null = null) => ({
    id: 'c1',
    object: 'chat.completion.chunk' as const,
    choices: [{ index: 0, delta: content === undefined ? {} : { content }, finish_reason: finish }],
  });
  const chunks = [
    chunk(''),
    ...parts.map((part) => chunk(part)),
    chunk(undefined, 'stop'),
    { ...chunk(''), choices: [] },
  ];
  const sse = (items: readonly object[], newline = '\n') =>
    `: hello${newline}${newline}${items.map((each) => `data: ${JSON.stringify(each)}${newline}${newline}`).join('')}`;
  const ask = async () => (await fetch(`http://127.0.0.1:${(openAi.address() as AddressInfo).port}/`)).body!;

  it.each(['\n', '\r\n', '\r'])(
    'is piped from the body of a response, cut anywhere, with lines that end in %j',
    async (newline) => {
      const bytes = Buffer.from(`${sse(chunks, newline)}data: [DONE]${newline}${newline}`);
      bodies = Array.from({ length: Math.ceil(bytes.length / 37) }, (_, n) => bytes.subarray(n * 37, (n + 1) * 37));
      const answer = await begin();
      expect(await answer.pipe(await ask())).toBe(text);
      await ended(answer.id, 'done');
      expect(heard.at(-1)!.text).toBe(text);
    },
  );

  it('is piped from the chunks of its library', async () => {
    async function* library() {
      for (const each of chunks) yield await Promise.resolve(each);
    }
    const answer = await begin();
    expect(await answer.pipe(library())).toBe(text);
    await ended(answer.id, 'done');
  });

  it('is piped from the events of its responses', async () => {
    const events = [
      { type: 'response.created' },
      ...parts.map((delta) => ({ type: 'response.output_text.delta', delta })),
      { type: 'response.completed' },
    ];
    expect(await (await begin()).pipe(events)).toBe(text);
  });

  it('fails when the server says so in the middle', async () => {
    bodies = [sse(chunks.slice(0, 3)), `data: ${JSON.stringify({ error: { message: 'overloaded' } })}\n\n`];
    const answer = await begin();
    await expect(answer.pipe(await ask())).rejects.toThrow('The source of the stream failed: overloaded');
    await ended(answer.id, 'error');
  });
});
