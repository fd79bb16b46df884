import { type Case, sources } from '../case.js';
import { expects } from '../matching.js';
import { member } from '../subject.js';

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
      socket.cameInOrder(['pusher_internal:subscription_succeeded', 'asked'], channel);
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
      socket.cameInOrder(['pusher_internal:subscription_succeeded', 'pusher:cache_miss'], channel);
    },
  },
  ...['private-cache-', 'private-encrypted-cache-', 'presence-cache-'].map((prefix): Case => ({
    id: `cache/${prefix}channel`,
    title: `A ${prefix}channel has a last event too`,
    profile: 'channels',
    source: sources.cache,
    async run(subject) {
      const channel = subject.channel(prefix);
      const ann = prefix === 'presence-cache-' ? member('ann') : undefined;
      const early = await subject.subscribed(channel, ann);
      await early.socket.next('pusher:cache_miss', channel);
      // Its sender does not get it; later subscribers do.
      await subject.trigger([channel], '"last"', { socket_id: early.socketId });
      const late = await subject.subscribed(channel, ann);
      await late.socket.gets('asked', { channel, data: '"last"' });
      await late.socket.getsNo('pusher:cache_miss');
    },
  })),
  {
    id: 'cache/info-of-others',
    title: 'The cached event of another channel is refused with 400',
    profile: 'channels',
    source: sources.httpApi,
    basis: 'observed',
    async run(subject) {
      const { status } = await subject.ask('GET', `/channels/${subject.channel()}`, { query: { info: 'cache' } });
      expects('the answer', status, 400);
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
