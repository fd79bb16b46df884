import type { LoggerService } from '@nestjs/common';

/** A node's logger: what fails in a simulation is meant to. */
export const silent: LoggerService = { log: () => {}, warn: () => {}, error: () => {} };
