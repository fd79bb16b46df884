import 'reflect-metadata';
import { ConsoleLogger, Logger } from '@nestjs/common';
import { afterAll, vi } from 'vitest';

// The next file in this process begins as if it were the first.
afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
  vi.resetConfig();
  Logger.overrideLogger(new ConsoleLogger());
});
