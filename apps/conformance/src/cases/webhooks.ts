import { type Case, Mismatch, sources } from '../case.js';
import { expects, json, type Pattern } from '../matching.js';
import { hmac, member, type Subject } from '../subject.js';
import type { WebhookListener } from '../webhooks.js';

const about = (name: string, channel: string, more: Readonly<Record<string, Pattern>> = {}): Pattern => ({
  name,
  channel,
  ...more,
});

const webhookCase = (
  id: string,
  title: string,
  run: (subject: Subject, events: WebhookListener) => Promise<void>,
): Case => ({
  id: `webhooks/${id}`,
  title,
  profile: 'channels',
  source: sources.webhooks,
  run: async (subject) => run(subject, subject.webhooks()),
});

export const webhooks: readonly Case[] = [
  webhookCase('occupied', 'The first subscription of a channel is reported', async (subject, events) => {
    const channel = subject.channel();
    await subject.subscribed(channel);
    await events.with(about('channel_occupied', channel));
  }),
  webhookCase('signature', 'A webhook is signed with the key and the secret of the app', async (subject, events) => {
    const channel = subject.channel();
    await subject.subscribed(channel);
    const { headers, body } = await events.with(about('channel_occupied', channel));
    const { key, secret } = subject.target;
    expects('the headers', headers, {
      'content-type': 'application/json',
      'x-pusher-key': key,
      'x-pusher-signature': hmac(secret, body),
    });
    const isNow = (time: unknown): boolean => typeof time === 'number' && Math.abs(Date.now() - time) < 300_000;
    expects('the body', JSON.parse(body), { time_ms: isNow });
  }),
  webhookCase('vacated', 'The last departure of a channel is reported', async (subject, events) => {
    const channel = subject.channel();
    const { socket } = await subject.subscribed(channel);
    await events.with(about('channel_occupied', channel));
    socket.close();
    await events.with(about('channel_vacated', channel));
  }),
  webhookCase('back-at-once', 'A channel that is occupied again at once was never vacated', async (subject, events) => {
    const [channel, fence] = [subject.channel('own-'), subject.channel('fence-')];
    const first = await subject.subscribed(channel);
    await events.with(about('channel_occupied', channel));
    first.socket.send({ event: 'pusher:unsubscribe', data: { channel } });
    await first.socket.fence();
    await subject.subscribe(first, channel);
    // What becomes vacant later is reported later.
    const other = await subject.subscribed(fence);
    await events.with(about('channel_occupied', fence));
    other.socket.close();
    await events.with(about('channel_vacated', fence));
    const count = events.count(about('channel_vacated', channel)) + events.count(about('channel_occupied', channel));
    if (count !== 1) throw new Mismatch('webhooks of the channel', '1', String(count));
  }),
  webhookCase('members', 'Members of presence channels are reported, each user once', async (subject, events) => {
    const channel = subject.channel('presence-');
    const connections = [];
    for (let n = 0; n < 2; n++) connections.push(await subject.subscribed(channel, member('ann')));
    await events.with(about('member_added', channel, { user_id: 'ann' }));
    for (const { socket } of connections) socket.close();
    await events.with(about('member_removed', channel, { user_id: 'ann' }));
    const count = events.count(about('member_added', channel));
    if (count !== 1) throw new Mismatch('member_added', 'once', String(count));
  }),
  webhookCase('client-event', 'A client event is reported, with its sender', async (subject, events) => {
    const channel = subject.channel('presence-');
    const { socket, socketId } = await subject.subscribed(channel, member('ann'));
    socket.send({ event: 'client-told', channel, data: { at: 1 } });
    const told = { event: 'client-told', socket_id: socketId, user_id: 'ann', data: json({ at: 1 }) };
    await events.with(about('client_event', channel, told));
  }),
  webhookCase('subscription-count', 'The number of subscriptions is reported', async (subject, events) => {
    const channel = subject.channel();
    const { socket } = await subject.subscribed(channel);
    await socket.nextIfOn('pusher_internal:subscription_count', 'subscription counts');
    await events.with(about('subscription_count', channel, { subscription_count: 1 }));
  }),
  webhookCase('cache-miss', 'A cache channel without an event is reported', async (subject, events) => {
    const channel = subject.channel('cache-');
    await subject.subscribed(channel);
    await events.with(about('cache_miss', channel));
  }),
];
