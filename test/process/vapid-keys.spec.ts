import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import type { WebCredentials } from 'rookery/push-device';
import { WebPushGateway } from 'rookery/publish';
import packageJson from '../../package.json' with { type: 'json' };
import { instance } from '../support/push-app.js';

const command = packageJson.bin['rookery-vapid-keys'];

it('makes a key pair that an instance can send with, another one each time', async () => {
  const run = async () => (await promisify(execFile)(process.execPath, [command])).stdout;
  const web = JSON.parse(await run()) as WebCredentials;
  const gateway = new WebPushGateway();
  const notification = { instance: { ...instance, web }, publishId: 'pubid-1', publishedAt: 0, payload: {} };
  expect(await gateway.prepare(notification)).toHaveProperty('send');
  await gateway.close();
  expect(JSON.parse(await run())).not.toEqual(web);
});

it('comes with the package', () => {
  expect(packageJson.files).toContain(command.slice('./'.length));
});
