import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');

const up = [
  [
    'libs/channels/src/protocol/a.ts',
    'libs/channels/src/access/b.ts',
    'channels-protocol-imports-only-what-is-below-it',
  ],
  [
    'libs/channels/src/connections/a.ts',
    'libs/channels/src/hub/b.ts',
    'channels-connections-imports-only-what-is-below-it',
  ],
  ['libs/channels/src/hub/a.ts', 'libs/channels/src/events/b.ts', 'channels-hub-imports-only-what-is-below-it'],
  ['libs/channels/src/events/a.ts', 'libs/channels/src/http/b.ts', 'channels-events-imports-only-what-is-below-it'],
  [
    'libs/channels/src/subscriptions/a.ts',
    'libs/channels/src/wings/b.ts',
    'channels-subscriptions-imports-only-what-is-below-it',
  ],
  ['libs/channels/src/http/a.ts', 'libs/channels/src/sockets/b.ts', 'channels-http-imports-only-what-is-below-it'],
  ['libs/channels/src/app/a.ts', 'libs/channels/src/channels.options.ts', 'channels-app-imports-only-what-is-below-it'],
  ['libs/channels/src/throttle.ts', 'libs/channels/src/app/b.ts', 'channels-*-imports-only-what-is-below-it'],
  ['libs/http/src/a.ts', 'libs/http/src/openapi/b.ts', 'http-*-imports-only-what-is-below-it'],
  ['libs/publish/src/outbox/a.ts', 'libs/publish/src/http/b.ts', 'publish-outbox-imports-only-what-is-below-it'],
  [
    'libs/publish/src/publish.ts',
    'libs/publish/src/publish.service.ts',
    'publish-publish-imports-only-what-is-below-it',
  ],
  [
    'libs/push-device/src/instances/a.ts',
    'libs/push-device/src/http/b.ts',
    'push-device-instances-imports-only-what-is-below-it',
  ],
  [
    'libs/notifications/src/store/a.ts',
    'libs/notifications/src/b.ts',
    'notifications-store-imports-only-what-is-below-it',
  ],
  ['libs/console/src/watch/a.ts', 'libs/console/src/access/b.ts', 'console-watch-imports-only-what-is-below-it'],
  ['libs/testing/src/clock/a.ts', 'libs/testing/src/client/b.ts', 'testing-clock-imports-only-what-is-below-it'],
  ['libs/redis/src/connection/a.ts', 'libs/redis/src/broker/b.ts', 'redis-connection-imports-only-what-is-below-it'],
  [
    'libs/typeorm/src/database/a.ts',
    'libs/typeorm/src/migrations/b.ts',
    'typeorm-database-imports-only-what-is-below-it',
  ],
  ['libs/typeorm/src/devices/a.ts', 'libs/typeorm/src/index.ts', 'typeorm-devices-imports-only-what-is-below-it'],
  ['libs/sdk/src/client/a.ts', 'libs/sdk/src/events/index.ts', 'sdk-has-no-dependencies'],
  ['libs/sdk/src/events/a.ts', 'libs/sdk/src/client/b.ts', 'sdk-events-imports-only-what-is-below-it'],
  ['libs/presence/src/a.ts', 'libs/channels/src/index.ts', 'presence-imports-only-what-is-below-it'],
  ['libs/channels/src/a.ts', 'libs/publish/src/index.ts', 'channels-imports-only-what-is-below-it'],
  ['libs/common/src/a.ts', 'libs/http/src/index.ts', 'common-imports-only-what-is-below-it'],
  ['libs/channels/src/b.ts', 'libs/presence/src/member.ts', 'from-another-lib-only-through-its-index'],
  ['libs/console/src/live-filter.ts', 'libs/common/src/index.ts', 'shared-with-pages-imports-nothing-else'],
  ['apps/conformance/src/a.ts', 'apps/server/src/b.ts', 'conformance-judges-from-outside'],
  ['apps/conformance/src/b.ts', 'libs/channels/src/index.ts', 'conformance-judges-from-outside'],
  [
    'libs/publish/src/a.ts',
    'libs/common/src/glob.ts',
    'only-shared-files-and-pages-import-shared-files-of-another-lib',
  ],
  ['apps/console/src/a.ts', 'libs/console/src/index.ts', 'console-is-a-page'],
  ['apps/cli/src/a.ts', 'apps/console/src/parts/dialog.tsx', 'command-takes-words-of-pages'],
] as const;
const down = [
  ['libs/channels/src/hub/c.ts', 'libs/channels/src/protocol/b.ts'],
  ['libs/channels/src/c.ts', 'libs/presence/src/index.ts'],
  ['libs/channels/src/c.ts', 'libs/sdk/src/events/index.ts'],
  ['libs/publish/src/http/c.ts', 'libs/publish/src/publish.service.ts'],
  ['libs/push-device/src/index.ts', 'libs/push-device/src/http/c.ts'],
  ['apps/server/src/a.ts', 'libs/channels/src/index.ts'],
] as const;

interface Violation {
  readonly from: string;
  readonly to: string;
  readonly rule: { readonly name: string; readonly severity: string };
}

const config = createRequire(import.meta.url)(join(root, '.dependency-cruiser.cjs')) as {
  readonly forbidden: readonly { readonly name: string }[];
};

/** Each folder of each lib's `src`, as `lib-folder`. */
const folders = readdirSync(join(root, 'libs')).flatMap((lib) =>
  readdirSync(join(root, 'libs', lib, 'src'), { withFileTypes: true })
    .filter((each) => each.isDirectory())
    .map((folder) => `${lib}-${folder.name}`),
);

/** What the layer check finds in a house where each file of `up` and `down` imports its other one. */
let found: readonly Violation[];

beforeAll(async () => {
  const house = await mkdtemp(join(tmpdir(), 'rookery-layers-'));
  await copyFile(join(root, 'tsconfig.json'), join(house, 'tsconfig.json'));
  for (const [from, to] of [...up, ...down]) {
    const folders = from.split('/').slice(1).fill('..').join('/');
    await write(join(house, to), 'export const it = 1;\n');
    await write(join(house, from), `export { it } from '${folders}/${to.replace(/\.ts$/, '.js')}';\n`);
  }
  const check = ['--config', join(root, '.dependency-cruiser.cjs'), '--output-type', 'json', '.'];
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(root, 'node_modules/.bin/depcruise'), ...check],
    { cwd: house },
  );
  ({ violations: found } = (JSON.parse(stdout) as { summary: { violations: readonly Violation[] } }).summary);
  await rm(house, { recursive: true });
});

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The rules that an import breaks. */
const broken = (from: string, to: string): readonly string[] =>
  found
    .filter((each) => each.from === from && each.to === to && each.rule.severity === 'error')
    .map(({ rule }) => rule.name);

describe('the layer check', () => {
  it.each(up)('fails an import that runs up or across: %s of %s', (from, to, rule) => {
    expect(broken(from, to)).toContain(rule);
  });

  it.each(folders)('lists the floor of %s', (folder) => {
    expect(config.forbidden.map(({ name }) => name)).toContain(`${folder}-imports-only-what-is-below-it`);
  });

  it.each(down)('passes an import that runs down: %s of %s', (from, to) => {
    expect(broken(from, to)).toEqual([]);
  });
});
