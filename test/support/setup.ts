import 'reflect-metadata';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { configureGlobal } from 'fast-check';
import { afterAll, vi } from 'vitest';

// Properties try the same values in each run; `SEED=7 npm test` tries others.
configureGlobal({ seed: Number(process.env['SEED'] ?? 1) });

// The next file in this process begins as if it were the first.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetConfig();
  Logger.overrideLogger(new ConsoleLogger());
});
