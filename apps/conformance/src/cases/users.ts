import { type Case, Skipped, soketiAnswers, sources } from '../case.js';
import { expects, json, type Pattern } from '../matching.js';
import { type Connected, hmac, type Subject } from '../subject.js';

/** Signed as it should be. */
const notSignedIn = (id: string, title: string, userData: string): Case => ({
  id: `users/${id}`,
  title,
  profile: 'channels',
  source: sources.users,
  basis: 'robustness',
  async run(subject) {
    const other = await signedIn(subject, { id: `ann-${subject.run}` });
    const { socket, socketId } = await subject.connect();
    const { key, secret } = subject.target;
    const auth = `${key}:${hmac(secret, `${socketId}::user::${userData}`)}`;
    socket.send({ event: 'pusher:signin', data: { auth, user_data: userData } });
    await socket.gets('pusher:error', {});
    // It may close that connection, but no other.
    await socket.settles();
    await other.socket.fence();
    const confirmed = socket.frames.filter(({ event }) => event === 'pusher:signin_success');
    expects('the confirmations', confirmed.length, 0);
  },
});

const unusualIds: Readonly<Record<string, string>> = {
  bar: 'auth0|abc',
  colon: 'user:1',
  accent: 'é',
  space: 'a b',
  escapes: 'a/b?c#d%20',
  quotes: '"\\\n',
  prototype: '__proto__',
  emoji: '💬',
};

const watchlistEvents = 'pusher_internal:watchlist_events';

/** The states of users, in the order of the protocol: those online first. */
const says = (states: Readonly<Record<string, string>>) => ({
  data: json({ events: Object.entries(states).map(([name, id]) => ({ name, user_ids: [id] })) }),
});

/** A connection of a user; `users/signin` judges the sign-in itself. */
async function signedIn(
  subject: Subject,
  user: { readonly id: string; readonly [name: string]: unknown },
): Promise<Connected> {
  const connected = await subject.connect();
  connected.socket.send(subject.signIn(connected, user));
  await connected.socket.next('pusher:signin_success').catch(() => {
    throw new Skipped('the server does not sign in users');
  });
  return connected;
}

/** Signs in with a watchlist, of which the first event must be as told. @throws Skipped if the app has them off */
async function watching(subject: Subject, watchlist: readonly string[], first: Pattern): Promise<Connected> {
  const watcher = await signedIn(subject, { id: `ann-${subject.run}`, watchlist });
  const event = await watcher.socket.nextIfOn(watchlistEvents, 'watchlist events');
  expects('the first event', event, first);
  return watcher;
}

export const users: readonly Case[] = [
  { ...notSignedIn('no-json', 'User data that is no JSON does not sign in', '{'), isRude: true },
  notSignedIn('no-id', 'User data without an id does not sign in', '{}'),
  notSignedIn('empty-id', 'An empty id does not sign in', '{"id":""}'),
  notSignedIn('id-object', 'An id that is an object does not sign in', '{"id":{}}'),
  ...Object.entries(unusualIds).map(([name, id]): Case => ({
    id: `users/id-${name}`,
    title: `A user whose id is ${JSON.stringify(id)} signs in and gets events`,
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const own = `${id}${subject.run}`;
      const ann = await signedIn(subject, { id: own });
      const channel = `#server-to-user-${own}`;
      ann.socket.send({ event: 'pusher:subscribe', data: { channel, auth: '' } });
      // Whether it is confirmed makes no difference to pusher-js.
      await ann.socket.fence();
      await subject.trigger([channel], '"for you"');
      await ann.socket.gets('asked', { channel, data: '"for you"' });
    },
  })),
  {
    id: 'users/signin',
    title: 'Signing in is confirmed with the data that was signed',
    profile: 'channels',
    source: sources.users,
    dialects: [{ server: 'soketi', got: /"data":\{"auth":/ }],
    async run(subject) {
      const user = { id: `ann-${subject.run}`, name: 'Ann' };
      const connected = await subject.connect();
      connected.socket.send(subject.signIn(connected, user));
      await connected.socket.gets('pusher:signin_success', { data: json({ user_data: json(user) }) });
    },
  },
  {
    id: 'users/bad-signature',
    title: 'A wrong signature does not sign in',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      await signedIn(subject, { id: `ann-${subject.run}` });
      const { socket } = await subject.connect();
      socket.send({ event: 'pusher:signin', data: { auth: 'key:00ff', user_data: '{"id":"ann"}' } });
      await socket.gets('pusher:error', {});
    },
  },
  {
    id: 'users/send-to-user',
    title: 'An event for a user reaches the connections that signed in as that user',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const id = `ann-${subject.run}`;
      const [ann, ben] = [await signedIn(subject, { id }), await signedIn(subject, { id: `ben-${subject.run}` })];
      const channel = `#server-to-user-${id}`;
      ann.socket.send({ event: 'pusher:subscribe', data: { channel, auth: '' } });
      await ann.socket.next('pusher_internal:subscription_succeeded', channel);
      await subject.trigger([channel], '"for you"');
      await ann.socket.gets('asked', { channel, data: '"for you"' });
      await ben.socket.getsNo('asked');
    },
  },
  {
    id: 'users/others-channel',
    title: 'The events for a user reach no other user, also not one that subscribes to them',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const id = `ann-${subject.run}`;
      const [ann, ben] = [await signedIn(subject, { id }), await signedIn(subject, { id: `ben-${subject.run}` })];
      const channel = `#server-to-user-${id}`;
      for (const { socket } of [ben, ann]) socket.send({ event: 'pusher:subscribe', data: { channel, auth: '' } });
      await ann.socket.next('pusher_internal:subscription_succeeded', channel);
      await ben.socket.fence();
      await subject.trigger([channel]);
      await ann.socket.next('asked', channel);
      await ben.socket.getsNo('asked');
    },
  },
  {
    id: 'users/terminate',
    title: 'terminate_connections closes those that signed in as the user, with 4009',
    profile: 'channels',
    source: sources.users,
    dialects: [soketiAnswers],
    async run(subject) {
      const id = `ann-${subject.run}`;
      const [ann, ben] = [await signedIn(subject, { id }), await signedIn(subject, { id: `ben-${subject.run}` })];
      const answer = await subject.ask('POST', `/users/${id}/terminate_connections`, { body: {} });
      expects('the status', answer.status, 200);
      await ann.socket.closes(4009);
      await ben.socket.fence();
      expects('the answer', answer, { text: /^\{\}\s*$/ });
    },
  },
  {
    id: 'users/terminate-escaped',
    title: 'terminate_connections takes any id, escaped in its path',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const id = `${Object.values(unusualIds).join('')}${subject.run}`;
      const ann = await signedIn(subject, { id });
      const answer = await subject.ask('POST', `/users/${encodeURIComponent(id)}/terminate_connections`, { body: {} });
      expects('the answer', answer, { status: 200 });
      await ann.socket.closes(4009);
    },
  },
  {
    id: 'users/terminate-nobody',
    title: 'terminate_connections of a user without connections is answered with {}',
    profile: 'channels',
    source: sources.users,
    dialects: [soketiAnswers],
    async run(subject) {
      await subject.subscribed(subject.channel());
      const answer = await subject.ask('POST', `/users/nobody-${subject.run}/terminate_connections`, { body: {} });
      expects('the answer', answer, { status: 200, text: /^\{\}\s*$/ });
    },
  },
  {
    id: 'users/watchlist',
    title: 'Who watches a user gets whether they are there, and when that changes',
    profile: 'channels',
    source: sources.watchlist,
    async run(subject) {
      const watched = `ben-${subject.run}`;
      const watcher = await watching(subject, [watched], says({ offline: watched }));
      const ben = await signedIn(subject, { id: watched });
      await watcher.socket.gets(watchlistEvents, says({ online: watched }));
      ben.socket.close();
      await watcher.socket.gets(watchlistEvents, says({ offline: watched }));
    },
  },
  {
    id: 'users/watchlist-first',
    title: 'The first watchlist event says who is online, and who is not',
    profile: 'channels',
    source: sources.watchlist,
    async run(subject) {
      const [ben, cid] = ['ben', 'cid'].map((name) => `${name}-${subject.run}`) as [string, string];
      await signedIn(subject, { id: ben });
      await watching(subject, [ben, cid], says({ online: ben, offline: cid }));
    },
  },
  {
    id: 'users/watchlist-connections',
    title: 'A watched user comes with the first connection, and goes with the last',
    profile: 'channels',
    source: sources.watchlist,
    async run(subject) {
      const id = `ben-${subject.run}`;
      const phone = await signedIn(subject, { id });
      const watcher = await watching(subject, [id], says({ online: id }));
      const laptop = await signedIn(subject, { id });
      phone.socket.close();
      await laptop.socket.fence();
      await watcher.socket.getsNo(watchlistEvents);
      laptop.socket.close();
      await watcher.socket.gets(watchlistEvents, says({ offline: id }));
    },
  },
  {
    id: 'users/watchlist-101',
    title: 'A watchlist of 101 users is reported with 4302, and the connection stays',
    profile: 'channels',
    source: sources.watchlist,
    async run(subject) {
      const watcher = await watching(
        subject,
        Array.from({ length: 101 }, (_, n) => `u${n}-${subject.run}`),
        {},
      );
      await watcher.socket.gets('pusher:error', { data: { code: 4302 } });
      await watcher.socket.fence();
    },
  },
  {
    id: 'users/presence-without-data',
    title: 'Who signed in needs no channel_data to be a member',
    profile: 'channels',
    source: sources.pusherJs,
    async run(subject) {
      const ann = await signedIn(subject, { id: 'ann', user_info: { name: 'Ann' } });
      const frame = await subject.subscribe(ann, subject.channel('presence-'));
      expects('the roster', frame, { data: json({ presence: { ids: ['ann'], hash: { ann: { name: 'Ann' } } } }) });
    },
  },
];
