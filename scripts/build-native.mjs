// Compiles native/send.c where there is a C compiler and Node's headers. Without it everything works, in JavaScript.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const output = join(root, 'native', 'build', `send-${process.platform}-${process.arch}.node`);
const headers = [process.env.npm_config_nodedir, join(dirname(process.execPath), '..')]
  .filter((directory) => directory !== undefined)
  .map((directory) => join(directory, 'include', 'node'))
  .find((directory) => existsSync(join(directory, 'node_api.h')));

const result = headers && process.platform !== 'win32' ? compile(headers) : 'no headers of Node';
process.stdout.write(
  result === undefined ? 'native/send.c is compiled\n' : `native/send.c is not compiled: ${result}\n`,
);

function compile(include) {
  mkdirSync(dirname(output), { recursive: true });
  const undefinedLater = process.platform === 'darwin' ? ['-undefined', 'dynamic_lookup'] : [];
  const options = ['-O2', '-shared', '-fPIC', '-DNODE_GYP_MODULE_NAME=send', `-I${include}`, ...undefinedLater];
  const { status, error, stderr } = spawnSync(
    process.env.CC ?? 'cc',
    [...options, join(root, 'native/send.c'), '-o', output],
    {
      encoding: 'utf8',
      timeout: 30_000,
    },
  );
  return status === 0 ? undefined : (error?.message ?? (stderr.trim() || `the compiler ended with ${status}`));
}
