import { trace } from '@opentelemetry/api';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { EventsService } from 'rookery/channels';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { SocketClient } from '../support/socket-client.js';
import { until } from '../support/until.js';

const exporter = new InMemorySpanExporter();
/** As a host's SDK does when it starts. From then on everything is recorded: OpenTelemetry keeps its first tracer. */
const record = () =>
  trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
const recorded = async (name: string): Promise<ReadableSpan> => {
  const found = () => exporter.getFinishedSpans().find((span) => span.name === name);
  await until(() => found() !== undefined, `"${name}" is recorded`);
  return found()!;
};
afterEach(() => exporter.reset());

describe('a trigger', () => {
  let server: ChannelsServer;
  let client: SocketClient;
  beforeAll(async () => {
    server = await startChannels();
    client = await SocketClient.connect(server.port, testApp);
    await client.subscribe('news');
  });
  afterAll(async () => {
    client.close();
    await server.close();
  });
  const trigger = (channel = 'news') =>
    server.app.get(EventsService).trigger(testApp.id, { name: 'e', channel, data: '{}' });

  it('is not traced while the host has no tracer', async () => {
    await trigger();
    await client.next('e');
    record();
    expect(exporter.getFinishedSpans()).toEqual([]);
  });

  it('is one trace from the service to the sockets if the host has a tracer', async () => {
    await trigger();
    const [triggered, delivered] = [await recorded('rookery trigger'), await recorded('rookery deliver')];
    expect(triggered.attributes).toMatchObject({ 'rookery.app': testApp.id, 'rookery.events': 1 });
    expect(delivered.attributes).toMatchObject({ 'rookery.channel': 'news', 'rookery.connections': 1 });
    expect(delivered.parentSpanContext?.spanId).toBe(triggered.spanContext().spanId);
    expect(delivered.spanContext().traceId).toBe(triggered.spanContext().traceId);
    // What clients read says nothing of it.
    expect(await client.next('e')).toEqual({ event: 'e', channel: 'news', data: '{}' });
  });

  it('ends with the trigger if the channel has no subscribers', async () => {
    await trigger('nobody');
    await recorded('rookery trigger');
    expect(exporter.getFinishedSpans()).toHaveLength(1);
  });
});

it('a publish is one trace from the API to the gateways, through the database', async () => {
  const app = await startPublishApp({ instances: [instance] });
  try {
    await app.registered(['news'], 'token');
    const { json } = await app.publish({ interests: ['news'], fcm: { data: { a: 'b' } } });
    const [published, sent] = [await recorded('rookery publish'), await recorded('rookery send')];
    expect(published.attributes['rookery.publish']).toBe(json.publishId);
    expect(sent.attributes).toMatchObject({
      'rookery.publish': json.publishId,
      'rookery.platform': 'fcm',
      'rookery.devices': 1,
    });
    expect(sent.parentSpanContext?.spanId).toBe(published.spanContext().spanId);
  } finally {
    await app.close();
  }
});
