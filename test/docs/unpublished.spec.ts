import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { docPages } from '../support/doc-blocks.js';

// Until we own the names, anybody can publish code under them, which `npx` and `npm install` would run (RELEASING.md).

const root = join(import.meta.dirname, '../..');
const examples = readdirSync(join(root, 'examples'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('README.md') && !name.includes('node_modules'))
  .map((name) => ({ page: `examples/${name}`, text: readFileSync(join(root, 'examples', name), 'utf8') }));

/** The commands of a page that fetch one of our names from npm. */
function fetching(text: string): string[] {
  const commands = text.match(/\b(npx|npm (install|i|exec)|yarn (add|dlx)|pnpm (add|dlx))\b[^`\n#]*/g) ?? [];
  // `npx rookery` runs where the package is installed: the pages say so.
  const isFetched = /(^|\s)(@rookery\/|rookery@|(install|add|i)( -\S+)* (\S+ )*rookery(\s|$))/;
  // These name what is there: a workspace, and a package that was installed before.
  const isThere = /-w @rookery\/\w+|nest add rookery --skip-install/g;
  return commands.filter((command) => isFetched.test(command.replaceAll(isThere, '')));
}

it.each([...docPages(root), ...examples])('$page fetches no name that anybody could take', ({ text }) => {
  expect(fetching(text)).toEqual([]);
});

describe('a command that fetches a name', () => {
  it.each([
    'npx @rookery/server',
    'npx -p @rookery/server -p other rookery',
    'npm install @rookery/client pusher-js',
    'npm install rookery',
    'npm install --save-dev typeorm rookery',
    'npx rookery@latest',
    'pnpm add @rookery/client',
    'npx nest add rookery',
  ])('is noticed: %s', (command) => expect(fetching(`Run \`${command}\`.`)).toHaveLength(1));

  it.each([
    'npx rookery doctor',
    'npm install ./rookery-0.1.0.tgz',
    'npm ci && npm pack -w @rookery/server',
    'npx nest add rookery --skip-install',
  ])('is not: %s', (command) => expect(fetching(`Run \`${command}\`.`)).toEqual([]));
});

it('names packed files as npm names them', () => {
  const { version, workspaces } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
    readonly workspaces: readonly string[];
  };
  const packed = workspaces.map((folder) => {
    const { name } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as { readonly name: string };
    return `${name.replace('@', '').replace('/', '-')}-${version}.tgz`;
  });
  const named = docPages(root).flatMap(({ text }) => text.match(/\brookery-[\w.-]*\d\.tgz/g) ?? []);
  expect(named.length).toBeGreaterThan(5);
  expect(named.filter((name) => !packed.includes(name))).toEqual([]);
});
