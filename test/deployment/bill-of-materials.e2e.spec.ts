import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { beforeAll, expect, it } from 'vitest';
import { buildServer } from '../support/server-process.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string): string => readFileSync(`${root}${path}`, 'utf8');

interface Component {
  readonly group?: string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}
/** Of the command, and of the console's pages. */
let components: readonly Component[];
let ofPages: readonly Component[];
const nameOf = ({ group, name }: Component): string => (group === undefined ? name : `${group}/${name}`);

beforeAll(async () => {
  await buildServer();
  const listed = (part: string) =>
    (JSON.parse(read(`dist/${part}/sbom.cdx.json`)) as { components: Component[] }).components;
  [components, ofPages] = [listed('rookery'), listed('console')];
}, 180_000);

/** Those whose licences stand beside the bundle. */
const licensed = (path: string, line: RegExp): ReadonlySet<string> =>
  new Set(Array.from(`\n${read(path)}`.matchAll(line), ([, name, version]) => `${name} ${version}`));

it('names every package in the command, with its installed version', () => {
  const licences = licensed('dist/rookery/LICENSES.txt', /^(\S+) (\d\S*) \(/gm);
  expect(new Set(components.map((each) => `${nameOf(each)} ${each.version}`))).toEqual(licences);
  const names = components.map(nameOf);
  expect(names).toEqual(expect.arrayContaining(['@nestjs/core', 'fastify', 'ioredis', 'pusher-js', 'swagger-ui-dist']));
  const locked = Object.entries((JSON.parse(read('package-lock.json')) as { packages: object }).packages).map(
    ([path, entry]) => `${path.split('node_modules/').at(-1)} ${(entry as { version: string }).version}`,
  );
  expect(locked).toEqual(expect.arrayContaining(components.map((each) => `${nameOf(each)} ${each.version}`)));
});

it("names every package in the console's pages", () => {
  const licences = licensed('dist/console/LICENSES.md', /^## (\S+) - (\d\S*) \(/gm);
  const names = new Set(ofPages.map((each) => `${nameOf(each)} ${each.version}`));
  for (const licence of licences) expect(names).toContain(licence);
  expect(ofPages.map(nameOf)).toEqual(expect.arrayContaining(['preact', '@preact/signals', 'lucide-preact', 'uplot']));
  expect(ofPages.length).toBeLessThan(20);
});

/** Runs the audit against a registry that knows these advisories; answers its exit code, and what it asked about. */
async function audit(advisories: object) {
  let asked: Record<string, readonly string[]> = {};
  const registry = createServer((request, response) => {
    // It looks for versions without the fault, too.
    if (request.method !== 'POST') {
      response.writeHead(404).end('{}');
      return;
    }
    void buffer(request).then((body) => {
      asked = JSON.parse(
        String(request.headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body),
      ) as typeof asked;
      response.setHeader('content-type', 'application/json').end(JSON.stringify(advisories));
    });
  }).listen(0, '127.0.0.1');
  await once(registry, 'listening');
  const { port } = registry.address() as AddressInfo;
  const child = execFile(process.execPath, ['scripts/audit-bundle.mjs'], {
    cwd: root,
    env: { ...process.env, npm_config_registry: `http://127.0.0.1:${port}/` },
  });
  let output = '';
  for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text: string) => (output += text));
  const [code] = (await once(child, 'close')) as [number];
  registry.close();
  return { code, asked, output };
}

it('is audited as a whole, and a fault in a bundled package fails the audit', async () => {
  const clean = await audit({});
  expect([clean.code, clean.output]).toEqual([0, expect.stringContaining('found 0 vulnerabilities')]);
  for (const each of [...components, ...ofPages]) expect(clean.asked[nameOf(each)]).toContain(each.version);
  const advisory = {
    id: 1,
    url: 'https://example.com/advisory',
    title: 'Reads what it should not',
    severity: 'high',
    vulnerable_versions: '*',
    cwe: [],
    cvss: { score: 8, vectorString: null },
  };
  for (const name of ['fastify', 'preact']) {
    const faulty = await audit({ [name]: [advisory] });
    expect([faulty.code, faulty.output]).toEqual([1, expect.stringContaining('Reads what it should not')]);
  }
}, 60_000);
