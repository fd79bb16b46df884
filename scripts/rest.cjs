// Becomes dist/rookery/rest.js: runs rest.code.js with what an earlier process has compiled of it. Compiling takes 40% of
// the start's CPU time and a fifth of its memory; Node's own cache, from 22.8, saves less.
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { constants, Script } = require('node:vm');
const { crc32 } = require('node:zlib');

const filename = join(__dirname, 'rest.code.js');
const folder = join(__dirname, 'compiled');
// V8 compares only the length of the code. Each command needs other functions of it.
const { mtimeMs, size } = statSync(filename);
const command = /^[a-z]+$/.exec(process.argv[2] ?? 'serve')?.[0] ?? 'other';
const kept = join(folder, `${command}-${process.version}-${process.arch}-${size}-${mtimeMs}`);

const checksumBytes = 4;

// V8 would run damaged data: the file ends with a checksum.
const read = () => {
  try {
    const file = readFileSync(kept);
    const data = file.subarray(0, -checksumBytes);
    return file.readUInt32BE(data.length) === crc32(data) ? data : undefined;
  } catch {
    return undefined;
  }
};

const write = (data) => {
  const checksum = Buffer.alloc(checksumBytes);
  checksum.writeUInt32BE(crc32(data));
  const part = `${kept}.${process.pid}`;
  mkdirSync(folder, { recursive: true });
  writeFileSync(part, Buffer.concat([data, checksum]), { flush: true });
  renameSync(part, kept);
};

const cachedData = read();
const script = new Script(readFileSync(filename, 'latin1'), {
  filename,
  importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  ...(cachedData && { cachedData }),
});
script.runInThisContext().call(exports, exports, require, module, filename, __dirname);

// At the end, V8 has compiled what the command needs. Where nothing can be written, nothing is kept.
if (!cachedData || script.cachedDataRejected)
  process.on('exit', () => {
    try {
      write(script.createCachedData());
    } catch {}
  });
