import { PassThrough } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { PublishService } from 'rookery/publish';
import { DevicesService } from 'rookery/push-device';
import { run } from '../../apps/cli/src/run.js';
import { startPublishApp } from '../support/publish-app.js';
import { instance } from '../support/push-app.js';

let app: Awaited<ReturnType<typeof startPublishApp>>;
beforeAll(async () => {
  app = await startPublishApp();
});
afterAll(() => app.close());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

async function deviceWith(interests: readonly string[], platform: 'apns' | 'fcm' = 'fcm'): Promise<void> {
  const devices = app.app.get(DevicesService);
  const token = crypto.randomUUID();
  const { id } = await devices.register(instance.id, { platform, token, metadata: {} });
  await devices.setInterests({ instanceId: instance.id, platform, id }, new Set(interests));
}

/** Runs `rookery publish`, and answers its question. @returns its exit code, and what the terminal showed */
async function publishing(args: readonly string[], answer: string | undefined) {
  const [stdin, stdout, stderr] = [new PassThrough(), new PassThrough(), new PassThrough()];
  const isTTY = answer !== undefined;
  let shown = '';
  for (const stream of [stdout, stderr])
    stream.on('data', (text: Buffer) => {
      if (String(text).includes('Send it?') && !shown.includes('Send it?')) stdin.write(`${answer}\n`);
      shown += String(text);
    });
  const streams: Readonly<Record<string, object>> = {
    stdin: Object.assign(stdin, { isTTY }),
    stdout: Object.assign(stdout, { isTTY }),
    stderr,
  };
  const seen = new Proxy(process, {
    get: (target, name) => streams[String(name)] ?? Reflect.get(target, name),
  });
  vi.stubGlobal('process', seen);
  const of = ['--url', app.url, '--instance', instance.id, '--secret-key', instance.secretKey];
  const code = await run(['publish', ...args, '--title', 'Hello', ...of]);
  return { code, shown };
}

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
