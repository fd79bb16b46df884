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

const url = { hint: 'An http or https URL.', fault: 'Enter an http or https URL.' };

/** The words of a setting, by its path: `webhooks.url`. */
export const wordsOf = (path: string): Words => words[path] ?? none;

/** Each hint begins with the words of the option's comment, as docs/options.md has them: a test compares them. */
const words: Readonly<Record<string, Words>> = {
  name: { hint: 'Shown in the console. Empty: its id.' },
  tlsOnly: { hint: "Closes connections without TLS with 4000. A proxy's X-Forwarded-Proto is trusted." },
  clientEvents: { hint: 'Allows clients to send client- events.' },
  subscriptionCount: { hint: 'Sends subscription_count to channels, and returns it over HTTP.' },
  countsInChannelList: {
    hint: 'GET /channels answers info=user_count,subscription_count for all channels, not only user_count with a prefix of presence channels.',
  },
  allowedOrigins: {
    hint: 'Hosts whose pages may connect, one a line; other pages are closed with 4009. * matches any characters.',
  },
  maxConnections: { hint: 'Simultaneous connections; further ones are closed with 4004. Empty: unlimited.' },
  watchlist: { hint: 'Serves watchlists: signed-in users learn which users of theirs are online.' },
  authorizationTimeoutSeconds: {
    hint: 'How long a client may take to sign in or to join a private or presence channel, in seconds; then it is closed with 4009. Empty: unlimited.',
  },
  encryptionMasterKeyBase64: {
    hint: '32 bytes in Base64, from which your server derives the secrets of encrypted channels: openssl rand -base64 32',
  },
  limits: { hint: "Limits of this app. Empty: the server's." },
  'limits.eventDataBytes': { hint: "Bytes of UTF-8 in an event's data." },
  'limits.clientEventsPerSecond': { hint: 'Client events that a connection may send in a second.' },
  'limits.presenceMembers': { hint: 'Users of a presence channel.' },
  'limits.triggersPerSecond': { hint: 'Events that the app may trigger in a second.' },
  'limits.historyEvents': { hint: 'Events in the history of a channel.' },
  'limits.historySeconds': { hint: 'How long events stay in a history, in seconds.' },
  'limits.historyBytes': { hint: 'Bytes of UTF-8 in the history of a channel.' },
  history: { hint: 'Channels that keep events for returning clients; the first match applies.' },
  'history.channels': {
    hint: 'A channel name, or a prefix followed by *.',
    placeholder: 'orders-*',
    fault: 'Only the last character may be *.',
  },
  'history.events': { hint: 'How many events a channel keeps, at most Limits › History events.' },
  'history.seconds': { hint: 'How long a channel keeps events, in seconds, at most Limits › History seconds.' },
  'history.bytes': {
    hint: 'How many bytes of events, in UTF-8, a channel keeps, at most Limits › History bytes. Empty: that limit.',
  },
  'history.clientEvents': { hint: 'Keeps client events too.' },
  'history.streams': {
    hint: 'Allows streams: texts that are sent while they are written. New subscribers get the text so far.',
  },
  webhooks: { hint: 'Endpoints to which events are reported.' },
  'webhooks.url': { placeholder: 'https://example.com/hooks', ...url },
  'webhooks.events': { hint: 'The events to send. None selected: all.' },
  'webhooks.filter': { hint: 'The channels to report. Empty: all.' },
  'webhooks.filter.channelNameStartsWith': { hint: 'The prefix of the name.', placeholder: 'presence-' },
  'webhooks.filter.channelNameEndsWith': { hint: 'The suffix of the name.' },
  'webhooks.filter.encryptedChannels': {
    hint: "Reports encrypted channels. With a master key, PHP's and Go's libraries reject their events without data, such as channel_occupied.",
    isOn: true,
  },
  'webhooks.memberSocketIds': {
    hint: 'Adds socket_id to member_added and member_removed: the connection that joined first or left last.',
  },
  'webhooks.headers': {
    hint: 'Headers that are sent with each request, one a line: Name: value.',
    placeholder: 'Authorization: Bearer …',
  },
  'webhooks.secret': { hint: 'Signs the requests, in the header Webhook-Signature.' },
  'webhooks.customData': { hint: 'A JSON object that is sent with each event, as custom_data.' },
  batchWebhooks: { hint: 'Sends several webhook events in one body.' },
  mirror: { hint: 'A service that also receives all triggers, for example while you migrate.' },
  'mirror.url': {
    hint: "The URL of the service's HTTP API.",
    placeholder: 'https://api-eu.pusher.com',
    fault: url.fault,
  },
  'mirror.id': { hint: "The id of the app at the service. Empty: the app's own." },
  'mirror.key': { hint: "The key of the app at the service. Empty: the app's own." },
  'mirror.secret': { hint: "The secret of the app at the service. Empty: the app's own." },
  requests: { hint: "Endpoints that answer requests of the app's clients; the first match answers." },
  'requests.name': {
    hint: 'The requests that it answers: a name, or a prefix followed by *.',
    placeholder: 'game.*',
    fault: 'Only the last character may be *.',
  },
  'requests.channels': {
    hint: 'The channels whose requests it answers; encrypted channels never match. Empty: it answers requests without a channel.',
    placeholder: 'private-game.*',
    fault: 'Only the last character may be *.',
  },
  'requests.url': { placeholder: 'https://example.com/requests', ...url },
  'requests.timeoutMs': {
    hint: "How long its reply may take, in milliseconds; then the client gets 504. Empty: the server's requests.timeoutMs.",
  },
  apns: {
    label: 'Apple (APNs)',
    hint: 'A key of the Apple Developer account, made under Certificates, Identifiers & Profiles › Keys.',
  },
  'apns.key': { hint: 'The text of the .p8 file.', file: '.p8,.pem' },
  'apns.keyId': { hint: "The key's ten characters, part of the file's name.", placeholder: 'ABC123DEFG' },
  'apns.teamId': {
    hint: "The developer account's ten characters, shown under Membership.",
    placeholder: 'DEF123GHIJ',
  },
  'apns.endpoint': {
    label: 'Gateway',
    hint: "The URL of Apple's gateway. Empty: production. For development builds: https://api.sandbox.push.apple.com",
  },
  'apns.sandboxEndpoint': {
    label: 'Sandbox beside production',
    hint: 'A second gateway, for devices whose token the first one does not know: https://api.sandbox.push.apple.com serves development builds beside production.',
    fault: url.fault,
  },
  fcm: {
    label: 'Google (FCM)',
    hint: 'A service account of the Firebase project, made under Project settings › Service accounts.',
  },
  'fcm.serviceAccount': { hint: 'The object in the JSON file of the account.', file: '.json' },
  'fcm.endpoint': { label: 'Gateway', hint: "The URL of Google's gateway. Empty: https://fcm.googleapis.com" },
  web: {
    label: 'Browsers (web push)',
    hint: 'A VAPID key pair: rookery keys vapid makes one. When you replace it, keep the earlier one below.',
  },
  'web.vapidPublicKey': {
    label: 'Public key',
    hint: 'The public key, to which browsers bind their subscriptions, in base64url.',
  },
  'web.vapidPrivateKey': {
    label: 'Private key',
    hint: "The private key, which signs requests to browsers' push services, in base64url.",
  },
  'web.subject': {
    label: 'Contact',
    hint: 'Your contact for push services: a mailto: or https: address, not at localhost.',
    placeholder: 'mailto:ops@example.com',
  },
  'web.previous': {
    label: 'Earlier pairs',
    hint: 'Earlier pairs, the latest first: browsers that subscribed with one still get their pushes.',
  },
  'web.previous.vapidPublicKey': {
    label: 'Public key',
    hint: 'The public key with which browsers subscribed, in base64url.',
  },
  'web.previous.vapidPrivateKey': {
    label: 'Private key',
    hint: 'The private key, which signs requests for those browsers, in base64url.',
  },
  publishesPerSecond: { hint: 'Publishes and user deletions per second, also the largest burst. Empty: 100.' },
};
