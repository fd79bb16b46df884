// The command line says it in the same words.

import type { DeviceTest, Platform } from '../api/contract.js';

const vendors = { apns: 'Apple', fcm: 'Google', web: "The browser's push service" };

/** What the gateway answered to a test. */
export function testSentence(platform: Platform, { outcome, reason, durationMs }: DeviceTest): string {
  const vendor = vendors[platform];
  const words: Readonly<Record<DeviceTest['outcome'], string>> = {
    delivered: `${vendor} accepted the notification`,
    unregistered: `${vendor} no longer knows this device`,
    rejected: `${vendor} rejected the notification`,
    later: `${vendor} could not be reached now`,
    refused: `${vendor} refuses the credentials`,
  };
  return `${words[outcome]}${reason === null ? '' : `: ${reason}`}, after ${durationMs} ms.`;
}
