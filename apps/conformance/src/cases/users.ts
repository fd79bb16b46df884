import { type Case, Skipped, soketiAnswers, sources } from '../case.js';
import { expects, json } from '../matching.js';
import type { Connected, Subject } from '../subject.js';

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

export const users: readonly Case[] = [
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
      const watcher = await signedIn(subject, { id: `ann-${subject.run}`, watchlist: [watched] });
      await watcher.socket.fence();
      const name = 'pusher_internal:watchlist_events';
      if (!watcher.socket.frames.some(({ event }) => event === name))
        throw new Skipped('the app does not have watchlist events on');
      const says = (state: string) => ({ data: json({ events: [{ name: state, user_ids: [watched] }] }) });
      await watcher.socket.gets(name, says('offline'));
      const ben = await signedIn(subject, { id: watched });
      await watcher.socket.gets(name, says('online'));
      ben.socket.close();
      await watcher.socket.gets(name, says('offline'));
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
