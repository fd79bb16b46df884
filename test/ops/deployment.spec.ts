import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const read = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');

const documented = new Set(
  read('docs/server.md')
    .match(/`[A-Z][A-Z_]+`/g)
    ?.map((name) => name.slice(1, -1)),
);
const ofOthers = ['NODE_ENV', 'POSTGRES_PASSWORD', 'POSTGRES_USER', 'POSTGRES_DB'];

it.each([
  ['ops/docker/Dockerfile', /\b([A-Z][A-Z_]+)=/g],
  ['ops/docker/compose.yml', /\b([A-Z][A-Z_]+): /g],
  ['ops/systemd/rookery.service', /\b([A-Z][A-Z_]+)=/g],
  ['ops/helm/rookery/templates/deployment.yaml', /name: ([A-Z][A-Z_]+)/g],
])('%s names variables that docs/server.md tells of', (path, names) => {
  const named = [...read(path).matchAll(names)].map(([, name]) => name!);
  expect(named.length).toBeGreaterThan(1);
  expect(named.filter((name) => !documented.has(name) && !ofOthers.includes(name))).toEqual([]);
});

it.each(['ops/docker/Dockerfile', 'ops/systemd/rookery.service'])('%s starts the command of the package', (path) => {
  const { bin } = JSON.parse(read('package.json')) as { bin: { rookery: string } };
  const started = new RegExp(`node_modules/rookery/${bin.rookery.replace('./', '')}"?,? "?serve`);
  expect(read(path)).toMatch(started);
});

it.each(['ops/systemd/rookery.service', 'ops/docker/compose.yml'])(
  '%s gives it the time that it takes to stop',
  (path) => {
    const seconds = Number(/(?:TimeoutStopSec=|stop_grace_period: )(\d+)/.exec(read(path))?.[1]);
    // README and ARCHITECTURE.md: drainSeconds (10), 3 of a hold, and 2, 5 and 10 for clients, ports and requests.
    expect(seconds).toBeGreaterThanOrEqual(30);
  },
);
