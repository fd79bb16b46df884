import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { joined, PusherJs } from '../support/pusher-js.js';
import { until } from '../support/until.js';
import { minutes } from './installed.js';
import { run } from './workshop.js';

/**
 * What `rookery` without a word more serves from a folder: its page, and an event of `rookery trigger` to pusher-js.
 * @param meet what else happens while it serves
 */
export async function firstEvent(
  node: string,
  folder: string,
  meet = async (_url: string): Promise<void> => {},
): Promise<{ event: unknown; page: string }> {
  const command = 'node_modules/.bin/rookery';
  const env = { ...process.env, PORT: '0', NODE_OPTIONS: '' };
  const child = spawn(node, [command], { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  let client: PusherJs | undefined;
  try {
    const found = () => /Listening on (http:[^"\s]+)/.exec(output)?.[1] ?? '';
    await until(() => found() !== '', 'it listens', minutes(1));
    const url = found();
    const { port } = new URL(url);
    const options = { cluster: 'self', wsHost: '127.0.0.1', wsPort: Number(port), forceTLS: false };
    client = new PusherJs('app-key', { ...options, enabledTransports: ['ws'] });
    const channel = await joined(client, 'my-channel');
    const event = new Promise((resolve) => channel.bind('my-event', resolve));
    await run(node, [command, 'trigger', 'my-channel', 'my-event', '{"hello":"world"}', '--url', url], folder);
    await meet(url);
    return { event: await event, page: await (await fetch(url)).text() };
  } finally {
    client?.disconnect();
    child.kill();
    if (child.exitCode === null) await once(child, 'exit');
  }
}
