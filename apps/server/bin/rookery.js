#!/usr/bin/env node
// The command `rookery`. In a clone of the repository, `npx rookery` and `npm start` first build what has changed;
// the published package contains the built command, and no sources.
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { enableCompileCache } = require('node:module');
const { join } = require('node:path');

const isClone = existsSync(join(__dirname, '../src'));
const root = join(__dirname, isClone ? '../../..' : '..');

if (isClone) {
  const stderr = 2; // What the command itself prints may go into a pipe.
  const build = [join(root, 'scripts/build.mjs'), 'command', 'console'];
  const { status } = spawnSync(process.execPath, build, { stdio: ['ignore', stderr, stderr] });
  if (status !== 0) process.exit(status ?? 1);
}

// Node 22.8 and later keep what they have compiled, where the next build removes it. Workers take the folder from the
// environment. The larger part of the code does so itself, on every Node: see scripts/rest.cjs.
process.env.NODE_COMPILE_CACHE ??= join(root, 'dist/rookery/compiled');
enableCompileCache?.(process.env.NODE_COMPILE_CACHE);

// The server starts its workers by this name.
process.argv[1] = join(root, 'dist/rookery/rookery.js');
require(process.argv[1]);
