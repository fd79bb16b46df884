// Makes apps/conformance/dist/modules from the sources: the conformance suite with every package that it needs, so that
// it can be installed without any.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { packagesOf } from './bill-of-materials.mjs';
import { versionBeside, writeVersion } from './build-version.mjs';
import { fromSources, root } from './from-sources.mjs';
import { licencesOf } from './licences.mjs';

const folder = 'apps/conformance';
const target = join(root, folder, 'dist/modules');

const bundle = await rolldown({
  ...fromSources,
  input: { index: `${folder}/src/index.ts`, command: `${folder}/src/command.ts` },
  // Compiled packages that `ws` does without.
  external: ['bufferutil', 'utf-8-validate'],
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
  plugins: [versionBeside],
});
rmSync(target, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: target,
  format: 'cjs',
  keepNames: true,
  comments: { legal: true, annotation: false, jsdoc: false },
});
const folders = packagesOf(output.flatMap((chunk) => Object.keys(chunk.modules ?? {})));
writeFileSync(join(target, 'LICENSES.txt'), licencesOf(folders));
writeVersion(root, `${folder}/dist/modules`);
