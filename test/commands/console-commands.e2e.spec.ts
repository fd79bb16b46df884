import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { ChannelsModule, EventsService } from 'rookery/channels';
import { ConsoleModule } from '@rookery/console';
import { NotificationsModule } from 'rookery/notifications';
import { PresenceModule } from 'rookery/presence';
import { PlatformFault, PublishModule } from 'rookery/publish';
import { DeviceRepository, type Instance, PushDeviceModule } from 'rookery/push-device';
import { testApp } from '../support/channels-server.js';
import { ConsoleClient } from '../support/console-client.js';
import { googlePem } from '../support/private-keys.js';
import { api } from '../support/publish-app.js';
import { instance as withoutCredentials, startApp } from '../support/push-app.js';
import { ScriptedGateway } from '../support/scripted.gateway.js';
import { SocketClient } from '../support/socket-client.js';
import { typed } from '../support/typed-command.js';
import { until } from '../support/until.js';

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
    PublishModule.forRoot({ pollMs: 20, fcmGateway: fcm, deadLetters: 3 }),
    NotificationsModule.forRoot({ apps: [{ app: testApp.id, pushAfterSeconds: 600 }] }),
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
    expect(told.stdout).toMatch(new RegExp(`^${device}: Google accepted the notification, after \\d+ ms\\.\n$`));
    expect(fcm.sent).toEqual([device]);
    expect(fcm.prepared[0]!.payload).toEqual({ notification: { title: 'Only you' } });
    const json = JSON.parse((await run(['publish', '--device', device, '--json'])).stdout) as object;
    expect(json).toEqual({ outcome: 'delivered', reason: null, durationMs: expect.any(Number) });
  });

  it('fails with what to do next if it was not delivered', async () => {
    const device = await push.registered();
    fcm.answer = () => {
      throw new PlatformFault('invalid_grant');
    };
    const { code, stdout, stderr } = await run(['publish', '--device', device]);
    expect(code).toBe(1);
    expect(stdout).toContain(`${device}: Google refuses the credentials: invalid_grant, after `);
    expect(stderr).toMatch(/^rookery: No device of this platform can be reached .* rookery doctor checks them\n$/);
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

describe('publishes list', () => {
  it('lists the newest first, in the words of the console', async () => {
    await push.registered(['sale'], 'worn');
    fcm.answer = () => ({ outcome: 'rejected', reason: 'BadToken' });
    const first = (await push.publish({ interests: ['sale'], fcm: { notification: { title: 'Sale' } } })).json;
    const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
    await push.publish(
      { interests: ['later', 'x'], allOf: ['vip'], noneOf: ['y', 'z'], fcm: { notification: { title: 'Later' } } },
      { 'publish-at': inAnHour },
    );
    await until(async () => (await push.status(first.publishId)).state === 'finished', 'the first is sent');
    const { stdout } = await run(['publishes', 'list']);
    expect(stdout.split('\n').map((line) => line.split(/ {3,}/).slice(1))).toEqual([
      ['state', 'title', 'to', 'sent', 'failed', 'later', 'when'],
      [
        'waiting',
        'Later',
        'later, x; all of: vip; none of: y, z',
        '0',
        '0',
        '0',
        expect.stringMatching(/^in (1 h|59 min)$/),
      ],
      ['not sent', 'Sale', 'sale', '0', '1', '0', expect.stringMatching(/^\d+ s ago$/)],
      [],
    ]);
    const [listed, ...more] = JSON.parse(
      (await run(['publishes', 'list', '--limit', '1', '--json'])).stdout,
    ) as object[];
    expect([listed, more]).toEqual([expect.objectContaining({ title: 'Later', state: 'waiting' }), []]);
  });

  it('reads as many pages as it takes', async () => {
    for (let n = 0; n < 25; n++) await push.publish({ interests: [`nobody-${n}`], fcm: {} });
    const listed = JSON.parse((await run(['publishes', 'list', '--limit', '23', '--json'])).stdout) as { id: string }[];
    expect(new Set(listed.map(({ id }) => id)).size).toBe(23);
  });

  it('fails for an instance that is not there', async () => {
    const ended = await run(['publishes', 'list', '--instance', 'nobody']);
    expect(ended).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(`there are ${instance.id}`) });
  });
});

describe('webhooks', () => {
  const webhookUrl = 'http://127.0.0.1:9/hooks';
  const of = ['--instance', instance.id];
  const given = async () =>
    JSON.parse((await run(['webhooks', 'list', ...of, '--json'])).stdout) as { id: string; lastError: string }[];

  it('that were given up are listed, and sent again', async () => {
    expect((await run(['webhooks', 'list'])).stdout).toBe('No webhook was given up\n');
    await push.publish({ interests: ['nobody'], webhookUrl, fcm: {} });
    await until(async () => (await given()).length === 2, 'both are given up');
    const { stdout } = await run(['webhooks', 'list', ...of]);
    expect(stdout).toMatch(/^webhook +events +last error +to +given up\n/);
    expect(stdout).toMatch(new RegExp(`FINISHED .*${webhookUrl} +\\d+ s ago\n`));

    expect(stdout).not.toContain('kept');
    await push.publish({ interests: ['nobody'], webhookUrl, fcm: {} });
    await until(async () => (await run(['webhooks', 'list', ...of])).stdout.includes('kept'), 'one is dropped');
    const many = (await run(['webhooks', 'list', ...of])).stdout;
    expect(many).toMatch(/\nThe latest 3 are kept; 1 older one was dropped and cannot be sent again\.\n$/);

    const before = await given();
    const [one] = before;
    expect((await run(['webhooks', 'resend', one!.id, ...of])).stdout).toBe(`Sending ${one!.id} again\n`);
    expect((await run(['webhooks', 'resend', '--all', ...of])).stdout).toMatch(/^Sending again: [123]\n$/);
  });

  it.each<[readonly string[], number, RegExp]>([
    [[], 2, /Which webhooks\? Pass their ids as shown by list, or --all/],
    [['some-id', '--all'], 2, /Which webhooks/],
    [['unknown', '--app', testApp.id], 1, /answers 404: /],
    [['--all', '--app', testApp.id, '--instance', instance.id], 2, /cannot be used with/],
  ])('are not sent again without saying which: %j', async (args, code, text) => {
    const ended = await run(['webhooks', 'resend', ...args]);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) as string });
  });
});

describe('devices', () => {
  const keyed = ['--instance', instance.id, '--secret-key', instance.secretKey];

  it('are removed once their id is typed', async () => {
    const device = await push.registered(['removed']);
    expect((await run(['devices', '--interest', 'removed', ...keyed])).stdout).toContain(device);
    expect(await run(['devices', 'remove', device], 'no')).toMatchObject({ code: 1 });
    expect(await run(['devices', 'remove', device])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('pass --yes') as string,
    });
    expect(await run(['devices', 'remove', device], device)).toMatchObject({
      code: 0,
      shown: expect.stringContaining(`Removed device ${device}\n`) as string,
    });
    expect((await run(['devices', '--interest', 'removed', ...keyed])).stdout).toBe('No device found\n');
    expect(await run(['devices', 'remove', device, '--yes'])).toMatchObject({
      code: 1,
      stderr: `rookery: There is no device ${device}: rookery devices lists those of a user or an interest\n`,
    });
  });
});

describe('devices of a user', () => {
  const keyed = ['--instance', instance.id, '--secret-key', instance.secretKey];

  it('are listed with all of their interests, however many', async () => {
    const many = Array.from({ length: 120 }, (_, n) => `topic-${String(n).padStart(3, '0')}`);
    const device = await push.registered(many);
    await app.app.get(DeviceRepository).setUser(instance.id, 'fcm', device, 'carla');
    const { stdout } = await run(['devices', '--user', 'carla', ...keyed]);
    expect(stdout).toMatch(/^device +platform +interests +registered\n/);
    expect(stdout).toContain(many.join(', '));
    const first = await run(['devices', '--user', 'carla', '--query', '[].interests[0]', ...keyed]);
    expect(first).toMatchObject({ code: 0, stdout: 'topic-000\n' });
  });

  it('are those with an interest, if both are named', async () => {
    const [runner, reader] = [await push.registered(['running', 'news']), await push.registered(['news'])];
    for (const device of [runner, reader])
      await app.app.get(DeviceRepository).setUser(instance.id, 'fcm', device, 'dora');
    const ids = async (interest: string) =>
      (await run(['devices', '--user', 'dora', '--interest', interest, '--query', '[].id', ...keyed])).stdout;
    expect(await ids('running')).toBe(`${runner}\n`);
    expect((await ids('news')).trim().split('\n').toSorted()).toEqual([runner, reader].toSorted());
    expect(await ids('swimming')).toBe('');
  });
});

describe('--query', () => {
  it.each<[string, string]>([
    ['[].id', `${testApp.id}\n`],
    ['[0].{id: id, enabled: enabled}', `{"id":"${testApp.id}","enabled":true}\n`],
    ['[?enabled == `false`].id', ''],
    ['length(@)', '1\n'],
  ])('prints what %s selects, a line for each item', async (expression, printed) => {
    expect(await run(['apps', 'list', '--query', expression])).toMatchObject({ code: 0, stdout: printed, stderr: '' });
  });

  it.each<[string, number, RegExp]>([
    ['[?', 2, /'--query <expression>' argument '\[\?' is invalid\. It is not JMESPath: Invalid token \(EOF\)/],
    ['[].', 1, /^rookery: --query: the expression is not complete/],
    ['nonsense(@)', 2, /It is not JMESPath: Unknown function: nonsense\(\)/],
    ['abs(@)', 1, /^rookery: --query: .*abs\(\) expected argument 1/],
  ])('refuses %s', async (expression, code, text) => {
    const ended = await run(['apps', 'list', '--query', expression]);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) as string });
  });
});

describe('open', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rookery-open-'));
  const opened = join(folder, 'opened');
  const browser = join(folder, 'browser');
  // The shell's own commands alone: some machines have no others.
  writeFileSync(browser, `#!/bin/sh\necho "$1" > '${opened}'\n`, { mode: 0o755 });
  afterAll(() => rmSync(folder, { recursive: true }));

  it('opens the console in the browser of a person at a terminal', async () => {
    vi.stubEnv('BROWSER', browser);
    const told = await run(['open'], 'a terminal');
    expect(told).toMatchObject({ code: 0, stdout: `Opened ${app.url}/console in your browser\n` });
    const address = (): string => (existsSync(opened) ? readFileSync(opened, 'utf8') : '');
    await until(() => address().endsWith('\n'), 'the browser was started');
    expect(address()).toBe(`${app.url}/console\n`);
  });

  it.each<[string, string, string | undefined]>([
    ['no browser', join(folder, 'none'), 'a terminal'],
    ['no terminal', browser, undefined],
  ])('prints the address where there is %s', async (_, of, terminal) => {
    rmSync(opened, { force: true });
    vi.stubEnv('BROWSER', of);
    expect(await run(['open'], terminal)).toMatchObject({ code: 0, stdout: `${app.url}/console\n`, stderr: '' });
    expect(existsSync(opened)).toBe(false);
  });

  it('says so where no server answers', async () => {
    const ended = await typed(['open', '--url', 'http://127.0.0.1:2']);
    expect(ended).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('does not answer') as string });
  });
});

describe('notify', () => {
  const keyed = ['--app', testApp.id, '--key', testApp.key, '--secret', testApp.secret];

  it('sends an event to the pages of a user, and a push without one', async () => {
    const alice = await SocketClient.connect(app.port, testApp);
    await alice.signin({ id: 'alice' });
    await alice.subscribe('#server-to-user-alice');
    const { code, stdout } = await run([
      'notify',
      'alice',
      'mention',
      '{"room":"tea"}',
      '--title',
      'A mention',
      ...keyed,
    ]);
    const [, id] = /^Accepted as (\S+)\n$/.exec(stdout) ?? [];
    expect(code).toBe(0);
    expect(JSON.parse((await alice.next('mention')).data as string)).toMatchObject({ room: 'tea', rookery: { id } });
    const { notifications } = await new ConsoleClient(app.port, password).get(`apps/${testApp.id}/notifications`);
    expect(notifications).toMatchObject([{ id, userId: 'alice', name: 'mention', title: 'A mention' }]);
    expect(JSON.parse((await run(['notify', 'bob', 'hi', '--json', ...keyed])).stdout)).toEqual({
      id: expect.any(String),
    });
  });

  it.each<[readonly string[], number, RegExp]>([
    [['alice', 'mention', 'text'], 1, /answers 400: .*event.data must be an object/],
    [['alice', 'mention', '--push-after', 'soon'], 2, /--push-after must be a number of seconds/],
    [['alice', 'mention', '--payload', '{'], 2, /--payload must be JSON/],
  ])('refuses %j', async (args, code, text) => {
    const ended = await run(['notify', ...args, ...keyed]);
    expect(ended).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(text) as string });
  });
});

describe('why', () => {
  it('says whether a user and a socket got an event, and why not', async () => {
    const [alice, bob] = [await SocketClient.connect(app.port, testApp), await SocketClient.connect(app.port, testApp)];
    await alice.signin({ id: 'alice' });
    await alice.subscribe('news');
    await app.app.get(EventsService).trigger(testApp.id, { name: 'headline', channels: ['news'], data: '{}' });
    await alice.next('headline');
    const { activities } = await new ConsoleClient(app.port, password).get(`apps/${testApp.id}/recent?kinds=event`);
    const [{ id }] = activities;

    const told = await run(['why', id, '--user', 'alice']);
    expect([told.code, told.stderr]).toEqual([0, '']);
    expect(told.stdout).toMatch(/^headline on news at \d\d:/);
    expect(told.stdout).toContain(`\ndelivered  ${alice.socketId}  alice\n`);
    const missed = await run(['why', id, '--socket', bob.socketId]);
    expect(missed.code).toBe(1);
    expect(missed.stdout).toMatch(/\nnot delivered {2}\S+\n {2}\w+ .*\./);
    const json = await run(['why', id, '--socket', bob.socketId, '--json']);
    expect(json.code).toBe(1);
    expect(JSON.parse(json.stdout)).toMatchObject({ sockets: [{ verdict: 'not_delivered' }] });
    const unknown = await run(['why', '9-9@news', '--user', 'alice']);
    expect(unknown.code).toBe(3);
    expect(unknown.stdout).toMatch(/^The server does not keep this event/);
  });

  it('folds what had ended before the event, the latest first', async () => {
    const former: string[] = [];
    for (let n = 0; n < 3; n++) {
      const carol = await SocketClient.connect(app.port, testApp);
      await carol.signin({ id: 'carol' });
      former.unshift(carol.socketId);
      carol.close();
      await until(() => carol.closed !== undefined, 'it has ended');
    }
    const carol = await SocketClient.connect(app.port, testApp);
    await carol.signin({ id: 'carol' });
    await carol.subscribe('news');
    await app.app.get(EventsService).trigger(testApp.id, { name: 'update', channels: ['news'], data: '{}' });
    await carol.next('update');
    const { activities } = await new ConsoleClient(app.port, password).get(`apps/${testApp.id}/recent?kinds=event`);
    const asked = ['why', activities[0]!.id as string, '--user', 'carol'];

    const told = await run(asked);
    expect(told.code).toBe(0);
    expect(told.stdout.match(/^(not )?delivered {2}.*$/gm)).toEqual([`delivered  ${carol.socketId}  carol`]);
    expect(told.stdout).toMatch(/\n3 earlier connections had ended before the event: --all shows them\n$/);
    const all = (await run([...asked, '--all'])).stdout;
    expect(all.match(/^(not )?delivered {2}.*$/gm)).toEqual([
      `delivered  ${carol.socketId}  carol`,
      ...former.map((id) => `not delivered  ${id}  carol`),
    ]);
  });

  it.each<[readonly string[], number, RegExp]>([
    [['1-1@news'], 2, /Pass either --user or --socket/],
    [['1-1@news', '--user', 'a', '--socket', 'b'], 2, /Pass either --user or --socket/],
    [['nonsense', '--user', 'a'], 1, /answers 400: event must be the id of an event/],
    [['1-1@news', '--user', 'a', '--app', 'nothing'], 2, /--app nothing is not configured: there are /],
  ])('refuses %j', async (args, code, text) => {
    const ended = await run(['why', ...args]);
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
