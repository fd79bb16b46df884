import type { Platform } from '../api/contract.js';
import type { Part } from './object-field.js';

/** The credentials of each platform's gateway. */
export const gateways: Readonly<
  Record<Platform, { readonly legend: string; readonly hint: string; readonly parts: readonly Part[] }>
> = {
  apns: {
    legend: 'Apple (APNs)',
    hint: 'A key of the Apple Developer account, made under Certificates, Identifiers & Profiles › Keys.',
    parts: [
      { name: 'key', label: 'Key', hint: 'The text of the .p8 file.', file: '.p8,.pem' },
      { name: 'keyId', label: 'Key id', hint: 'Ten characters; part of the file name.', placeholder: 'ABC123DEFG' },
      { name: 'teamId', label: 'Team id', hint: 'Ten characters; under Membership.', placeholder: 'DEF123GHIJ' },
      {
        name: 'endpoint',
        label: 'Gateway',
        isOptional: true,
        hint: 'Empty: production. For development builds: https://api.sandbox.push.apple.com',
      },
    ],
  },
  fcm: {
    legend: 'Google (FCM)',
    hint: 'A service account of the Firebase project, made under Project settings › Service accounts.',
    parts: [
      {
        name: 'serviceAccount',
        label: 'Service account',
        hint: 'The text of the JSON file.',
        file: '.json',
        isJson: true,
      },
      { name: 'endpoint', label: 'Gateway', isOptional: true, hint: 'Empty: https://fcm.googleapis.com' },
    ],
  },
  web: {
    legend: 'Browsers (web push)',
    hint: 'A VAPID key pair: rookery keys vapid makes one. Another pair makes browsers subscribe again.',
    parts: [
      { name: 'vapidPublicKey', label: 'Public key', hint: 'base64url.' },
      { name: 'vapidPrivateKey', label: 'Private key', hint: 'base64url.' },
      { name: 'subject', label: 'Contact', placeholder: 'mailto:ops@example.com', hint: 'mailto: or https:' },
    ],
  },
};
