import { expect, it } from 'vitest';
import { appIdIn, withoutPrefix } from './api-path.js';

it.each([
  ['/apps/3/events', '3'],
  ['/apps/3/batch_events', '3'],
  ['/apps/3/channels/presence-room/users', '3'],
  ['/apps/3/users/7/terminate_connections', '3'],
  ['/apps/a%20b/channels', 'a%20b'],
  ['/ws/apps/3/webhooks/dead', '3'],
  ['/apps/apps/3/events', '3'],
  ['/apps/3/statistics', undefined],
  ['/apps/3/eventsource', undefined],
  ['/apps//events', undefined],
  ['/stats/3', undefined],
])('the app in %s is %s', (path, id) => {
  expect(appIdIn(path)).toBe(id);
});

it.each([
  ['/ws/apps/3/events', '/apps/3/events'],
  ['/other/apps/3/events', undefined],
  ['/apps/3/events', undefined],
  ['/ws/stats', undefined],
])('%s without the prefix /ws is %s', (path, rest) => {
  expect(withoutPrefix(path, ['', '/ws'])).toBe(rest);
});
