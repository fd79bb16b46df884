// How long it takes from the command to the first event in a browser: `node bench/first-event.mjs [folder]`. The folder
// has the package installed; without one, this checkout is measured. It needs Chromium.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chromium } from 'playwright-core';

const cwd = process.argv[2] ?? '.';
const port = process.env.PORT ?? '7321';
const url = `http://127.0.0.1:${port}`;
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: ['--no-sandbox', '--headless=new'],
});
const page = await browser.newPage();
const begun = performance.now();
const tell = (what) => console.log(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s`);

const rookery = (...args) =>
  spawn('npx', ['rookery', ...args], { cwd, stdio: ['ignore', 'pipe', 'inherit'], detached: true });
const server = rookery('--port', port, '--database', 'sqlite::memory:');
let output = '';
for await (const chunk of server.stdout.iterator({ destroyOnReturn: false }))
  if ((output += chunk).includes('Listening on')) break;
if (!output.includes('Listening on')) throw new Error(`The server ended:\n${output}`);
server.stdout.resume();
tell('the server listens');
await page.goto(url);
await page.getByText('Live').waitFor({ timeout: 120_000 });
tell('its page is connected');
rookery('trigger', 'my-channel', 'my-event', '{"hello":"world"}', '--url', url);
await page.locator('#lines li.event').waitFor({ timeout: 120_000 });
tell('the page shows what `npx rookery trigger` has sent');
if (server.pid) process.kill(-server.pid);
await once(server, 'exit');
await browser.close();
