import { expect, it } from 'vitest';
import { rookery } from './command.js';

it.each([
  ['http://localhost:6001', 'npx rookery subscribe my-channel'],
  ['http://127.0.0.1:6001', 'npx rookery subscribe my-channel'],
  ['http://localhost:6002', 'npx rookery subscribe my-channel --url http://localhost:6002'],
  ['https://push.example.com', 'npx rookery subscribe my-channel --url https://push.example.com'],
  ['http://push.example.com:6001', 'npx rookery subscribe my-channel --url http://push.example.com:6001'],
])('at %s: %s', (address, command) =>
  expect(rookery('subscribe my-channel', new URL(address) as unknown as Location)).toBe(command),
);
