import { describe, expect, it } from 'vitest';
import type { DeviceAddress } from 'rookery/push-device';
import { PlatformFault, SendLater } from '../delivery/push.gateway.js';
import { PageOutcome, platformFault, refusePage } from './page-outcome.js';

const of = (id: string, more: Partial<DeviceAddress> = {}) => ({ id, registeredAt: 100, ...more }) as DeviceAddress;

it.each([
  [undefined, 100],
  [50, 50],
  [200, 100],
])('a device that is gone from %s on is gone if it has not registered since %i', (before, expected) => {
  const page = new PageOutcome();
  const device = of('a', { goneSince: 7 });
  page.settle(device, { outcome: 'unregistered', ...(before !== undefined && { before }) });
  expect(page.gone).toEqual([{ id: 'a', before: expected, goneSince: 7 }]);
  expect(page.failed).toEqual([{ device, reason: 'unregistered' }]);
});

it('has a place for each device, by what the gateway answered or threw', () => {
  const page = new PageOutcome();
  const bug = new TypeError('oops');
  page.settle(of('sent'), { outcome: 'delivered' });
  page.settle(of('failed'), { outcome: 'rejected', reason: 'TooLarge' });
  page.thrown(of('busy'), new SendLater('Busy', 7000));
  page.thrown(of('slow'), new SendLater('Slow'));
  page.thrown(of('fault'), new PlatformFault('Wrong key', 'com.example'));
  page.thrown(of('bug'), bug);
  page.thrown(of('second'), new TypeError('another'));
  expect(page.sent.map(({ id }) => id)).toEqual(['sent']);
  expect(page.failed).toMatchObject([{ device: { id: 'failed' }, reason: 'TooLarge' }]);
  expect(page.later.map(({ device, ...rest }) => ({ id: device.id, ...rest }))).toEqual([
    { id: 'busy', reason: 'Busy', retryAfterMs: 7000 },
    { id: 'slow', reason: 'Slow' },
    { id: 'fault', reason: platformFault },
    { id: 'bug', reason: 'InternalError' },
    { id: 'second', reason: 'InternalError' },
  ]);
  expect(page.faults).toEqual(new Map([['com.example', 'Wrong key']]));
  expect(page.unexpected).toBe(bug);
  expect(page.deviceIds().toSorted()).toEqual(['bug', 'busy', 'failed', 'fault', 'second', 'sent', 'slow']);
});

describe('a page is partial', () => {
  it.each([
    ['no device was stopped', ['a'], [], false],
    ['none was reached', [], ['b'], false],
    ['some were reached although others were stopped', ['a'], ['b'], true],
  ])('if %s: %s %s', (_, sent, stopped, isPartial) => {
    const page = new PageOutcome();
    for (const id of sent) page.settle(of(id), { outcome: 'delivered' });
    for (const id of stopped) page.stopped(of(id));
    page.thrown(of('busy'), new SendLater('Busy'));
    expect(page.isPartial).toBe(isPartial);
  });
});

it('is the same reason for all devices that are not sent to', () => {
  const devices = [of('a'), of('b')];
  expect(refusePage(devices, 'Expired').failed).toEqual(devices.map((device) => ({ device, reason: 'Expired' })));
});

it("keeps Apple's environment of devices that were found in another than was known", () => {
  const page = new PageOutcome();
  page.settle(of('unknown'), { outcome: 'delivered' });
  page.settle(of('found'), { outcome: 'delivered', environment: 'sandbox' });
  page.settle(of('known', { environment: 'sandbox' }), { outcome: 'delivered', environment: 'sandbox' });
  page.settle(of('of neither'), { outcome: 'unregistered', environment: 'production' });
  page.settle(of('refused'), { outcome: 'rejected', reason: 'BadTopic', environment: 'sandbox' });
  expect(page.environments).toEqual([
    { id: 'found', before: 100, environment: 'sandbox' },
    { id: 'of neither', before: 100, environment: 'production' },
  ]);
});
