import { type Case, Skipped, sources } from '../case.js';
import { json, matches } from '../matching.js';
import { member, type Subject } from '../subject.js';

/** Two connections on a channel, of an app that has client events on. */
async function pair(subject: Subject, channel: string) {
  const isPresence = channel.startsWith('presence-');
  const ann = await subject.subscribed(channel, isPresence ? member('ann') : undefined);
  const ben = await subject.subscribed(channel, isPresence ? member('ben') : undefined);
  ann.socket.send({ event: 'client-is-it-on', channel, data: {} });
  await ann.socket.fence();
  if (ann.socket.frames.some(({ event }) => event === 'pusher:error'))
    throw new Skipped('the app does not have client events on');
  await ben.socket.next('client-is-it-on', channel);
  return { ann, ben };
}

/** As an object, or as text: clients take both. */
const isSent = (data: unknown): boolean => [{ at: 1 }, json({ at: 1 })].some((each) => matches(data, each));

const relayed = (prefix: string): Case => ({
  id: `client-events/${prefix}relayed`,
  title: `A client event of a ${prefix}channel reaches the others, and not its sender`,
  profile: 'channels-core',
  source: sources.clientEvents,
  async run(subject) {
    const channel = subject.channel(prefix);
    const { ann, ben } = await pair(subject, channel);
    ann.socket.send({ event: 'client-typing', channel, data: { at: 1 } });
    const user = prefix === 'presence-' ? { user_id: 'ann' } : {};
    await ben.socket.gets('client-typing', { channel, data: isSent, ...user });
    await ann.socket.getsNo('client-typing');
  },
});

/** Pusher: "must contain channel and data". Reverb relays it since laravel/reverb#315. */
const withoutData = [{ server: 'Reverb and soketi', got: /"client-typing","channel":"[^"]+"(,"data":null)?\}$/ }];

export const clientEvents: readonly Case[] = [
  relayed('private-'),
  relayed('presence-'),
  {
    id: 'client-events/text',
    title: 'The data of a client event may be a text, which stays one',
    profile: 'channels-core',
    source: sources.clientEvents,
    async run(subject) {
      const channel = subject.channel('private-');
      const { ann, ben } = await pair(subject, channel);
      ann.socket.send({ event: 'client-typing', channel, data: 'a long story' });
      await ben.socket.gets('client-typing', { data: 'a long story' });
    },
  },
  {
    id: 'client-events/full-size',
    title: 'A client event of 10 KB reaches the others',
    profile: 'channels-core',
    source: sources.clientEvents,
    async run(subject) {
      const channel = subject.channel('private-');
      const { ann, ben } = await pair(subject, channel);
      const data = 'x'.repeat(10_000);
      ann.socket.send({ event: 'client-full', channel, data });
      await ben.socket.gets('client-full', { channel, data });
    },
  },
  {
    id: 'client-events/user-id',
    title: 'A sender cannot name another user as the sender',
    profile: 'channels-core',
    source: sources.clientEvents,
    dialects: [{ server: 'Reverb', got: /"user_id":"somebody"/ }],
    async run(subject) {
      const channel = subject.channel('presence-');
      const { ann, ben } = await pair(subject, channel);
      ann.socket.send({ event: 'client-typing', channel, data: {}, user_id: 'somebody' });
      await ben.socket.gets('client-typing', { user_id: 'ann' });
    },
  },
  {
    id: 'client-events/public',
    title: 'A client event of a public channel reaches nobody',
    profile: 'channels-core',
    source: sources.clientEvents,
    async run(subject) {
      const channel = subject.channel();
      const [ann, ben] = [await subject.subscribed(channel), await subject.subscribed(channel)];
      ann.socket.send({ event: 'client-typing', channel, data: {} });
      await ann.socket.fence();
      await ben.socket.getsNo('client-typing');
    },
  },
  {
    id: 'client-events/not-subscribed',
    title: 'A client event of a channel that the sender is not on reaches nobody',
    profile: 'channels-core',
    source: sources.clientEvents,
    basis: 'observed',
    async run(subject) {
      const channel = subject.channel('private-');
      const ben = await subject.subscribed(channel);
      const stranger = await subject.connect();
      stranger.socket.send({ event: 'client-typing', channel, data: {} });
      await stranger.socket.fence();
      await ben.socket.getsNo('client-typing');
    },
  },
  ...(
    [
      ['large', 'A client event of more than 10 KB reaches nobody', { data: 'x'.repeat(10_241) }],
      ['no-data', 'A client event without data reaches nobody', { data: undefined }, withoutData],
      ['no-channel', 'A client event without a channel reaches nobody', { channel: undefined }],
      ['other-name', 'An event of another name than client-… reaches nobody', { event: 'typing' }],
    ] as const
  ).map(([id, title, fields, dialects = []]): Case => ({
    id: `client-events/${id}`,
    title,
    profile: 'channels-core',
    source: sources.clientEvents,
    basis: 'observed',
    dialects,
    async run(subject) {
      const channel = subject.channel('private-');
      const { ann, ben } = await pair(subject, channel);
      ann.socket.send({ event: 'client-typing', channel, data: '{}', ...fields });
      // It may close the sender.
      await ann.socket.settles();
      await ben.socket.getsNo('client-typing');
      await ben.socket.getsNo('typing');
    },
  })),
  {
    id: 'client-events/rate',
    title: 'Too many client events are refused with 4301, and the connection stays',
    profile: 'channels-core',
    source: sources.clientEvents,
    dialects: [{ server: 'Reverb', got: /"pusher:error","data":"\{\\"code\\":4301/ }],
    async run(subject) {
      const channel = subject.channel('private-');
      const { ann } = await pair(subject, channel);
      for (let n = 0; n < 40; n++) ann.socket.send({ event: 'client-flood', channel, data: {} });
      await ann.socket.gets('pusher:error', { data: { code: 4301 } });
      await ann.socket.fence();
    },
  },
];
