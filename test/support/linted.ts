import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');

interface Diagnostic {
  readonly code: string;
  readonly filename: string;
}

/** Lints texts at their paths in this repository. @returns by path, the rules it breaks, such as `eslint(no-undef)` */
export async function brokenRules(texts: Readonly<Record<string, string>>): Promise<Map<string, readonly string[]>> {
  const house = await mkdtemp(join(tmpdir(), 'rookery-lint-'));
  try {
    await copyFile(join(root, '.oxlintrc.json'), join(house, '.oxlintrc.json'));
    for (const [path, text] of Object.entries(texts)) {
      await mkdir(dirname(join(house, path)), { recursive: true });
      await writeFile(join(house, path), text);
    }
    const oxlint = [join(root, 'node_modules/.bin/oxlint'), '-f', 'json', '.'];
    const output = await new Promise<string>((done) =>
      execFile(process.execPath, oxlint, { cwd: house }, (_, out) => done(out)),
    );
    const { diagnostics } = JSON.parse(output) as { readonly diagnostics: readonly Diagnostic[] };
    const rulesOf = (path: string) => diagnostics.filter(({ filename }) => filename === path).map(({ code }) => code);
    return new Map(Object.keys(texts).map((path) => [path, rulesOf(path)]));
  } finally {
    await rm(house, { recursive: true });
  }
}
