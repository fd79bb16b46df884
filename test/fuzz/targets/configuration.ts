import assert from 'node:assert/strict';
import { settingsOf } from '#common';
import { checkedFile, ConfigFile } from '../../../apps/server/src/config/config-file.js';
import type { Target } from '../target.js';

/** Configuration files: accepted, or refused with one line that quotes no secret. */
export const configuration = (): Target => ({
  name: 'configuration',
  seeds: [
    `{"apps":[{"id":"1","key":"k","secret":"SECRET","clientEvents":true,"allowedOrigins":["*.example.com"],
      "webhooks":[{"url":"https://example.com/hook","events":["channel_occupied"]}],"enabled":true,
      "history":[{"channels":"private-*","events":10,"seconds":60}],"limits":{"presenceMembers":100}}],
      "channels":{"activityTimeoutSeconds":120,"limits":{"queuedBytes":1000}}}`,
    `{"instances":[{"id":"0b1f8f3e-2a52-4c0f-9f0e-1d2c3b4a5f60","secretKey":"SECRET",
      "apns":{"keyId":"A","teamId":"B","bundleId":"c","keyFile":"a.p8"},
      "fcm":{"serviceAccountFile":"firebase.json"},"web":{"vapidSubject":"mailto:a@example.com"}}],
      "devices":{},"publish":{"retentionMs":1}}`,
    '{"notifications":[{"app":"1","instance":"x","pushAfterSeconds":5}],"console":{},"redis":{},"role":"all"}',
  ],
  batch: 500,
  run(input) {
    let content: unknown;
    try {
      content = JSON.parse(input.toString());
    } catch {
      return;
    }
    try {
      checkedFile(content);
    } catch (error) {
      if ((error as Error).constructor !== Error) throw error;
      if (isOnlySecret(input.toString())) assert.doesNotMatch((error as Error).message, /SECRET/);
      assert.match((error as Error).message, /^[^\n]+$/);
      return;
    }
    // What is accepted has a value for each setting, and is still accepted when it is read again.
    settingsOf(ConfigFile, structuredClone(content) as object);
  },
});

/** Names of settings and the values of some others are quoted. */
const isOnlySecret = (text: string): boolean =>
  !/SECRET/.test(text.replaceAll(/"(?:secret|secretKey)"\s*:\s*"SECRET"/g, ''));
