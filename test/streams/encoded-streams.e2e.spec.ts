import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { EventsService, type StreamPiece } from 'rookery/channels';
import { httpEncoding } from '../../libs/channels/src/connections/http/http-encoding.js';
import { webSocketEncoding } from '../../libs/channels/src/connections/websocket/websocket.transport.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { HttpClient } from '../support/http-client.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import type { WireClient } from '../support/wire-client.js';

const app = { ...testApp, history: [{ channels: 'private-chat', streams: true }] };
const pieces = 20;
const text = '中'.repeat(3000);
const characters = pieces * text.length;

let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [app] });
  const events = server.app.get(EventsService);
  for (let n = 0; n < pieces; n++) {
    const data = { stream: '1', at: n * text.length, text };
    await events.trigger(app.id, { name: 'answer', channel: 'private-chat', data });
  }
});
afterEach(() => vi.restoreAllMocks());
afterAll(() => server.close());

it.each([
  ['WebSockets', webSocketEncoding, () => SocketClient.connect(server.port, app)],
  ['HTTP', httpEncoding, () => HttpClient.connect(server.port, 'xhr_streaming', app)],
] as const)('encodes the text of a stream once for all that subscribe over %s', async (_, encoding, connect) => {
  const encoders = [vi.spyOn(encoding, 'encode'), vi.spyOn(encoding, 'encodeShared')];
  const encodings = () => encoders.flatMap(({ mock }) => mock.calls).filter(([each]) => each.includes('answer')).length;
  const heard = ({ frames }: WireClient, times: number) => {
    const datas = frames.flatMap(({ event, data }) => (event === 'answer' ? [data as string] : []));
    return datas.reduce((sum, data) => sum + (JSON.parse(data) as StreamPiece).text.length, 0) === times * characters;
  };
  const bystander = await connect();
  await bystander.subscribe('private-chat');
  await until(() => heard(bystander, 1), 'the stream is heard');
  const once = encodings();
  expect(once).toBeGreaterThan(10);
  const client = await connect();
  for (let times = 1; times <= 10; times++) {
    if (times > 1) client.send({ event: 'pusher:unsubscribe', data: { channel: 'private-chat' } });
    await client.subscribe('private-chat');
    await until(() => heard(client, times), 'the stream is heard again');
  }
  expect(encodings()).toBe(once);
  for (const each of [bystander, client]) each.close();
});
