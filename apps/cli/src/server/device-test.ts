import type { PublishRequest } from '@rookery/client/server';
import type { DeviceTest, Platform } from '../../../console/src/api/contract.js';
import { testSentence } from '../../../console/src/push/test-words.js';
import { Fault } from '../fault.js';
import { print, printJson } from '../output.js';
import type { JsonOptions } from '../query.js';
import { instanceInConsole, type OwnerOptions } from './console-owner.js';

type TestOptions = OwnerOptions & JsonOptions;

/** What to do after each outcome but `delivered`. */
const advice: Readonly<Record<Exclude<DeviceTest['outcome'], 'delivered'>, string>> = {
  unregistered: 'Its token is no longer valid: its app registers a new one when the user starts it again',
  rejected:
    'Correct the payload, or look the reason up: docs/protocol/beams-wire.md, section 5, names the fields of each platform',
  later: 'Try again in a minute; rookery doctor checks whether the push service can be reached',
  refused: 'No device of this platform can be reached until they are corrected; rookery doctor checks them',
};

/** Sends to one device, and prints the push service's answer. @throws Fault unless it was delivered */
export async function testDevice(
  device: string,
  body: PublishRequest | undefined,
  { json, query, ...options }: TestOptions,
): Promise<void> {
  const { api, path } = await instanceInConsole(options);
  const answer = await api.ask<DeviceTest>('POST', `${path}/devices/${encodeURIComponent(device)}/test`, { body });
  const [platform] = device.split('-', 1) as [Platform]; // The server knows the device, so its id begins with it.
  if (json) printJson(answer, query);
  else print(`${device}: ${testSentence(platform, answer)}`);
  if (answer.outcome !== 'delivered') throw new Fault(advice[answer.outcome]);
}
