// Makes dist/rookery from the sources: the command `rookery` as it is packed, with every package that it needs: `command.js` starts
// fast and opens the port, `settings.js` reads the configuration, and `rest.code.js` has everything else, such as the server.
// An application that imports only the modules installs none of these, and the server runs with our versions beside any host.
// Types are not checked here, which would take most of the time: `npm run build` and `npm run check` do that.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { rolldown } from 'rolldown';
import { billOfMaterials, packagesOf } from './bill-of-materials.mjs';
import { versionBeside, writeVersion } from './build-version.mjs';
import { fromSources, root, withOneByteACharacter } from './from-sources.mjs';
import { licencesOf } from './licences.mjs';

const target = join(root, 'dist/rookery');

/** Not bundled: compiled packages, and optional packages of Nest, Fastify and TypeORM. */
const optional = [
  'better-sqlite3',
  'pg-native',
  'file-type',
  /^@nestjs\/(microservices|platform-(?!fastify))/,
  /^@fastify\/(multipart|static|view)$/,
];

const options = {
  ...fromSources,
  resolve: {
    ...fromSources.resolve,
    // Their ES modules, which package.json names: without them, all validators come along, of telephone numbers and more.
    alias: {
      'class-transformer': 'class-transformer/esm2015/index.js',
      'class-validator': 'class-validator/esm2015/index.js',
      'validator/lib': 'validator/es/lib',
    },
  },
  // Our modules only define things: of what an index exports, a command loads what it uses.
  treeshake: { moduleSideEffects: [{ test: /\/(apps|libs)\/[^/]+\/src\//, sideEffects: false }] },
  external: optional,
  // A part of the bundle is told by its modules, so none may vanish into another.
  optimization: { inlineConst: false },
  onLog(level, log) {
    if (level === 'warn') throw new Error(log.message);
  },
};

/** Nest's ValidationPipe, which the server does without, would bring all of these packages along. */
const withoutPipe = {
  name: 'without-pipe',
  resolveDynamicImport: (id, importer) =>
    /^class-(transformer|validator)$/.test(id) && importer.includes('@nestjs') ? { id, external: true } : undefined,
};

/** TypeORM names all of its drivers in one file; the server has databases for two. */
const withoutOtherDrivers = {
  name: 'without-other-drivers',
  resolveId: (id, importer) =>
    importer?.endsWith('/typeorm/driver/DriverFactory.js') && /^\.\/(?!better-sqlite3|postgres)[\w-]+\//.test(id)
      ? '\0no-driver'
      : undefined,
  load: (id) => (id === '\0no-driver' ? 'module.exports = {};' : undefined),
};

/** Bundles an entry with everything that it needs. */
async function bundled(input, codeSplitting = false) {
  const bundle = await rolldown({
    ...options,
    plugins: [versionBeside, withoutPipe, withoutOtherDrivers],
    preserveEntrySignatures: false,
    input,
  });
  const { output } = await bundle.write({
    dir: target,
    format: 'cjs',
    chunkFileNames: '[name].js',
    codeSplitting,
    // Nest and TypeORM use the names of classes, and people read those of functions in stacks.
    minify: { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } },
  });
  return output;
}

/** The modules that an entry needs before it imports any dynamically. */
async function neededAtOnce(input) {
  const later = { name: 'later', resolveDynamicImport: () => ({ id: 'later', external: true }) };
  const bundle = await rolldown({ ...options, plugins: [versionBeside, later, withoutOtherDrivers], input });
  const { output } = await bundle.generate({ format: 'cjs', codeSplitting: false });
  return new Set(output.flatMap((chunk) => Object.keys(chunk.modules ?? {})));
}

/** Bundles the command line in parts, each of which is loaded when it is needed. */
async function bundledCommand(input) {
  const [command, settings] = [await neededAtOnce(input), await neededAtOnce('apps/cli/src/settings.ts')];
  const groups = [
    // Without the entry itself: if another file required that, a program that loads it in its own way would run it twice.
    { name: 'command', test: (id) => command.has(id) && !id.endsWith(input) },
    { name: 'settings', test: (id) => settings.has(id) && !command.has(id) },
    { name: 'rest', test: (id) => !command.has(id) && !settings.has(id) },
  ];
  const parts = await bundled(input, { includeDependenciesRecursively: false, groups });
  if (parts.find(({ name }) => name === 'settings').imports.includes('rest.js'))
    throw new Error('settings.js needs rest.js: a module holds what settings use, and more');
  return parts;
}

/** As Node does with the code of a CommonJS file, on its first line. */
const inFunction = (code) => `(function (exports, require, module, __filename, __dirname) {${code}\n})`;

rmSync(target, { recursive: true, force: true });
const output = [
  ...(await bundledCommand('apps/cli/src/rookery.ts')),
  // It is started by its file.
  ...(await bundled('libs/publish/src/delivery/web/encryption/encryption-thread.ts')),
];

// What V8 compiles of it is kept. Latin-1 is read several times faster than UTF-8, and is not copied as it stands.
const rest = withOneByteACharacter(readFileSync(join(target, 'rest.js'), 'utf8'));
writeFileSync(join(target, 'rest.code.js'), inFunction(rest), 'latin1');
cpSync(join(root, 'scripts/rest.cjs'), join(target, 'rest.js'));
writeVersion(root, 'dist/rookery');

// For editors: a configuration file refers to it by "$schema".
const schema = spawnSync(process.execPath, [join(target, 'rookery.js'), 'config', 'schema']);
if (schema.status !== 0) throw new Error(String(schema.stderr));
writeFileSync(join(target, 'config.schema.json'), schema.stdout);

const folders = packagesOf([
  // The package whose files are copied.
  join(root, 'node_modules/pusher-js/package.json'),
  join(root, 'node_modules/swagger-ui-dist/package.json'),
  join(root, 'node_modules/js-md5/package.json'),
  join(root, 'node_modules/js-sha256/package.json'),
  ...output.flatMap((chunk) => Object.keys(chunk.modules ?? {})),
]);
writeFileSync(join(target, 'LICENSES.txt'), licencesOf(folders));
writeFileSync(join(target, 'sbom.cdx.json'), JSON.stringify(billOfMaterials('apps/server', folders), null, 2));

mkdirSync(join(target, 'public'));
cpSync(join(root, 'apps/server/public'), join(target, 'public'), { recursive: true });
for (const file of [
  'pusher-js/dist/web/pusher.min.js',
  'js-md5/build/md5.min.js',
  'js-sha256/build/sha256.min.js',
  'swagger-ui-dist/swagger-ui-bundle.js',
  'swagger-ui-dist/swagger-ui.css',
])
  cpSync(join(root, 'node_modules', file), join(target, 'public', basename(file)));
