import { expect, it } from 'vitest';
import { webhookEventNames } from '../app/webhook-event-name.js';
import { testEvent } from './webhook-test.service.js';

it('sends an event that the endpoint gets, on a channel that its filter lets through', () =>
  expect(
    testEvent({ events: ['member_added'], filter: { channelNameStartsWith: 'presence-', channelNameEndsWith: '-1' } }),
  ).toEqual({ name: 'member_added', channel: 'presence-rookery-test-1', user_id: 'rookery-test' }));

it('sends channel_occupied to an endpoint that gets all events', () =>
  expect(testEvent({})).toEqual({ name: 'channel_occupied', channel: 'rookery-test' }));

it.each(webhookEventNames)('knows an event %s', (name) =>
  expect(testEvent({ events: [name] })).toMatchObject({ name }),
);
