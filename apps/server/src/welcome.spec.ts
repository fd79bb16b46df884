import { expect, it } from 'vitest';
import { readConfig } from './config/config.js';
import { pusherJsSnippet, welcome } from './welcome.js';

const text = (url: string, environment: Readonly<Record<string, string>> = {}): string =>
  welcome(url, readConfig(environment)).join('\n');

it('shows a page, commands and a client to paste', () => {
  const said = text('http://127.0.0.1:6001');
  expect(said).toContain('open http://127.0.0.1:6001 in two tabs');
  expect(said).toContain('  npx rookery subscribe my-channel\n');
  expect(said).toContain(`npx rookery trigger my-channel my-event '{"hello":"world"}'\n`);
  expect(said).toContain(`new Pusher('app-key', {`);
});

it('names the port if the command would not find it by default', () => {
  const said = text('http://127.0.0.1:7777');
  expect(said).toContain('subscribe my-channel --url http://127.0.0.1:7777\n');
  expect(said).toContain(`'{"hello":"world"}' --url http://127.0.0.1:7777\n`);
});

it.each([
  ['http://127.0.0.1:6001', "  wsHost: '127.0.0.1', wsPort: 6001, forceTLS: false,"],
  ['http://[::1]:6001', "  wsHost: '[::1]', wsPort: 6001, forceTLS: false,"],
  ['https://push.example.com', "  wsHost: 'push.example.com', wssPort: 443, forceTLS: true,"],
])('connects pusher-js to %s', (url, line) => {
  expect(pusherJsSnippet(url, 'key')).toContain(line);
});

it('is empty for servers that only send publishes', () => {
  const instance = { BEAMS_INSTANCE_ID: '8a0c7a8e-5b2f-4f0e-9f39-0d6e1a2b3c4d', BEAMS_SECRET_KEY: 'key' };
  expect(text('http://127.0.0.1:6001', { ...instance, ROLE: 'worker' })).toBe('');
});
