// The command line says it in the same words.

import type { DeviceTest, Platform } from '../api/contract.js';

const vendors = { apns: 'Apple', fcm: 'Google', web: "The browser's push service" };

/** The reasons of a push service that gave no answer, as explanations of publishes have them. */
const isSilent =
  /^(NoAccessToken \()?(Timeout|Closed|ConnectionLost|Unanswered|Unreachable|The push service did not answer)/;

/** What the gateway answered to a test. */
export function testSentence(platform: Platform, { outcome, reason, durationMs }: DeviceTest): string {
  const vendor = vendors[platform];
  const words: Readonly<Record<DeviceTest['outcome'], string>> = {
    delivered: `${vendor} accepted the notification`,
    unregistered: `${vendor} no longer knows this device`,
    rejected: `${vendor} rejected the notification`,
    later: isSilent.test(reason ?? '') ? `${vendor} could not be reached now` : `${vendor} could not take it now`,
    refused: `${vendor} refuses the credentials`,
  };
  return `${words[outcome]}${reason === null ? '' : `: ${reason}`}, after ${durationMs} ms.`;
}
