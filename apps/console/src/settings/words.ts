/** What the schema does not say of a setting. */
interface Words {
  readonly label?: string;
  readonly hint?: string;
  readonly placeholder?: string;
  /** What to do about a value that is not valid. */
  readonly fault?: string;
  /** The endings of the files whose text it accepts. */
  readonly file?: string;
  /** Of a switch that is absent. */
  readonly isOn?: boolean;
}

const none: Words = {};

/** The words of a setting, by its path: `webhooks.url`. */
export const wordsOf = (path: string): Words => words[path] ?? none;

const words: Readonly<Record<string, Words>> = {
  name: { hint: 'Shown in the console instead of the id.' },
  allowedOrigins: { hint: 'One host a line, from which browsers may connect; * matches any characters.' },
  maxConnections: { hint: 'Connections at a time. Empty: unlimited.' },
  authorizationTimeoutSeconds: {
    hint: 'Seconds to sign in or join a private or presence channel. Empty: no limit.',
  },
  encryptionMasterKeyBase64: { hint: '32 bytes in Base64, as in your server library: openssl rand -base64 32' },
  publishesPerSecond: { hint: 'Publishes and user deletions per second, and the largest burst. Empty: 100.' },
  limits: { hint: "Empty: the server's." },
  'limits.clientEventsPerSecond': { hint: 'Of a connection.' },
  'limits.historyEvents': { hint: 'Of a channel.' },
  'limits.historyBytes': { hint: 'Of a channel.' },
  history: { hint: 'Events of these channels are kept, so that returning clients get what they missed.' },
  'history.channels': {
    hint: 'A channel, or a prefix followed by *.',
    placeholder: 'orders-*',
    fault: 'Only the last character may be *.',
  },
  'history.events': { hint: 'Of a channel.' },
  'history.bytes': { hint: "Of a channel. Empty: the app's limit." },
  'history.clientEvents': { label: 'Client events too' },
  'history.streams': { label: 'Streams: new subscribers get the text so far' },
  'webhooks.url': { placeholder: 'https://example.com/hooks', fault: 'Enter an http or https URL.' },
  'webhooks.headers': { hint: 'One a line, as Name: value.', placeholder: 'Authorization: Bearer …' },
  'webhooks.secret': { hint: 'Signs the requests.' },
  'webhooks.customData': { hint: 'A JSON object to send with each event, as custom_data.' },
  'webhooks.filter.channelNameStartsWith': {
    label: 'Channels that start with',
    hint: 'Empty: all.',
    placeholder: 'presence-',
  },
  'webhooks.filter.channelNameEndsWith': { label: 'Channels that end with', hint: 'Empty: all.' },
  'webhooks.filter.encryptedChannels': { label: 'Encrypted channels too', isOn: true },
  mirror: {
    hint: 'A service that also receives everything that servers trigger here, for example while you migrate.',
  },
  'mirror.url': {
    hint: 'Of its HTTP API.',
    placeholder: 'https://api-eu.pusher.com',
    fault: 'Enter an http or https URL.',
  },
  'mirror.id': { label: 'App id there', hint: "Empty: this app's." },
  'mirror.key': { label: 'Key there', hint: "Empty: this app's." },
  'mirror.secret': { label: 'Secret there', hint: "Empty: this app's." },
  apns: {
    label: 'Apple (APNs)',
    hint: 'A key of the Apple Developer account, made under Certificates, Identifiers & Profiles › Keys.',
  },
  'apns.key': { hint: 'The text of the .p8 file.', file: '.p8,.pem' },
  'apns.keyId': { hint: 'Ten characters; part of the file name.', placeholder: 'ABC123DEFG' },
  'apns.teamId': { hint: 'Ten characters; under Membership.', placeholder: 'DEF123GHIJ' },
  'apns.endpoint': {
    label: 'Gateway',
    hint: 'Empty: production. For development builds: https://api.sandbox.push.apple.com',
  },
  'apns.sandboxEndpoint': {
    label: 'Sandbox beside production',
    hint: 'For development builds beside production: https://api.sandbox.push.apple.com',
    fault: 'Enter an http or https URL.',
  },
  fcm: {
    label: 'Google (FCM)',
    hint: 'A service account of the Firebase project, made under Project settings › Service accounts.',
  },
  'fcm.serviceAccount': { hint: 'The text of the JSON file.', file: '.json' },
  'fcm.endpoint': { label: 'Gateway', hint: 'Empty: https://fcm.googleapis.com' },
  web: {
    label: 'Browsers (web push)',
    hint: 'A VAPID key pair: rookery keys vapid makes one. When you replace it, keep the earlier one below.',
  },
  'web.vapidPublicKey': { label: 'Public key', hint: 'base64url.' },
  'web.vapidPrivateKey': { label: 'Private key', hint: 'base64url.' },
  'web.previous': { label: 'Earlier pairs', hint: 'The latest first: for browsers that subscribed with them.' },
  'web.previous.vapidPublicKey': { label: 'Public key', hint: 'base64url.' },
  'web.previous.vapidPrivateKey': { label: 'Private key', hint: 'base64url.' },
  'web.subject': { label: 'Contact', placeholder: 'mailto:ops@example.com', hint: 'mailto: or https:' },
};
