import type { Command } from 'commander';
import { administration } from './administration.js';

export const apps = (): Command =>
  administration({
    command: 'apps',
    one: 'app',
    credentials: ['id', 'key', 'secret'],
    example: { id: 'shop', setting: 'clientEvents=true', says: 'its clients may send events', key: '0a1b2c3d' },
  });
