#!/usr/bin/env node
import { quietExperiments, quietPipes } from './process-events.js';
import { run } from './run.js';

quietExperiments();
quietPipes();
void run(process.argv.slice(2)).then((code) => (process.exitCode = code));
