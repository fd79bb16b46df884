import { dirname } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describePackage, folderWith, minutes, packageNames, tarballOf } from './installed.js';
import { npmInstall, run } from './workshop.js';

/** What the packages beside the kit consist of; tarball.spec.ts says it of the kit. */
const contents: Readonly<Record<string, RegExp>> = {
  '@rookery/client': /^dist\/(modules\/[\w.-]+|types\/.*\.d\.[cm]?ts)$/,
  '@rookery/conformance': /^(bin\/rookery-conformance\.js|dist\/modules\/.*|dist\/types\/.*\.d\.ts)$/,
  '@rookery/console': /^dist\/(modules\/[\w.]+|pages\/.*|types\/.*\.d\.ts)$/,
  '@rookery/testing': /^(dist\/modules\/.*|dist\/types\/.*\.d\.ts|src\/(jest|vitest)\.d\.ts)$/,
};
const always = /^(package\.json|README\.md|LICENSE)$/;

describePackage('each packed package', () => {
  let folder: string;
  beforeAll(async () => {
    folder = folderWith('lint', {
      'package.json': { private: true, dependencies: { publint: '0.3.25', '@arethetypeswrong/cli': '0.18.5' } },
    });
    await npmInstall(folder);
  }, minutes(4));

  describe.each(packageNames())('%s', (name) => {
    it(
      'has nothing that publint or attw find fault with',
      async () => {
        const judge = (command: string, ...args: readonly string[]) =>
          run(process.execPath, [`node_modules/.bin/${command}`, ...args], folder);
        expect(await judge('publint', '--strict', tarballOf(name))).toContain('All good!');
        expect(await judge('attw', tarballOf(name))).toContain('No problems found');
      },
      minutes(4),
    );

    it.skipIf(name === 'rookery')('contains what is built, a page, a licence and nothing else', async () => {
      const listed = (await run('tar', ['tzf', tarballOf(name)], dirname(tarballOf(name)))).trim().split('\n');
      const files = listed.map((path) => path.slice('package/'.length));
      expect(files.filter((path) => always.test(path))).toHaveLength(3);
      expect(files.filter((path) => !always.test(path) && !contents[name]!.test(path))).toEqual([]);
    });
  });
});
