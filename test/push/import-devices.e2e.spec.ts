import { expect, it } from 'vitest';
import { importDevices, TypeOrmDeviceRepository, TypeOrmLiveActivityRepository } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';

const instanceId = '0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60';

async function* linesOf(devices: readonly unknown[]): AsyncGenerator<string> {
  for (const device of devices) yield typeof device === 'string' ? device : JSON.stringify(device);
}

describeDatabases('an import of devices', ({ database }) => {
  const devices = () => new TypeOrmDeviceRepository(database());
  const refused: [number, string][] = [];
  const imported = (lines: readonly unknown[]) => {
    refused.length = 0;
    return importDevices(database(), instanceId, linesOf(lines), (line, reason) => refused.push([line, reason]));
  };
  const all = (interest: string) => devices().inAudience(instanceId, { interests: [interest] }, '', 10_000);

  it('imports devices, users and interests, and changes nothing when repeated', async () => {
    const lines = Array.from({ length: 2500 }, (_, index) => ({
      platform: 'fcm',
      token: `token ${index}`,
      userId: `user ${index % 50}`,
      interests: ['all', `part-${index % 3}`],
    }));
    expect(await imported(lines)).toEqual({ imported: 2500, refused: 0 });
    const first = await all('all');
    expect(first).toHaveLength(2500);
    expect(await devices().inAudience(instanceId, { users: ['user 7'] }, '', 100)).toHaveLength(50);
    expect(await imported(lines)).toEqual({ imported: 2500, refused: 0 });
    expect(await all('all')).toEqual(first);
    expect(await all('part-0')).toHaveLength(834);
  });

  it('keeps the id that a device already knows', async () => {
    const id = 'apns-of-a-phone';
    const line = { platform: 'apns', token: 'aa', bundleIdentifier: 'com.example.app', id, interests: ['own-id'] };
    await imported([line]);
    expect(await all('own-id')).toMatchObject([{ id, token: 'aa', bundleIdentifier: 'com.example.app' }]);
  });

  it("takes Apple's environment and start token, and tokens in upper case as the app registers them", async () => {
    const line = { platform: 'apns', token: 'AB', bundleIdentifier: 'a', environment: 'sandbox', startToken: 'CD' };
    await imported([{ ...line, interests: ['apple'] }]);
    const [device] = await all('apple');
    expect(device).toMatchObject({ token: 'ab', environment: 'sandbox' });
    const { id } = device!;
    const tokens = await new TypeOrmLiveActivityRepository(database()).startTokens(instanceId, [id]);
    expect(tokens).toEqual(new Map([[id, 'cd']]));
    const app = { platform: 'apns', token: 'ab', bundleIdentifier: 'a', metadata: {} } as const;
    expect(await devices().register(instanceId, app, 5)).toEqual({ id, interests: ['apple'] });
  });

  it('refuses a line with a field that it does not know', async () => {
    const phone = { platform: 'fcm', token: 'typo' };
    expect(
      await imported([
        { ...phone, interest: ['a'] },
        { ...phone, startToken: 'ab' },
      ]),
    ).toMatchObject({ refused: 2 });
    expect(refused).toEqual([
      [1, expect.stringMatching(/^interest is not a field: it can have platform, token, .*interests/)],
      [2, 'only apns devices have environment and startToken'],
    ]);
  });

  it('keeps the id, the user and, if the line has none, the interests of a registered device', async () => {
    const registration = { platform: 'fcm', token: 'registered', metadata: { sdkVersion: '1' } } as const;
    const { id } = await devices().register(instanceId, registration, 5);
    await devices().setUser(instanceId, 'fcm', id, 'alice');
    await devices().addInterest(instanceId, 'fcm', id, 'kept');
    await imported([{ platform: 'fcm', token: 'registered', id: 'fcm-other' }]);
    expect(await devices().find(instanceId, 'fcm', id)).toMatchObject({ userId: 'alice', registeredAt: 5 });
    expect(await all('kept')).toHaveLength(1);
    await imported([{ platform: 'fcm', token: 'registered', interests: ['set'] }]);
    expect([await all('kept'), (await all('set')).length]).toEqual([[], 1]);
  });

  it('uses the last of several lines with the same token', async () => {
    const line = { platform: 'fcm', token: 'twice' };
    await imported([
      { ...line, interests: ['twice-1'] },
      { ...line, interests: ['twice-2'] },
    ]);
    expect([(await all('twice-1')).length, (await all('twice-2')).length]).toEqual([0, 1]);
  });

  it('refuses the lines that the API would refuse, and imports the others', async () => {
    const crowd = Array.from({ length: 101 }, (_, index) => ({ platform: 'fcm', token: `c${index}`, userId: 'crowd' }));
    expect(
      await imported([
        '',
        'no json',
        [],
        { platform: 'sms', token: 'x' },
        { platform: 'fcm' },
        { platform: 'apns', token: 'x' },
        { platform: 'apns', token: 'not hexadecimal', bundleIdentifier: 'b' },
        { platform: 'web', token: 'x' },
        { platform: 'fcm', token: 'x', userId: '' },
        { platform: 'fcm', token: 'x', id: 'web-1' },
        { platform: 'fcm', token: 'x', interests: ['a b'] },
        { platform: 'fcm', token: 'registered', userId: 'bob' },
        { platform: 'apns', token: 'bb', bundleIdentifier: 'b', id: 'apns-of-a-phone' },
        ...crowd,
      ]),
    ).toEqual({ imported: 100, refused: 13 });
    expect(refused.map(([line]) => line)).toEqual([2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 114]);
    expect(refused.slice(-3).map(([, reason]) => reason)).toEqual([
      'the device belongs to another user',
      'its id belongs to another token',
      'the user has 100 devices',
    ]);
    expect(await devices().inAudience(instanceId, { users: ['crowd'] }, '', 200)).toHaveLength(100);
  });
});
