/**
 * The push services of the browsers (beams-wire §11.3): Chrome and those built on Chromium, Firefox, Safari, Edge on
 * Windows. Chromium without Google's keys subscribes at jmt17.google.com.
 */
export const knownPushServices: readonly string[] = [
  'fcm.googleapis.com',
  'jmt17.google.com',
  '*.push.services.mozilla.com',
  '*.push.apple.com',
  '*.notify.windows.com',
];
