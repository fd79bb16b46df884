import { type Case, Skipped, sources } from '../case.js';
import { expects, json } from '../matching.js';

export const users: readonly Case[] = [
  {
    id: 'users/signin',
    title: 'Signing in is confirmed with the data that was signed',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const user = { id: `ann-${subject.run}`, name: 'Ann' };
      const frame = await subject.signIn(await subject.connect(), user);
      expects('the confirmation', frame, { data: json({ user_data: json(user) }) });
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
      const [ann, ben] = [await subject.connect(), await subject.connect()];
      await subject.signIn(ann, { id });
      await subject.signIn(ben, { id: `ben-${subject.run}` });
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
    title: 'The channel of a user is closed to all others',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const ben = await subject.connect();
      await subject.signIn(ben, { id: `ben-${subject.run}` });
      const channel = `#server-to-user-ann-${subject.run}`;
      ben.socket.send({ event: 'pusher:subscribe', data: { channel, auth: '' } });
      await ben.socket.getsNo('pusher_internal:subscription_succeeded', channel);
    },
  },
  {
    id: 'users/terminate',
    title: 'terminate_connections closes those that signed in as the user, with 4009',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const id = `ann-${subject.run}`;
      const [ann, ben] = [await subject.connect(), await subject.connect()];
      await subject.signIn(ann, { id });
      await subject.signIn(ben, { id: `ben-${subject.run}` });
      const answer = await subject.ask('POST', `/users/${id}/terminate_connections`, { body: {} });
      expects('the answer', answer, { status: 200, text: /^\{\}\s*$/ });
      await ann.socket.closes(4009);
      await ben.socket.fence();
    },
  },
  {
    id: 'users/terminate-nobody',
    title: 'terminate_connections of a user without connections is answered with {}',
    profile: 'channels',
    source: sources.users,
    async run(subject) {
      const answer = await subject.ask('POST', `/users/nobody-${subject.run}/terminate_connections`);
      expects('the answer', answer, { status: 200, text: /^\{\}\s*$/ });
    },
  },
  {
    id: 'users/watchlist',
    title: 'Who watches a user gets whether they are there, and when that changes',
    profile: 'channels',
    source: sources.watchlist,
    async run(subject) {
      const [watched, watcher] = [`ben-${subject.run}`, await subject.connect()];
      await subject.signIn(watcher, { id: `ann-${subject.run}`, watchlist: [watched] });
      await watcher.socket.fence();
      const name = 'pusher_internal:watchlist_events';
      if (!watcher.socket.frames.some(({ event }) => event === name))
        throw new Skipped('the app does not have watchlist events on');
      const says = (state: string) => ({ data: json({ events: [{ name: state, user_ids: [watched] }] }) });
      await watcher.socket.gets(name, says('offline'));
      const ben = await subject.connect();
      await subject.signIn(ben, { id: watched });
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
      const ann = await subject.connect();
      await subject.signIn(ann, { id: 'ann', user_info: { name: 'Ann' } });
      const frame = await subject.subscribe(ann, subject.channel('presence-'));
      expects('the roster', frame, { data: json({ presence: { ids: ['ann'], hash: { ann: { name: 'Ann' } } } }) });
    },
  },
];
