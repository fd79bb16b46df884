import { afterAll, beforeAll, expect, it } from 'vitest';
import { ChannelsMetrics, EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';
import { WebhookReceiver } from '../support/webhook-receiver.js';

let server: ChannelsServer;
let receiver: WebhookReceiver;
const many = Array.from({ length: 110 }, (_, n) => ({ ...testApp, id: `many-${n}`, key: `many-${n}` }));
beforeAll(async () => {
  receiver = await WebhookReceiver.start();
  const webhooks = [{ url: receiver.url('/hook'), events: ['channel_occupied' as const] }];
  server = await startChannels({ apps: [{ ...testApp, clientEvents: true, webhooks }, ...many] });
});
afterAll(async () => {
  await server.close();
  await receiver.close();
});

const metrics = async () => (await server.app.get(ChannelsMetrics).registry.metrics()).split('\n');
const shows = (...lines: readonly string[]) =>
  until(
    async () => {
      const shown = await metrics();
      return lines.every((line) => shown.includes(line));
    },
    `the metrics show ${lines.join(', ')}`,
  );
const app = testApp.id;

it('count connections, subscriptions, triggers, messages, deliveries and webhooks of an app', async () => {
  const [alice, bob] = [
    await SocketClient.connect(server.port, testApp),
    await SocketClient.connect(server.port, testApp),
  ];
  for (const client of [alice, bob]) for (const channel of ['news', 'private-a']) await client.subscribe(channel);
  await server.app.get(EventsService).trigger(app, { name: 'e', channels: ['news', 'private-a'], data: '{}' });
  for (const client of [alice, bob]) for (let n = 0; n < 2; n++) await client.next('e');
  alice.send({ event: 'client-e', channel: 'private-a', data: '{}' });
  await bob.next('client-e');
  alice.send('{"event":');

  await shows(
    `rookery_channels_connections{app="${app}"} 2`,
    'rookery_channels_channels{access="public"} 1',
    'rookery_channels_subscriptions{access="private"} 2',
    `rookery_channels_triggers_total{app="${app}"} 2`,
    `rookery_channels_client_events_total{app="${app}"} 1`,
    `rookery_channels_deliveries_total{app="${app}"} 5`,
    'rookery_channels_messages_total{event="pusher:subscribe"} 4',
    'rookery_channels_messages_total{event="client"} 1',
    'rookery_channels_messages_total{event="malformed"} 1',
    'rookery_channels_webhook_tries_total{outcome="accepted"} 2',
  );
  for (const client of [alice, bob]) client.close();
  await shows(`rookery_channels_connections{app="${app}"} 0`);
});

it('measure how long a sample of triggers takes to its last subscriber, and cost nothing without subscribers', async () => {
  const client = await SocketClient.connect(server.port, testApp);
  await client.subscribe('timed');
  const timed = async () => {
    const line = (await metrics()).find((each) => each.startsWith('rookery_channels_trigger_to_socket_seconds_count'));
    return Number(line?.split(' ')[1] ?? 0);
  };
  const before = await timed();
  await server.app.get(EventsService).trigger(app, { name: 'e', channels: ['nobody'], data: '{}' });
  expect(await timed()).toBe(before);
  await until(async () => {
    await server.app.get(EventsService).trigger(app, { name: 'e', channels: ['timed'], data: '{}' });
    return (await timed()) > before;
  }, 'a trigger is timed');
  client.close();
});

it('have at most 100 labels for apps', async () => {
  for (const { id } of many)
    await server.app.get(EventsService).trigger(id, { name: 'e', channels: ['c'], data: '{}' });
  const shown = (await metrics()).filter((line) => line.startsWith('rookery_channels_triggers_total{'));
  expect(shown).toHaveLength(101);
  expect(shown).toContain('rookery_channels_triggers_total{app="other"} 11');
});
