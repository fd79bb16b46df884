import { Validator } from '@seriousme/openapi-schema-validator';
import { RouteRegistrar, isServedBy } from '#http';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { channelsDescription } from '../../libs/channels/src/channels.providers.js';
import { notificationsDescription } from '../../libs/notifications/src/notifications.module.js';
import { publishDescription } from '../../libs/publish/src/publish.module.js';
import { deviceApiDescription } from '../../libs/push-device/src/push-device.module.js';
import { DocumentedAnswers } from '../support/documented.js';
import { instance } from '../support/push-app.js';
import { useServer } from '../support/server.js';

const descriptions = [channelsDescription(), notificationsDescription(), deviceApiDescription(), publishDescription()];
const documented = new DocumentedAnswers(descriptions);

const folder = mkdtempSync(join(tmpdir(), 'rookery-openapi-'));
const CONFIG_FILE = join(folder, 'rookery.json');
writeFileSync(
  CONFIG_FILE,
  JSON.stringify({ instances: [instance], notifications: [{ app: 'app-id', instance: instance.id }] }),
);
afterAll(() => rmSync(folder, { recursive: true }));

// Without an app of its own, a server is in development.
const server = useServer({ CONFIG_FILE });
const get = (path: string) => server().inject({ method: 'GET', url: path });

type Operations = Record<string, Record<string, { operationId: string; responses: Record<string, object> }>>;
interface Document {
  readonly openapi: string;
  readonly paths: Operations;
}
const documents: Record<string, Document> = {};
beforeAll(async () => {
  for (const name of ['channels', 'push'])
    documents[name] = JSON.parse((await get(`/docs/${name}.json`)).payload) as Document;
});

describe.each(['channels', 'push'])('the document of %s', (name) => {
  it('is OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate({ ...documents[name]! });
    expect(errors ?? []).toEqual([]);
    expect(valid).toBe(true);
    expect(documents[name]!.openapi).toBe('3.1.0');
  });

  it('has valid examples, and unique operation ids', () => {
    const operations = Object.values(documents[name]!.paths).flatMap((verbs) => Object.values(verbs));
    const ids = operations.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    const contents = operations.flatMap((operation) => contentsIn(operation));
    const shown = contents.flatMap(({ schema, examples }) => examples.map((value) => ({ schema, value })));
    expect(shown.length).toBeGreaterThan(50);
    for (const { schema, value } of shown) expect(documented.faultsIn(schema, value, '')).toEqual([]);
  });
});

it('says of all operations of push that the database may be away, and of none that it asks more of browsers than it does', () => {
  const operations = Object.values(documents['push']!.paths).flatMap((verbs) => Object.values(verbs));
  const without = operations.filter(({ responses }) => !responses['503']).map(({ operationId }) => operationId);
  expect(without).toEqual([]);
  const statusesOf = (platform: string) =>
    Object.keys(
      documents['push']!.paths[`/device_api/v1/instances/{instanceId}/devices/${platform}`]!['post']!.responses,
    );
  expect(statusesOf('fcm')).toContain('401');
  expect(statusesOf('web')).not.toContain('401');
});

interface Content {
  readonly schema: object;
  readonly examples: readonly unknown[];
}

function contentsIn(value: unknown): Content[] {
  if (typeof value !== 'object' || value === null) return [];
  const { schema, examples } = value as { schema?: object; examples?: Record<string, { value: unknown }> };
  if (schema && examples) return [{ schema, examples: Object.values(examples).map((each) => each.value) }];
  return Object.values(value).flatMap(contentsIn);
}

it('has exactly the routes of the server', () => {
  const routes = server()
    .get(RouteRegistrar, { strict: false, each: true })
    // The console's are for its page alone.
    .flatMap(({ all, prefixes: { base } }) => all.filter(({ path }) => !path.startsWith(`${base}/console`)))
    // That of read links only says which methods to use instead.
    .filter(({ verb, method }) => verb !== 'all' && method !== 'byGet');
  const described = descriptions.flatMap(({ paths }) =>
    Object.entries(paths).flatMap(([path, verbs]) => Object.keys(verbs).map((verb) => ({ path, verb }))),
  );
  for (const { path, verb } of routes)
    expect(described.filter((each) => each.verb === verb && isServedBy(each.path, path))).not.toEqual([]);
  for (const { path, verb } of described)
    expect(routes.filter((route) => route.verb === verb && isServedBy(path, route.path))).not.toEqual([]);
  const served = Object.values(documents).flatMap(({ paths }) => Object.keys(paths));
  expect(served.toSorted()).toEqual([...new Set(described.map(({ path }) => path))].toSorted());
});

const specification = readFileSync(join(import.meta.dirname, '../../docs/protocol/api.md'), 'utf8');

const sectionOf = (heading: string): string => specification.split(`\n${heading}\n`)[1]?.split(/\n#{1,3} /)[0] ?? '';

/** The statuses listed below a heading. */
const statusesBelow = (heading: string): string[] =>
  Array.from(sectionOf(heading).matchAll(/^- (\d{3}): /gm), ([, status = '']) => status);

const concrete = (path: string): string =>
  path.replace('…/', '/devices/<platform>/<device_id>/').replace('<platform>', 'fcm').replaceAll(/<\w+>/g, 'x');

describe('the statuses of the specification', () => {
  const channels = Array.from(
    sectionOf('### Channel server API').matchAll(/^#### `([A-Z]+) (\S+)`$/gm),
    ([, method = '', path = '']) => ({ method, path: concrete(path) }),
  );
  const statuses = statusesBelow('### Channel server API (statuses)');

  it.each(channels)('are documented for $method $path', ({ method, path }) => {
    expect(statuses).toEqual(['200', '400', '401', '403', '413', '500']);
    expect(documented.statusesOf(method, path)).toEqual(expect.arrayContaining(statuses));
  });

  const ofEachDeviceCall = statusesBelow('### Push device API (statuses)');

  /** The rows of the table: each has a call, and its own statuses at the end. */
  const devices = Array.from(
    sectionOf('### Push device API').matchAll(/^\| `([A-Z]+) (\S+)` .*\| ([\d, ]+?) +\|$/gm),
    ([, method = '', path = '', errors = '']) => ({
      method,
      path: `/device_api/v1/instances/x${concrete(path)}`,
      expected: [...ofEachDeviceCall, ...errors.split(', ')],
    }),
  );

  it('are all documented', () => {
    expect(channels).toHaveLength(8);
    expect(devices).toHaveLength(13);
    expect(ofEachDeviceCall).toEqual(['400', '403', '404', '500']);
  });

  it.each(devices)('are documented for $method $path', ({ method, path, expected }) => {
    expect(documented.statusesOf(method, path)).toEqual(expect.arrayContaining(expected));
  });

  it.each(['interests', 'users'])('are documented for a publish to %s', (kind) => {
    const expected = statusesBelow('### Push publish API (statuses)');
    expect(expected).toContain('402');
    expect(documented.statusesOf('POST', `/publish_api/v1/instances/x/publishes/${kind}`)).toEqual(
      expect.arrayContaining([...expected, '200']),
    );
  });
});

describe('an undocumented answer', () => {
  const right = {
    method: 'GET',
    url: '/apps/1/channels?info=user_count',
    status: 200,
    type: 'application/json; charset=utf-8',
    text: '{"channels":{"presence-a":{"user_count":1}}}',
  };

  it.each([
    ['a status', { status: 418 }, 'it lacks the status'],
    ['a media type', { type: 'text/html' }, 'it lacks the media type text/html'],
    ['a field', { text: '{"channels":{},"more":1}' }, 'must NOT have additional properties'],
    ['a field that is not there', { text: '{}' }, "must have required property 'channels'"],
    ['another kind of value', { text: '{"channels":{"a":{"user_count":"1"}}}' }, 'must be integer'],
    ['an operation', { url: '/apps/1/channels2' }, 'no OpenAPI document has such an operation'],
    [
      'a body where there is none',
      { method: 'DELETE', url: '/device_api/v1/instances/x/devices/fcm/y', text: '{}' },
      'it has no body there',
    ],
    [
      'a body that is accepted all the same',
      {
        method: 'POST',
        url: '/publish_api/v1/instances/x/publishes/interests',
        text: '{"publishId":"1"}',
        sent: { interests: [] },
      },
      'the accepted body/interests must NOT have fewer than 1 items',
    ],
  ])('is detected: %s', (_, planted, said) => {
    documented.check(right);
    expect(() => documented.check({ ...right, ...planted })).toThrow(said);
  });

  it('is detected if a document lacks a status of the specification', () => {
    const { get: list } = channelsDescription().paths['/apps/{appId}/channels']!;
    const { 401: _, ...responses } = list!.responses;
    const paths = { '/apps/{appId}/channels': { get: { ...list!, responses } } };
    const answers = new DocumentedAnswers([{ ...channelsDescription(), paths }]);
    expect(answers.statusesOf('GET', '/apps/1/channels')).not.toContain('401');
    expect(() => answers.check({ ...right, status: 401, type: 'text/plain', text: 'no\n' })).toThrow(
      'lacks the status',
    );
  });
});

it('is shown by a page that contacts no other server', async () => {
  const page = await get('/docs');
  expect(page.headers['content-security-policy']).toContain("default-src 'none'");
  const files = Array.from(page.payload.matchAll(/(?:src|href)="([^"]+)"/g), ([, path]) => path!).filter(
    (path) => !path.startsWith('data:'),
  );
  expect(files).toContain('/docs/swagger-ui.js');
  for (const file of files) {
    expect(file).toMatch(/^\/docs/);
    expect((await get(file)).statusCode).toBe(200);
  }
});
