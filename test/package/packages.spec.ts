import { dirname, join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { describePackage, folderWith, minutes, packageNames, tarballOf } from './installed.js';
import { npmInstall, run } from './workshop.js';

/** What the packages beside the kit consist of; tarball.spec.ts says it of the kit. */
const contents: Readonly<Record<string, RegExp>> = {
  '@rookery/client': /^dist\/(modules\/[\w.-]+|types\/.*\.d\.[cm]?ts)$/,
  '@rookery/conformance': /^(bin\/rookery-conformance\.js|dist\/modules\/.*|dist\/types\/.*\.d\.ts)$/,
  '@rookery/console': /^dist\/(modules\/[\w.]+|pages\/.*|types\/.*\.d\.ts)$/,
  '@rookery/server': /^(bin\/rookery\.js|dist\/(rookery|console)\/.*|ops\/.*)$/,
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
    const judge = (command: string, ...args: readonly string[]) =>
      run(process.execPath, [`node_modules/.bin/${command}`, ...args, tarballOf(name)], folder);

    it('has nothing that publint finds fault with', async () => {
      expect(await judge('publint', '--strict')).toContain('All good!');
    });

    // Nothing is imported from the server.
    it.skipIf(name === '@rookery/server')(
      'has nothing that attw finds fault with',
      async () => {
        expect(await judge('attw')).toContain('No problems found');
      },
      minutes(4),
    );

    it('can be published without a warning', async () => {
      const unpacked = folderWith(`published ${name}`, {});
      await run('tar', ['xzf', tarballOf(name)], unpacked);
      // The scripts that build it have run before it was packed.
      const publish = ['publish', '--dry-run', '--ignore-scripts', '--access', 'public', '--json'];
      const said = await run('npm', publish, join(unpacked, 'package'), { npm_config_loglevel: 'warn' });
      const warnings = said.split('\n').filter((line) => /^npm (warn|error)/.test(line));
      // Publishing needs a login, and some machines have settings that their npm no longer knows.
      expect(warnings.filter((line) => !/requires you to be logged in|Unknown \w+ config/.test(line))).toEqual([]);
    });

    it.skipIf(name === 'rookery')('contains what is built, a page, a licence and nothing else', async () => {
      const listed = (await run('tar', ['tzf', tarballOf(name)], dirname(tarballOf(name)))).trim().split('\n');
      const files = listed.map((path) => path.slice('package/'.length));
      expect(files.filter((path) => always.test(path))).toHaveLength(3);
      expect(files.filter((path) => !always.test(path) && !contents[name]!.test(path))).toEqual([]);
    });
  });
});
