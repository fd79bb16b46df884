import { type Case, sources } from '../case.js';
import { expects } from '../matching.js';

export const cache: readonly Case[] = [
  {
    id: 'cache/last-event',
    title: 'A subscriber of a cache channel gets its last event, after the confirmation',
    profile: 'channels',
    source: sources.cache,
    async run(subject) {
      const channel = subject.channel('cache-');
      await subject.trigger([channel], '"first"');
      await subject.trigger([channel], '"last"');
      const { socket } = await subject.subscribed(channel);
      await socket.gets('asked', { channel, data: '"last"' });
      await socket.getsNo('asked');
      await socket.getsNo('pusher:cache_miss');
    },
  },
  {
    id: 'cache/miss',
    title: 'Where there is none, it gets pusher:cache_miss',
    profile: 'channels',
    source: sources.cache,
    dialects: [{ server: 'soketi and Reverb', got: /"pusher:cache_miss","channel":"[^"]+"\}/ }],
    async run(subject) {
      const channel = subject.channel('cache-');
      const { socket } = await subject.subscribed(channel);
      await socket.gets('pusher:cache_miss', { channel, data: '{}' });
    },
  },
  {
    id: 'cache/only-cache-channels',
    title: 'Other channels remember nothing',
    profile: 'channels',
    source: sources.cache,
    async run(subject) {
      const channel = subject.channel('not-a-cache-');
      await subject.trigger([channel]);
      const { socket } = await subject.subscribed(channel);
      await socket.getsNo('asked');
      await socket.getsNo('pusher:cache_miss');
    },
  },
  {
    id: 'cache/info',
    title: 'The HTTP API answers the cached event and how long it stays, or null',
    profile: 'channels',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('cache-');
      const ask = () => subject.ask('GET', `/channels/${channel}`, { query: { info: 'cache' } });
      expects('without an event', (await ask()).json, { cache: null });
      await subject.trigger([channel], '"kept"');
      const isTime = (ttl: unknown): boolean => typeof ttl === 'number' && ttl > 0 && ttl <= 1800;
      expects('with one', (await ask()).json, { cache: { data: '"kept"', ttl: isTime } });
    },
  },
];
