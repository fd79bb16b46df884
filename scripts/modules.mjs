// Makes dist/modules from the sources, one file for each module that applications import.
// Loading the hundreds of files of the sources would take most of what the modules add to a host's start.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rolldown } from 'rolldown';
import { packagesOf } from './bill-of-materials.mjs';
import { versionBeside, writeVersion } from './build-version.mjs';
import { fromSources, root, withOneByteACharacter } from './from-sources.mjs';
import { licencesOf } from './licences.mjs';

const ours = './dist/modules/';

/** The modules of the package in a folder: those that applications import, and those that they import themselves. */
function modulesOf(folder) {
  const { exports, imports = {} } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
  const modules = { ...exports, ...imports };
  for (const [name, entry] of Object.entries(modules))
    if (entry.default && !entry.default.startsWith(ours))
      throw new Error(`${folder}/package.json: "${name}".default must be below ${ours}, where this program makes it`);
  return Object.values(modules);
}

/**
 * The sources of the modules whose files have this ending, by the names of the files. `rookery/channels` and
 * `rookery/internal/channels` are one file, whose source is the latter's: an application has one copy of each class.
 */
const sourcesOf = (folder, ending) =>
  Object.fromEntries(
    modulesOf(folder)
      .filter((entry) => entry.default?.startsWith(ours) && entry.default.endsWith(ending))
      .map((entry) => [entry.default.slice(ours.length, -ending.length), join(root, folder, entry['rookery-source'])]),
  );

/**
 * Included, because only a fraction of their hundreds of files is used. They keep in global variables what they share with
 * the copies that applications use. Of prom-client and class-transformer, which do not, only parts: {@link inPartsOf}.
 */
const included = /^(class-validator|@opentelemetry\/api|prom-client|class-transformer)$/;
const includedFiles = /\/node_modules\/(class-validator|validator|@opentelemetry\/api)\//;

/** Packages, and our other modules: a class is the same one for all that import it. */
const isExternal = (id, importer = '') =>
  importer.startsWith('\0') ||
  (!/^([./]|@oxc-project\/)/.test(id) && !included.test(id) && !includedFiles.test(importer));

/**
 * In place of the indexes of these packages, which load many files that we do not use. Those that we use stay outside,
 * because applications must share them: the registries of prom-client, and class-transformer's types of fields.
 */
const inPartsOf = {
  'prom-client': ['Registry', 'Counter', 'Gauge', 'Histogram']
    .map((name) => `export { default as ${name} } from 'prom-client/lib/${name.toLowerCase()}.js';`)
    .join('\n'),
  // All but the decorator is needed only for data that an application describes by a class.
  'class-transformer': `
    export { Type } from 'class-transformer/cjs/decorators/type.decorator.js';
    export const plainToInstance = (...given) => require('class-transformer').plainToInstance(...given);
  `,
};

const parts = {
  name: 'parts',
  resolveId: (id) => (id in inPartsOf ? `\0${id}` : undefined),
  load: (id) => inPartsOf[id.slice(1)],
};

async function bundle(folder, input, ending, options) {
  const bundled = await rolldown({
    ...fromSources,
    // The packages' ES modules, of which the unused part can be left out.
    resolve: {
      conditionNames: [...fromSources.resolve.conditionNames, 'module'],
      mainFields: ['es2015', 'module', 'main'],
      alias: { 'validator/lib': 'validator/es/lib' },
    },
    input,
    external: isExternal,
    onLog(level, log) {
      // Where it matters, in front of an entry, 'use client' stays.
      if (level === 'warn' && log.code !== 'MODULE_LEVEL_DIRECTIVE') throw new Error(log.message);
    },
    plugins: [versionBeside, parts, { name: 'latin-1', renderChunk: withOneByteACharacter }],
  });
  const { output } = await bundled.write({
    dir: join(root, folder, ours),
    entryFileNames: `[name]${ending}`,
    chunkFileNames: `[name]${ending}`,
    // For the names of classes that are in stack traces and Nest's messages.
    keepNames: true,
    comments: { legal: true, annotation: false, jsdoc: false },
    ...options,
  });
  return output;
}

/** Of the packages that are included. */
function writeLicences(folder, output) {
  const folders = packagesOf(output.flatMap((chunk) => Object.keys(chunk.modules ?? {})));
  if (folders.length > 0) writeFileSync(join(root, folder, ours, 'LICENSES.txt'), licencesOf(folders));
}

// First, since programs may run the modules as soon as they are there.
for (const folder of ['.', 'libs/console', 'libs/sdk', 'libs/testing']) {
  rmSync(join(root, folder, ours), { recursive: true, force: true });
  mkdirSync(join(root, folder, ours), { recursive: true });
}
writeVersion(root, 'dist/modules');

const thread = 'libs/publish/src/delivery/web/encryption/encryption-thread.ts';
// Jest loads no ES modules, so what is imported on demand is required on demand.
const forJest = { format: 'cjs', dynamicImportInCjs: false };
const output = await bundle('.', { ...sourcesOf('.', '.js'), 'encryption-thread': thread }, '.js', {
  ...forJest,
  codeSplitting: { groups: [{ name: 'shared', minShareCount: 2 }] },
});
writeLicences('.', output);
for (const folder of ['libs/console', 'libs/testing'])
  writeLicences(folder, await bundle(folder, sourcesOf(folder, '.js'), '.js', forJest));

// Pages and servers without Node import ES modules.
await bundle('libs/sdk', sourcesOf('libs/sdk', '.js'), '.js', { format: 'cjs' });
for (const [ending, format] of [
  ['.mjs', 'esm'],
  ['.cjs', 'cjs'],
]) {
  const { react, vue, ...others } = sourcesOf('libs/sdk', '.mjs');
  await bundle('libs/sdk', others, ending, { format });
  const shared = { codeSplitting: { groups: [{ name: 'hooks', minShareCount: 2 }] } };
  await bundle('libs/sdk', { react, vue }, ending, { format, ...shared });
}
