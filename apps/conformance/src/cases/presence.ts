import { type Basis, type Case, Mismatch, sources } from '../case.js';
import { described, expects, json, type Pattern, Words } from '../matching.js';
import type { Socket } from '../socket.js';
import { member } from '../subject.js';

const refused = (id: string, title: string, refusedMember: unknown, basis?: Basis): Case => ({
  id: `presence/${id}`,
  title,
  profile: 'channels-core',
  source: sources.presence,
  ...(basis && { basis }),
  async run(subject) {
    const connected = await subject.connect();
    const channel = subject.channel('presence-');
    connected.socket.send({ event: 'pusher:subscribe', data: subject.asks(connected, channel, refusedMember) });
    await connected.socket.getsNo('pusher_internal:subscription_succeeded', channel);
    const { frames } = connected.socket;
    if (!frames.some(({ event }) => event.endsWith('error')))
      throw new Mismatch('the answer', 'an error', described(frames));
  },
});

const leaves = (id: string, title: string, leave: (socket: Socket) => void): Case => ({
  id: `presence/${id}`,
  title,
  profile: 'channels-core',
  source: sources.presence,
  async run(subject) {
    const channel = subject.channel('presence-');
    const ann = await subject.subscribed(channel, member('ann'));
    const ben = await subject.subscribed(channel, member('ben'));
    await ann.socket.next('pusher_internal:member_added');
    leave(ben.socket);
    await ann.socket.gets('pusher_internal:member_removed', { data: json({ user_id: 'ben' }) });
  },
});

const roster = (presence: Pattern): Pattern => ({ data: json({ presence }) });

export const presence: readonly Case[] = [
  ...(
    [
      ['another', 'channel_data that was not signed is refused', member('ann'), member('bob')],
      ['none', 'channel_data with a token that was signed without any is refused', undefined, member('bob')],
    ] as const
  ).map(([id, title, signed, forged]): Case => ({
    id: `presence/forged-${id}`,
    title,
    profile: 'channels-core',
    source: sources.signatures,
    async run(subject) {
      const channel = subject.channel('presence-');
      const connected = await subject.connect();
      const data = { ...subject.asks(connected, channel, signed), channel_data: JSON.stringify(forged) };
      connected.socket.send({ event: 'pusher:subscribe', data });
      await connected.socket.getsNo('pusher_internal:subscription_succeeded', channel);
      const { json: body } = await subject.ask('GET', `/channels/${channel}`, { query: { info: 'user_count' } });
      expects('the channel', body, { occupied: false });
    },
  })),
  refused('no-user-id', 'A member without a user id is refused', { user_info: {} }),
  refused('id-object', 'A member whose user id is an object is refused', { user_id: {}, user_info: {} }, 'robustness'),
  refused('list', 'channel_data that is a list is refused', [], 'robustness'),
  refused('id-129', 'A user id of 129 characters is refused', { user_id: 'u'.repeat(129), user_info: {} }, 'observed'),
  refused('info-1025', 'A user_info of more than 1 KB is refused', { user_id: 'ann', user_info: 'x'.repeat(1030) }),
  {
    id: 'presence/roster',
    title: 'The confirmation has the members, the new one included',
    profile: 'channels-core',
    source: sources.presence,
    async run(subject) {
      const channel = subject.channel('presence-');
      const [ann, ben] = [member('ann'), member('ben')];
      await subject.subscribed(channel, ann);
      const frame = await subject.subscribe(await subject.connect(), channel, ben);
      const isBoth = (ids: unknown): boolean =>
        Array.isArray(ids) && ids.length === 2 && ids.includes('ann') && ids.includes('ben');
      expects('the roster', frame, roster({ count: 2, ids: isBoth, hash: { ann: ann.user_info, ben: ben.user_info } }));
    },
  },
  {
    id: 'presence/no-user-info',
    title: 'A member needs no user_info',
    profile: 'channels-core',
    source: sources.swift,
    async run(subject) {
      const ann = await subject.connect();
      const frame = await subject.subscribe(ann, subject.channel('presence-'), { user_id: 'ann' });
      expects('the roster', frame, roster({ ids: ['ann'] }));
    },
  },
  {
    id: 'presence/numeric-id',
    title: 'A user id that was a number is a text in what clients get',
    profile: 'channels-core',
    source: sources.presence,
    basis: 'observed',
    dialects: [{ server: 'soketi and Reverb', got: /\\"ids\\":\[10\]/ }],
    async run(subject) {
      const connected = await subject.connect();
      const frame = await subject.subscribe(connected, subject.channel('presence-'), { user_id: 10, user_info: {} });
      expects('the roster', frame, roster({ ids: ['10'] }));
    },
  },
  {
    id: 'presence/names-of-objects',
    title: 'Members may have the names that every object has',
    profile: 'channels-core',
    source: sources.presence,
    basis: 'robustness',
    async run(subject) {
      const channel = subject.channel('presence-');
      await subject.subscribed(channel, { user_id: '__proto__', user_info: { constructor: 1 } });
      const { data } = await subject.subscribe(await subject.connect(), channel, {
        user_id: 'constructor',
        user_info: {},
      });
      expects('the roster', data, /"__proto__":\{"constructor":1\}/);
      expects('the roster', data, json({ presence: { count: 2, ids: ['__proto__', 'constructor'] } }));
    },
  },
  {
    id: 'presence/comes-and-goes',
    title: 'The others are told when a member comes, and when it goes',
    profile: 'channels-core',
    source: sources.presence,
    async run(subject) {
      const channel = subject.channel('presence-');
      const ann = await subject.subscribed(channel, member('ann'));
      const ben = await subject.subscribed(channel, member('ben'));
      await ann.socket.gets('pusher_internal:member_added', { channel, data: json(member('ben')) });
      await ann.socket.getsNo('pusher_internal:member_added');
      await ben.socket.getsNo('pusher_internal:member_added');
      ben.socket.send({ event: 'pusher:unsubscribe', data: { channel } });
      await ann.socket.gets('pusher_internal:member_removed', { channel, data: json({ user_id: 'ben' }) });
    },
  },
  leaves('closed', 'A member whose connection closes has gone', (socket) => socket.close()),
  leaves('broken', 'A member whose connection breaks, without a close frame, has gone', (socket) => socket.break()),
  {
    id: 'presence/beyond-ascii',
    title: 'A user_info may have any characters: the signature covers its bytes in UTF-8',
    profile: 'channels-core',
    source: sources.signatures,
    basis: 'observed',
    async run(subject) {
      const channel = subject.channel('presence-');
      const zoe = { user_id: 'zoë', user_info: { name: 'Zoë 日本 💬' } };
      const frame = await subject.subscribe(await subject.connect(), channel, zoe);
      expects('the roster', frame, roster({ ids: ['zoë'], hash: { zoë: zoe.user_info } }));
    },
  },
  {
    id: 'presence/two-connections',
    title: 'A member with two connections comes once, and goes with the last',
    profile: 'channels-core',
    source: sources.presence,
    async run(subject) {
      const channel = subject.channel('presence-');
      const ann = await subject.subscribed(channel, member('ann'));
      const phone = await subject.subscribed(channel, member('ben'));
      await ann.socket.next('pusher_internal:member_added');
      const laptop = await subject.connect();
      const frame = await subject.subscribe(laptop, channel, member('ben'));
      expects('the roster', frame, roster({ count: 2 }));
      phone.socket.send({ event: 'pusher:unsubscribe', data: { channel } });
      await phone.socket.fence();
      await ann.socket.getsNo('pusher_internal:member_added');
      await ann.socket.getsNo('pusher_internal:member_removed');
      laptop.socket.send({ event: 'pusher:unsubscribe', data: { channel } });
      await ann.socket.gets('pusher_internal:member_removed', { data: json({ user_id: 'ben' }) });
    },
  },
  {
    id: 'presence/users',
    title: 'GET …/users lists the members',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('presence-');
      await subject.subscribed(channel, member('ann'));
      const { status, json: body } = await subject.ask('GET', `/channels/${channel}/users`);
      expects('the answer', { status, body }, { status: 200, body: { users: [{ id: 'ann' }] } });
    },
  },
  {
    id: 'presence/no-users',
    title: 'GET …/users of an empty presence channel is an empty list',
    profile: 'channels-core',
    source: sources.httpApi,
    dialects: [{ server: 'Reverb', got: /"status":404/ }],
    async run(subject) {
      const { status, json: body } = await subject.ask('GET', `/channels/${subject.channel('presence-')}/users`);
      expects('the answer', { status, body }, { status: 200, body: { users: [] } });
    },
  },
  {
    id: 'presence/users-of-others',
    title: 'GET …/users of another channel is refused with 400',
    profile: 'channels-core',
    source: sources.httpSwift,
    dialects: [{ server: 'Reverb', got: /"status":400,"text":"\{\}"/ }],
    async run(subject) {
      const channel = subject.channel();
      await subject.subscribed(channel);
      expects('the answer', await subject.ask('GET', `/channels/${channel}/users`), {
        status: 400,
        text: new Words(/^Users can only be retrieved for presence channels/),
      });
    },
  },
];
