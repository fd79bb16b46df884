import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { PublishService, SendLater } from 'rookery/publish';
import { DevicesService } from 'rookery/push-device';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';
import { typed } from '../support/typed-command.js';
import { until } from '../support/until.js';

let app: Awaited<ReturnType<typeof startPublishApp>>;
beforeAll(async () => {
  app = await startPublishApp();
});
afterAll(() => app.close());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function deviceWith(
  interests: readonly string[],
  platform: 'apns' | 'fcm' = 'fcm',
  token: string = crypto.randomUUID(),
): Promise<void> {
  const devices = app.app.get(DevicesService);
  const { id } = await devices.register(instance.id, { platform, token, metadata: {} });
  await devices.setInterests({ instanceId: instance.id, platform, id }, new Set(interests));
}

/** Runs `rookery publish`, and answers its question. */
const publishing = (args: readonly string[], answer?: string) =>
  typed(
    [
      'publish',
      ...args,
      '--title',
      'Hello',
      '--url',
      app.url,
      '--instance',
      instance.id,
      '--secret-key',
      instance.secretKey,
    ],
    answer,
  );

it('says on a terminal how many devices a publish reaches, each once, and sends it once agreed', async () => {
  await deviceWith(['news', 'sport']);
  await deviceWith(['sport']);
  for (let n = 0; n < 120; n++) await deviceWith(['weather']);
  const refused = await publishing(['news,sport,weather'], 'n');
  expect(refused.code).toBe(1);
  expect(refused.shown).toContain('This reaches 122 devices now. Send it? [y/N]: ');
  expect(refused.shown).toContain('Nothing was sent');
  const { code, shown } = await publishing(['news'], 'y');
  expect({ code, shown }).toEqual({ code: 0, shown: expect.stringMatching(/1 device now.*\n?.*Accepted as pubid-/s) });
});

it('counts only platforms that have a payload', async () => {
  await deviceWith(['only-apple'], 'apns');
  const payload = ['only-apple', '--payload', '{"fcm":{"data":{"n":"1"}}}'];
  expect((await publishing(payload, '')).shown).toContain('This reaches 0 devices now.');
});

it.each<[string, readonly string[], string | undefined]>([
  ['with --yes', ['news', '--yes'], 'n'],
  ['in a script', ['news'], undefined],
])('does not ask %s', async (_, args, answer) => {
  const publish = vi.spyOn(app.app.get(PublishService), 'accept');
  const { code, shown } = await publishing(args, answer);
  expect(code).toBe(0);
  expect(shown).toMatch(/^Accepted as pubid-/);
  expect(publish).toHaveBeenCalledOnce();
});

it('wants --yes in a script for a publish that reaches more devices than are counted', async () => {
  const devices = app.app.get(DevicesService);
  await Promise.all(Array.from({ length: 1001 }, () => deviceWith(['everybody'])));
  const accept = vi.spyOn(app.app.get(PublishService), 'accept');
  const refused = await publishing(['everybody']);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toMatch(
    /^rookery: This reaches more than 1000 devices: pass --yes to send it from a script\n/,
  );
  expect(accept).not.toHaveBeenCalled();
  expect(await publishing(['everybody', '--yes'])).toMatchObject({ code: 0 });
  for (const { id } of (await devices.inAudience(instance.id, { interests: ['everybody'] }, '', 2000)).devices)
    await devices.remove({ instanceId: instance.id, platform: 'fcm', id });
});

describe('--wait', () => {
  it('prints the id and the progress to stderr, and the outcome with its reasons to stdout', async () => {
    for (const token of ['fine', 'worn', 'gone']) await deviceWith(['waited'], 'fcm', token);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    app.gateways.fcm.answer = async ({ token }) => {
      if (token === 'fine') return { outcome: 'delivered' };
      await released;
      return token === 'worn' ? { outcome: 'rejected', reason: 'INVALID_ARGUMENT' } : { outcome: 'unregistered' };
    };
    const running = publishing(['waited', '--wait', '--json']);
    await until(() => app.gateways.fcm.active === 2, 'two devices are late');
    const asked = vi.spyOn(app.app.get(PublishService), 'status');
    await until(() => asked.mock.settledResults.some(({ type }) => type === 'fulfilled'), 'it has asked meanwhile');
    release();
    const { code, stdout, stderr } = await running;
    expect(code).toBe(0);
    const state = JSON.parse(stdout) as { publishId: string; platforms: object };
    expect(state.platforms).toMatchObject({ fcm: { sent: 1, failed: { INVALID_ARGUMENT: 1, unregistered: 1 } } });
    expect(stderr).toMatch(new RegExp(`^Accepted as ${state.publishId}\n(pending|sending), `));

    app.gateways.fcm.answer = () => ({ outcome: 'rejected', reason: 'INVALID_ARGUMENT' });
    const told = await publishing(['waited', '--wait']);
    expect([told.code, told.stderr]).toEqual([1, expect.stringContaining('rookery: No device got it\n')]);
    expect(told.stdout).toMatch(/^pubid-\S+ is finished\n/);
    expect(told.stdout).toContain('  2 × INVALID_ARGUMENT: Google refuses the payload. Correct the payload');
  });

  it('ends with its time, and names the publish and how to go on', async () => {
    await deviceWith(['faulty']);
    app.gateways.fcm.answer = () => {
      throw new SendLater('UNAVAILABLE', 600_000);
    };
    const { code, stdout, stderr } = await publishing(['faulty', '--wait', '--timeout', '1']);
    expect([code, stdout]).toEqual([1, '']);
    const [, id] = /^Accepted as (pubid-\S+)\n/.exec(stderr)!;
    expect(stderr).toMatch(/fcm: 0 of 1 sent, 1 retrying \(next attempt at \d{4}-\S+Z\): UNAVAILABLE/);
    expect(stderr).toContain(`rookery: ${id} is not finished after 1 s`);
    expect(stderr).toContain(`rookery publishes show ${id}\n`);
  });
});
