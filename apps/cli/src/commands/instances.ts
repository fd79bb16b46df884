import type { Command } from 'commander';
import { administration } from './administration.js';

export const instances = (): Command =>
  administration({
    command: 'instances',
    one: 'push instance',
    credentials: ['id', 'secretKey'],
    example: {
      id: '8a0c7a8e-…',
      setting: 'publishesPerSecond=50',
      says: 'at most that many publishes per second',
      key: '0a1b2c3d4e5f',
    },
  });
