import { type Case, Mismatch, sources } from '../case.js';
import { described, expects, json } from '../matching.js';
import { member } from '../subject.js';

const refused = (id: string, title: string, channel: string, data: Readonly<Record<string, unknown>>): Case => ({
  id: `subscriptions/${id}`,
  title,
  profile: 'channels-core',
  source: sources.protocol,
  async run(subject) {
    const { socket } = await subject.connect();
    const name = subject.channel(channel);
    socket.send({ event: 'pusher:subscribe', data: { channel: name, ...data } });
    await socket.fence();
    const isAnswer = ({ event }: { readonly event: string }): boolean =>
      event === 'pusher:error' || /^pusher(_internal)?:subscription_error$/.test(event);
    if (!socket.frames.some(isAnswer)) throw new Mismatch('the answer', 'an error', described(socket.frames));
    await socket.getsNo('pusher_internal:subscription_succeeded', name);
  },
});

export const subscriptions: readonly Case[] = [
  ...['', 'private-', 'private-encrypted-', 'cache-', 'private-cache-', 'private-encrypted-cache-'].map(
    (prefix): Case => ({
      id: `subscriptions/${prefix || 'public-'}channel`,
      title: `A subscription to a ${prefix || 'public '}channel is confirmed, with data in a string`,
      profile: /cache/.test(prefix) ? 'channels' : 'channels-core',
      source: prefix === '' ? sources.protocol : sources.signatures,
      dialects: [{ server: 'soketi', got: /"pusher_internal:subscription_succeeded","channel":"[^"]+"\}$/ }],
      async run(subject) {
        const channel = subject.channel(prefix);
        const connected = await subject.connect();
        connected.socket.send({ event: 'pusher:subscribe', data: subject.asks(connected, channel) });
        await connected.socket.gets('pusher_internal:subscription_succeeded', { channel, data: '{}' });
      },
    }),
  ),
  {
    id: 'subscriptions/punctuation',
    title: 'A name may have the characters - = @ , . ; and _',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      await subject.subscribed(subject.channel('p-=@,.;_'));
    },
  },
  {
    id: 'subscriptions/case',
    title: 'Names that differ in case are different channels',
    profile: 'channels-core',
    source: sources.protocol,
    basis: 'observed',
    async run(subject) {
      const [lower, upper] = [subject.channel('case-'), subject.channel('CASE-')];
      const { socket } = await subject.subscribed(lower);
      await subject.trigger([upper], '"upper"');
      await subject.trigger([lower], '"lower"');
      await socket.gets('asked', { channel: lower, data: '"lower"' });
      await socket.getsNo('asked');
    },
  },
  refused('bad-signature', 'A token with a wrong signature is refused', 'private-', { auth: 'key:00ff' }),
  ...['private-encrypted-', 'private-cache-', 'presence-'].map((prefix) =>
    refused(`bad-signature-${prefix}channel`, `A wrong signature is refused on a ${prefix}channel`, prefix, {
      auth: 'key:00ff',
      channel_data: prefix === 'presence-' ? '{"user_id":"ann"}' : undefined,
    }),
  ),
  refused('name-201', 'A name of more than 200 characters is refused', 'x'.repeat(200), {}),
  refused(
    'users-channel',
    'The channel of a user is refused to a connection that did not sign in',
    '#server-to-user-',
    {
      auth: '',
    },
  ),
  refused('no-token', 'A private channel without a token is refused', 'private-', {}),
  refused('no-member', 'A presence channel without a member is refused', 'presence-', { auth: 'key:00ff' }),
  refused('characters', 'A name with characters that names cannot have is refused', 'a channel/', {}),
  refused('reserved', 'A name that begins with # is refused', '#server-', {}),
  {
    id: 'subscriptions/refusal-stays-open',
    title: 'A connection whose subscription was refused stays open',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const { socket } = await subject.connect();
      socket.send({ event: 'pusher:subscribe', data: { channel: subject.channel('private-'), auth: 'a:b' } });
      await socket.fence();
      if (socket.closed) throw new Mismatch('the connection', 'open', described(socket.closed));
    },
  },
  {
    id: 'subscriptions/other-socket',
    title: 'A token that was signed for another socket is refused',
    profile: 'channels-core',
    source: sources.signatures,
    async run(subject) {
      const [own, other] = [await subject.connect(), await subject.connect()];
      const channel = subject.channel('private-');
      own.socket.send({ event: 'pusher:subscribe', data: subject.asks(other, channel) });
      await own.socket.getsNo('pusher_internal:subscription_succeeded', channel);
    },
  },
  {
    id: 'subscriptions/other-key',
    title: 'A token of another key is refused',
    profile: 'channels-core',
    source: sources.signatures,
    async run(subject) {
      const connected = await subject.connect();
      const asked = subject.asks(connected, subject.channel('private-'));
      connected.socket.send({
        event: 'pusher:subscribe',
        data: { ...asked, auth: asked.auth?.replace(/^[^:]*/, 'x') },
      });
      await connected.socket.getsNo('pusher_internal:subscription_succeeded');
    },
  },
  {
    id: 'subscriptions/twice',
    title: 'Events come once to a connection that subscribes twice',
    profile: 'channels-core',
    source: sources.protocol,
    basis: 'observed',
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      socket.send({ event: 'pusher:subscribe', data: { channel } });
      await socket.fence();
      await subject.trigger([channel]);
      await socket.next('asked', channel);
      await socket.getsNo('asked', channel);
    },
  },
  {
    id: 'subscriptions/burst',
    title: 'What comes in one burst is done in its order',
    profile: 'channels-core',
    source: sources.protocol,
    basis: 'observed',
    async run(subject) {
      const [channel, last] = [subject.channel(), subject.channel('last-')];
      const { socket } = await subject.connect();
      const [subscribe, unsubscribe] = ['subscribe', 'unsubscribe'].map((order) => `pusher:${order}`);
      for (const event of [subscribe, unsubscribe, subscribe]) socket.send({ event, data: { channel } });
      socket.send({ event: subscribe, data: { channel: last } });
      await socket.fence();
      const confirmed = socket.frames.filter(({ event }) => event === 'pusher_internal:subscription_succeeded');
      expects(
        'the confirmations',
        confirmed.map((frame) => frame.channel),
        [channel, channel, last],
      );
      await subject.trigger([channel]);
      await socket.next('asked', channel);
    },
  },
  {
    id: 'subscriptions/unsubscribed',
    title: 'After pusher:unsubscribe, no events come',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      socket.send({ event: 'pusher:unsubscribe', data: { channel } });
      await socket.fence();
      await subject.trigger([channel]);
      await socket.getsNo('asked', channel);
    },
  },
  {
    id: 'subscriptions/each-its-own',
    title: 'A connection gets the events of its channels, and of no others',
    profile: 'channels-core',
    source: sources.protocol,
    async run(subject) {
      const [own, other] = [subject.channel('own-'), subject.channel('other-')];
      const { socket } = await subject.subscribed(own);
      await subject.trigger([other]);
      await subject.trigger([own], '"mine"');
      await socket.gets('asked', { channel: own, data: '"mine"' });
      await socket.getsNo('asked', other);
    },
  },
  {
    id: 'subscriptions/counts',
    title: 'Subscribers get the number of subscriptions, if the app has that on',
    profile: 'channels',
    source: sources.counts,
    async run(subject) {
      const channel = subject.channel();
      const first = await subject.subscribed(channel);
      const event = 'pusher_internal:subscription_count';
      const count = await first.socket.nextIfOn(event, 'subscription counts');
      expects('the first count', count, { channel, data: json({ subscription_count: 1 }) });
      await subject.subscribed(channel);
      await first.socket.gets(event, { channel, data: json({ subscription_count: 2 }) });
    },
  },
  {
    id: 'subscriptions/no-counts-of-members',
    title: 'Members of a presence channel get no count of subscriptions',
    profile: 'channels',
    source: sources.counts,
    async run(subject) {
      const { socket } = await subject.subscribed(subject.channel('presence-'), member('ann'));
      await socket.getsNo('pusher_internal:subscription_count');
    },
  },
];
