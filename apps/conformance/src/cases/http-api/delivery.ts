import { type Case, sources } from '../../case.js';

/** What subscribers get of what was triggered. */
export const delivery: readonly Case[] = [
  {
    id: 'http-api/once',
    title: 'An event for several channels comes once on each',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const [one, other] = [subject.channel('one-'), subject.channel('other-')];
      const connected = await subject.subscribed(one);
      await subject.subscribe(connected, other);
      await subject.trigger([one, other]);
      for (const channel of [one, other]) await connected.socket.next('asked', channel);
      await connected.socket.getsNo('asked');
    },
  },
  {
    id: 'http-api/batch-order',
    title: 'Events of a batch arrive in their order',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      const batch = Array.from({ length: 10 }, (_, n) => ({ name: 'asked', channel, data: String(n) }));
      await subject.ask('POST', '/batch_events', { body: { batch } });
      for (const { data } of batch) await socket.gets('asked', { data });
    },
  },
  {
    id: 'http-api/delivery',
    title: 'Data arrives as it was sent, whatever characters it has',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      for (const data of ['{"a": 1 , "b":[ ]}', 'no JSON', '"quotes\\" and \\\\"', 'ünïcödé 💬  \u0000']) {
        await subject.trigger([channel], data);
        await socket.gets('asked', { channel, data });
      }
    },
  },
  {
    id: 'http-api/excluded',
    title: 'The connection of socket_id does not get the event, and the others do',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel();
      const [own, other] = [await subject.subscribed(channel), await subject.subscribed(channel)];
      await subject.trigger([channel], '{}', { socket_id: own.socketId });
      await other.socket.next('asked', channel);
      await own.socket.getsNo('asked', channel);
    },
  },
  {
    id: 'http-api/batch-excluded',
    title: 'Each event of a batch leaves out the connection of its own socket_id',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel();
      const [own, other] = [await subject.subscribed(channel), await subject.subscribed(channel)];
      const item = { name: 'asked', channel };
      const batch = [
        { ...item, data: '"for the other"', socket_id: own.socketId },
        { ...item, data: '"for both"' },
      ];
      await subject.ask('POST', '/batch_events', { body: { batch } });
      for (const data of ['"for the other"', '"for both"']) await other.socket.gets('asked', { data });
      await own.socket.gets('asked', { data: '"for both"' });
      await own.socket.getsNo('asked', channel);
    },
  },
  {
    id: 'http-api/order',
    title: 'Events of one channel arrive in the order of their triggers',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      for (let n = 0; n < 20; n++) await subject.trigger([channel], String(n));
      for (let n = 0; n < 20; n++) await socket.gets('asked', { data: String(n) });
    },
  },
  {
    id: 'http-api/batch-delivery',
    title: 'Each event of a batch reaches its channel',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const [one, other] = [subject.channel('one-'), subject.channel('other-')];
      const connected = await subject.subscribed(one);
      await subject.subscribe(connected, other);
      const batch = [one, other].map((channel) => ({ name: 'asked', channel, data: channel }));
      await subject.ask('POST', '/batch_events', { body: { batch } });
      for (const channel of [one, other]) await connected.socket.gets('asked', { channel, data: channel }, channel);
    },
  },
];
