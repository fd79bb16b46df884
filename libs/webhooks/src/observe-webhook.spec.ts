import { expect, it } from 'vitest';
import { webhookChannelIn } from './observe-webhook.js';

const event = (channel: string) => ({ name: 'channel_occupied', channel });

it.each([
  ['of one event', { events: [event('news')] }, 'news'],
  ['that all events of a batch have', { events: [event('news'), event('news')] }, 'news'],
  ['unless a batch has several', { events: [event('news'), event('sport')] }, undefined],
  ['unless there is no event', { events: [] }, undefined],
  ['unless a push instance sends it', { metadata: { event_type: 'v1.UserNotificationOpen' } }, undefined],
])('tells the channel %s', (_, body, channel) => {
  expect(webhookChannelIn(JSON.stringify(body))).toBe(channel);
});
