import { afterAll, beforeAll, expect, it } from 'vitest';
import { EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';

const app = { ...testApp, history: [{ channels: 'private-chat', streams: true }] };
const pieces = 50;
const text = 'ü'.repeat(4000);

let server: ChannelsServer;
beforeAll(async () => {
  server = await startChannels({ apps: [app], limits: { subscriptions: 100, subscribesPerSecond: 1 } });
  const events = server.app.get(EventsService);
  for (let n = 0; n < pieces; n++) {
    const data = { stream: '1', at: n * text.length, text };
    await events.trigger(app.id, { name: 'answer', channel: 'private-chat', data });
  }
});
afterAll(() => server.close());

it('a client that gets a long stream again and again is refused after some megabytes, and others are not', async () => {
  const client = await SocketClient.connect(server.port, app);
  const bystander = await SocketClient.connect(server.port, app);
  await bystander.subscribe('private-chat');
  let sent = 0;
  let answered = 0;
  const has = (event: string) => client.frames.some((frame) => frame.event === event);
  for (; answered < 50 && !has('pusher:subscription_error'); answered++) {
    client.frames.length = 0;
    client.sendSubscribe('private-chat');
    client.send({ event: 'pusher:unsubscribe', data: { channel: 'private-chat' } });
    await client.settled('');
    sent += client.frames.reduce((sum, frame) => sum + JSON.stringify(frame).length, 0);
  }
  expect(answered).toBeGreaterThan(5);
  expect(answered).toBeLessThan(25);
  expect(sent).toBeLessThan(6_000_000);
  await (await SocketClient.connect(server.port, app)).subscribe('private-chat');
});
