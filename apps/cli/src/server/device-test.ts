import type { PublishRequest } from 'rookery/server';
import type { DeviceTest } from '../../../console/src/api/contract.js';
import { Fault } from '../fault.js';
import { print, printJson } from '../output.js';
import { instanceInConsole, type OwnerOptions } from './console-owner.js';

interface TestOptions extends OwnerOptions {
  readonly json?: boolean;
}

/** What to do after each outcome but `delivered`. */
const advice: Readonly<Record<Exclude<DeviceTest['outcome'], 'delivered'>, string>> = {
  unregistered: 'The token of the device is no longer valid: its app registers a new one at its next start',
  rejected: 'The push service refuses this notification for this device: docs/push.md names the fields of a payload',
  later: 'The push service is busy or cannot be reached: try again, and check the connection with rookery doctor',
  refused: 'No device of the platform can be reached: check the credentials of the instance with rookery doctor',
};

/** Sends to one device, and prints the push service's answer. @throws Fault unless it was delivered */
export async function testDevice(
  device: string,
  body: PublishRequest | undefined,
  { json, ...options }: TestOptions,
): Promise<void> {
  const { api, path } = await instanceInConsole(options);
  const answer = await api.ask<DeviceTest>('POST', `${path}/devices/${encodeURIComponent(device)}/test`, { body });
  const { outcome, reason, durationMs } = answer;
  if (json) printJson(answer);
  else print(`${device}: ${outcome}${reason === null ? '' : `: ${reason}`} (${durationMs} ms)`);
  if (outcome !== 'delivered') throw new Fault(advice[outcome]);
}
