#!/usr/bin/env node
// The command `rookery-conformance`. In a clone of the repository it first builds what has changed; the published package
// contains the built command.
const { spawnSync } = require('node:child_process');
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const build = join(__dirname, '../../../scripts/build.mjs');
if (existsSync(build) && existsSync(join(__dirname, '../src'))) {
  const stderr = 2; // What the command itself prints may go into a pipe.
  const { status } = spawnSync(process.execPath, [build, 'conformance'], { stdio: ['ignore', stderr, stderr] });
  if (status !== 0) process.exit(status ?? 1);
}

require('../dist/modules/command.js');
