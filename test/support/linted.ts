import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

/** The lint rules that a file breaks at `path` in this repository, such as `eslint(no-restricted-globals)`. */
export async function brokenRules(path: string, text: string): Promise<readonly string[]> {
  const house = await mkdtemp(join(tmpdir(), 'rookery-lint-'));
  try {
    await copyFile(join(root, '.oxlintrc.json'), join(house, '.oxlintrc.json'));
    await mkdir(dirname(join(house, path)), { recursive: true });
    await writeFile(join(house, path), text);
    const oxlint = [join(root, 'node_modules/.bin/oxlint'), '-f', 'json', path];
    const output = await new Promise<string>((done) =>
      execFile(process.execPath, oxlint, { cwd: house }, (_, out) => done(out)),
    );
    return (JSON.parse(output) as { diagnostics: readonly { code: string }[] }).diagnostics.map(({ code }) => code);
  } finally {
    await rm(house, { recursive: true });
  }
}
