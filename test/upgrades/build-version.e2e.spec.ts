import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { describeInstalled } from '../support/programs.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const all = mkdtempSync(join(tmpdir(), 'rookery-versions-'));
const clone = join(all, 'clone');
afterAll(() => rmSync(all, { recursive: true }));

const environment = { PATH: process.env['PATH'], HOME: all, GIT_CONFIG_NOSYSTEM: '1' };
const git = (...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', ...args], {
    cwd: clone,
    env: environment,
    encoding: 'utf8',
  }).trim();
const commit = () => {
  git('add', '--all');
  git('commit', '--quiet', '--allow-empty', '--message', 'A change');
};
const head = () => git('rev-parse', 'HEAD').slice(0, 8);

/** The version of a build in a folder. */
function versionIn(folder: string, given: Readonly<Record<string, string>> = {}): string {
  const program = `
    import { buildVersion } from './scripts/build-version.mjs';
    console.log(buildVersion(process.cwd()));`;
  const options = { cwd: folder, env: { ...environment, ...given }, encoding: 'utf8' } as const;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], options).trim();
}

/** `git archive` of a revision, unpacked. */
function archive(revision: string): string {
  const folder = mkdtempSync(join(all, 'archive-'));
  git('archive', '--output', join(folder, 'all.tar'), revision);
  execFileSync('tar', ['-xf', 'all.tar'], { cwd: folder });
  return folder;
}

beforeAll(() => {
  mkdirSync(join(clone, 'scripts'), { recursive: true });
  cpSync(join(root, '.gitattributes'), join(clone, '.gitattributes'));
  const file = 'scripts/build-version.mjs';
  // These tests may run in an archive, where git has filled it in.
  const placeholder = "const archived = '$Format:%H, %D$';";
  writeFileSync(
    join(clone, file),
    readFileSync(join(root, file), 'utf8').replace(/^const archived = .*/m, () => placeholder),
  );
  writeFileSync(join(clone, 'package.json'), JSON.stringify({ version: '1.2.3' }));
  git('init', '--quiet');
  commit();
});

it('is that of package.json with the commit, and says if something is not committed', () => {
  expect(versionIn(clone)).toBe(`1.2.3+g${head()}`);
  writeFileSync(join(clone, 'notes'), 'not part of the sources');
  expect(versionIn(clone)).toBe(`1.2.3+g${head()}`);
  git('add', '--all');
  expect(versionIn(clone)).toBe(`1.2.3+g${head()}.dirty`);
  commit();
  expect(versionIn(clone)).toBe(`1.2.3+g${head()}`);
});

it("is bare for a release: at its version's tag, without changes", () => {
  git('tag', 'v1.2.30');
  git('tag', 'best');
  expect(versionIn(clone)).toBe(`1.2.3+g${head()}`);
  git('tag', '--annotate', '--message', 'A release', 'v1.2.3');
  expect(versionIn(clone)).toBe('1.2.3');
  commit();
  expect(versionIn(clone)).toBe(`1.2.3+g${head()}`);
});

describeInstalled('tar')('an archive', () => {
  it('has the commit, even inside another repository', () => {
    commit();
    expect(versionIn(archive('HEAD'))).toBe(`1.2.3+g${head()}`);
    const within = join(clone, 'vendored');
    cpSync(archive('HEAD~1'), within, { recursive: true });
    expect(versionIn(within)).toBe(`1.2.3+g${git('rev-parse', 'HEAD~1').slice(0, 8)}`);
  });

  it('of a release is bare', () => {
    expect(versionIn(archive('v1.2.3'))).toBe('1.2.3');
  });
});

it('is bare in a copy that nothing is known about, unless the build is told', () => {
  const copy = join(all, 'copy');
  cpSync(clone, copy, { recursive: true });
  rmSync(join(copy, '.git'), { recursive: true });
  expect(versionIn(copy)).toBe('1.2.3');
  expect(versionIn(copy, { BUILD_VERSION: '1.2.3+gabcdef01' })).toBe('1.2.3+gabcdef01');
});
