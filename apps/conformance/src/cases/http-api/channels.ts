import { type Case, sources } from '../../case.js';
import { expects, Words } from '../../matching.js';
import { member } from '../../subject.js';
import { answers } from './http-api-case.js';

/** What the API answers of channels. */
export const channels: readonly Case[] = [
  answers(
    'channel-name',
    'A channel whose name is malformed is refused',
    () => ({ method: 'GET', path: '/channels/a%20b' }),
    { status: 400 },
    { basis: 'observed' },
  ),
  answers(
    'no-users-counted',
    'A presence channel without members has a user_count of 0',
    (run) => ({ method: 'GET', path: `/channels/presence-${run}`, query: { info: 'user_count' } }),
    { status: 200, json: { occupied: false, user_count: 0 } },
  ),
  answers(
    'no-occupied',
    'The list of channels is an object, also without any',
    (run) => ({ method: 'GET', path: '/channels', query: { filter_by_prefix: `none-${run}` } }),
    { status: 200, text: /\{"channels":\{\}\}/ },
  ),
  answers(
    'unoccupied',
    'A channel without subscribers is not occupied',
    (run) => ({ method: 'GET', path: `/channels/${run}` }),
    { status: 200, json: { occupied: false } },
  ),
  answers(
    'user-count-of-all',
    'user_count of channels that are no presence channels is refused',
    () => ({ method: 'GET', path: '/channels', query: { info: 'user_count' } }),
    { status: 400, text: new Words(/user_count may only be requested for presence channels/) },
    { source: sources.httpSwift },
  ),
  answers(
    'user-count-of-one',
    'user_count of a public channel is refused',
    (run) => ({ method: 'GET', path: `/channels/${run}`, query: { info: 'user_count' } }),
    { status: 400, text: new Words(/Cannot retrieve the user count unless the channel is a presence channel/) },
    { source: sources.httpSwift },
  ),
  answers(
    'unknown-attribute',
    'An unknown attribute is refused',
    (run) => ({ method: 'GET', path: `/channels/${run}`, query: { info: 'nonsense' } }),
    { status: 400, text: new Words(/info should be a comma separated list of attributes/) },
    { source: 'https://github.com/pusher/pusher-http-dotnet, ChannelState' },
  ),
  {
    id: 'http-api/prefix',
    title: 'A prefix filters the list of channels',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const [own, other] = [subject.channel('own-'), subject.channel('other-')];
      await subject.subscribe(await subject.subscribed(own), other);
      const { json } = await subject.ask('GET', '/channels', { query: { filter_by_prefix: 'own-' } });
      const hasOwnAlone = (channels: unknown): boolean =>
        channels !== null && typeof channels === 'object' && own in channels && !(other in channels);
      expects('the list', json, { channels: hasOwnAlone });
    },
  },
  {
    id: 'http-api/occupied',
    title: 'A channel with a subscriber is occupied, and in the list',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel();
      await subject.subscribed(channel);
      expects('the channel', (await subject.ask('GET', `/channels/${channel}`)).json, { occupied: true });
      const { json } = await subject.ask('GET', '/channels', { query: { filter_by_prefix: channel } });
      expects('the list', json, { channels: { [channel]: {} } });
    },
  },
  {
    id: 'http-api/user-count',
    title: 'The users of a presence channel are counted, each once',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('presence-');
      for (const id of ['ann', 'ann', 'ben']) await subject.subscribed(channel, member(id));
      const one = await subject.ask('GET', `/channels/${channel}`, { query: { info: 'user_count' } });
      expects('the channel', one.json, { occupied: true, user_count: 2 });
      const query = { filter_by_prefix: channel, info: 'user_count' };
      expects('the list', (await subject.ask('GET', '/channels', { query })).json, {
        channels: { [channel]: { user_count: 2 } },
      });
    },
  },
  {
    id: 'http-api/subscription-count',
    title: 'The subscriptions of a channel are counted, if the app has that on',
    profile: 'channels',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel();
      const { socket } = await subject.subscribed(channel);
      await socket.nextIfOn('pusher_internal:subscription_count', 'subscription counts');
      await subject.subscribed(channel);
      const one = await subject.ask('GET', `/channels/${channel}`, { query: { info: 'subscription_count' } });
      expects('the channel', one.json, { occupied: true, subscription_count: 2 });
      const { json } = await subject.trigger([channel], '{}', { info: 'subscription_count' });
      expects('the answer to a trigger', json, { channels: { [channel]: { subscription_count: 2 } } });
    },
  },
  {
    id: 'http-api/info',
    title: 'A trigger with info is answered with the counts of its channels',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('presence-');
      await subject.subscribed(channel, member('ann'));
      const { json } = await subject.trigger([channel], '{}', { info: 'user_count' });
      expects('the answer', json, { channels: { [channel]: { user_count: 1 } } });
    },
  },
  {
    id: 'http-api/batch-info',
    title: 'A batch is answered with the attributes of each event, in its order',
    profile: 'channels-core',
    source: sources.httpApi,
    async run(subject) {
      const channel = subject.channel('presence-');
      await subject.subscribed(channel, member('ann'));
      const item = { name: 'asked', channel, data: '{}' };
      const asking = { ...item, info: 'user_count' };
      const { status, json } = await subject.ask('POST', '/batch_events', { body: { batch: [item, asking] } });
      expects('the answer', { status, json }, { status: 200, json: { batch: [{}, { user_count: 1 }] } });
    },
  },
];
