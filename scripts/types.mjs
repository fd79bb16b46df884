// Makes dist/libs from the sources: the types of the modules that applications import. It checks all types, which takes
// several times as long as making the modules.
import { spawnSync } from 'node:child_process';
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const target = join(root, 'dist/libs');
const { exports, imports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
/** The declarations of `imports`, by name. */
const internals = Object.fromEntries(
  Object.entries(imports).map(([name, entry]) => [
    name,
    entry['rookery-source'].slice('./libs/'.length, -'.ts'.length),
  ]),
);

/** Compilers with `"moduleResolution": "node10"` do not read `imports` of package.json. */
function nameInternalsByPath(path) {
  const declarations = readFileSync(join(target, path), 'utf8');
  const named = declarations.replaceAll(/(['"])(#\w+)\1/g, (all, quote, name) =>
    name in internals ? `'${posix.relative(posix.dirname(path), `${internals[name]}.js`)}'` : all,
  );
  if (named !== declarations) writeFileSync(join(target, path), named);
}

/** The same types for `require`. */
function addCommonJs(path) {
  const declarations = readFileSync(join(target, path), 'utf8')
    .replaceAll(/(from '\..*)\.mjs'/g, "$1.cjs'")
    // The AI SDK is an ES module.
    .replaceAll(/from 'ai';/g, "from 'ai' with { 'resolution-mode': 'import' };");
  writeFileSync(join(target, path.replace(/mts$/, 'cts')), declarations);
}

/** The types of the packages beside the kit, each in its own folder. */
const packages = ['apps/conformance', 'libs/console', 'libs/sdk', 'libs/testing'];

function copyTypes(folder) {
  const types = join(root, folder, 'dist/types');
  rmSync(types, { recursive: true, force: true });
  cpSync(join(root, 'dist', folder, 'src'), types, { recursive: true, filter: (path) => !path.endsWith('.js') });
  for (const path of readdirSync(types, { recursive: true }))
    if (/\.d\.[cm]?ts$/.test(path)) nameOthers(join(types, path));
}

/** Files of the kit that the console's pages import too are imported by their paths; the kit exports what they declare. */
function nameOthers(file) {
  const declarations = readFileSync(file, 'utf8');
  const named = declarations.replaceAll(/(['"])(?:\.\.\/)+([\w-]+)\/src\/[\w./-]+\1/g, (all, quote, lib) => {
    const name = `./internal/${lib}` in exports ? `rookery/internal/${lib}` : `rookery/${lib}`;
    return quote + name + quote;
  });
  if (named !== declarations) writeFileSync(file, named);
}

const compiler = ['node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json', '--emitDeclarationOnly'];
const { status } = spawnSync(process.execPath, compiler, { cwd: root, stdio: 'inherit' });
const declared = readdirSync(target, { recursive: true });
for (const path of declared) if (/\.d\.m?ts$/.test(path)) nameInternalsByPath(path);
for (const path of declared) if (path.endsWith('.d.mts')) addCommonJs(path);
for (const folder of packages) copyTypes(folder);
process.exitCode = status ?? 1;
