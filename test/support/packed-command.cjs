// The command as it is packed, compiled from what V8 has kept of an earlier process. The tests start some two hundred
// processes, a third of whose processor time would be compiling. Node does so itself from 22.8 on, where it is asked to.
const { existsSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { dirname, join } = require('node:path');
const { constants, Script } = require('node:vm');

const folder = join(__dirname, '../../dist/rookery');
const loaded = new Map();

const [, , first = 'serve'] = process.argv;
const isServer = first === 'serve' || first.startsWith('-');
/** By then a server has started: what it needed for that is compiled. */
const startMs = 2000;

/** Loads a file of the command, and those beside it that it requires. */
function load(filename) {
  if (loaded.has(filename)) return loaded.get(filename).exports;
  // Beside the command, so that the next build removes it. V8 checks its own version and flags, but not the source.
  const kept = `${filename}.${statSync(filename).mtimeMs}.${process.version}.cache`;
  const source = readFileSync(filename, 'utf8').replace(/^#!/, '//');
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename,
    cachedData: existsSync(kept) ? readFileSync(kept) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  const module = { exports: {} };
  loaded.set(filename, module);
  const others = createRequire(filename);
  const required = (id) => (id.startsWith('./') ? load(join(folder, id)) : others(id));
  const require = Object.assign(required, { resolve: others.resolve, cache: others.cache, main: others.main });
  script.runInThisContext()(module.exports, require, module, filename, dirname(filename));
  if (isServer && !existsSync(kept)) setTimeout(() => keep(script, filename, kept), startMs).unref();
  return module.exports;
}

function keep(script, filename, kept) {
  // Another process may have kept its own, and a build may have removed the folder.
  if (existsSync(kept) || !existsSync(filename)) return;
  const own = `${kept}.${process.pid}`;
  writeFileSync(own, script.createCachedData());
  renameSync(own, kept);
}

load(join(folder, 'rookery.js'));
