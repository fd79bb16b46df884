import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChannelsModule } from 'rookery/channels';
import { ConsoleModule } from 'rookery/console';
import { PresenceModule } from 'rookery/presence';
import { PlatformFault, PublishModule } from 'rookery/publish';
import { type Instance, PushDeviceModule } from 'rookery/push-device';
import { testApp } from '../support/channels-server.js';
import { googlePem } from '../support/private-keys.js';
import { api } from '../support/publish-app.js';
import { instance as withoutCredentials, startApp } from '../support/push-app.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';
import { typed } from '../support/typed-command.js';

const password = 'a password for tests';
const instance: Instance = {
  ...withoutCredentials,
  fcm: { serviceAccount: { project_id: 'shop', client_email: 'a@shop.example', private_key: googlePem() } },
};
const fcm = new ScriptedGateway('fcm');
let app: Awaited<ReturnType<typeof startApp>>;
let push: ReturnType<typeof api>;

beforeAll(async () => {
  app = await startApp([
    PresenceModule.forRoot(),
    ChannelsModule.forRoot({ apps: [testApp] }),
    PushDeviceModule.forRoot({ instances: [instance] }),
    PublishModule.forRoot({ pollMs: 20, fcmGateway: fcm }),
    ConsoleModule.forRoot({ password }),
  ]);
  push = api(app.call, instance);
});
afterAll(() => app.close());
afterEach(() => {
  vi.unstubAllGlobals();
  vi.unstubAllEnvs();
  Object.assign(fcm, new ScriptedGateway('fcm'));
});

/** Types a command of a person that knows the password. */
function run(args: readonly string[], answer?: string) {
  vi.stubEnv('CONSOLE_PASSWORD', password);
  return typed([...args, '--url', app.url], answer);
}

describe('publish --device', () => {
  it('sends to one device, and prints the answer of its push service', async () => {
    const [device] = [await push.registered(['news']), await push.registered(['news'])];
    const told = await run(['publish', '--device', device, '--title', 'Only you']);
    expect([told.code, told.stderr]).toEqual([0, '']);
    expect(told.stdout).toMatch(new RegExp(`^${device}: delivered \\(\\d+ ms\\)\n$`));
    expect(fcm.sent).toEqual([device]);
    expect(fcm.prepared[0]!.payload).toEqual({ notification: { title: 'Only you' } });
    const json = JSON.parse((await run(['publish', '--device', device, '--json'])).stdout) as object;
    expect(json).toEqual({ outcome: 'delivered', reason: null, durationMs: expect.any(Number) });
  });

  it('fails with what to do next if it was not delivered', async () => {
    const device = await push.registered();
    fcm.answer = () => {
      throw new PlatformFault('Google gives no access token: invalid_grant');
    };
    const { code, stdout, stderr } = await run(['publish', '--device', device]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${device}: refused: Google gives no access token: invalid_grant (`);
    expect(stderr).toMatch(/^rookery: No device of the platform can be reached: .* with rookery doctor\n$/);
  });

  it.each<[readonly string[], number, RegExp]>([
    [['news'], 2, /--device takes no targets, but there is news/],
    [['--wait'], 2, /option '--device <id>' cannot be used with option '--wait'/],
    [[], 1, /answers 404: The device was not found/],
  ])('refuses an unknown device, or more than it: %j', async (args, code, text) => {
    const ended = await run(['publish', '--device', 'fcm-unknown', ...args]);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) as string });
  });
});

it.each<[string, string, string, RegExp]>([
  ['a wrong password', 'wrong', '', /answers 401: the password .* is missing or wrong: pass it by CONSOLE_PASSWORD or/],
  ['no server', password, 'http://127.0.0.1:2', /does not answer: connect ECONNREFUSED .* Set its URL with --url/],
])('says what to do about %s', async (_, given, url, text) => {
  vi.stubEnv('CONSOLE_PASSWORD', given);
  const ended = await typed(['publish', '--device', 'fcm-1', '--url', url || app.url]);
  expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(text) as string });
});
