// The code that runs for each unit of what rows measure: their figures are refused once it has changed.
const within = (lib, ...paths) => paths.map((path) => `libs/${lib}/src/${path}`);
const channels = (...paths) => within('channels', ...paths);

export const fanOut = channels(
  'hub',
  'frames',
  'broker/in-process.broker.ts',
  'connections/output.ts',
  'connections/pacer.ts',
  'connections/write-scheduler.ts',
  'connections/websocket',
  'events/event-sender.ts',
);

export const triggers = [
  'apps/server/src/fast-path',
  ...channels(
    'http/events.controller.ts',
    'access/request-signature.ts',
    'access/signed-query.ts',
    'access/signed-request.ts',
    'events/events.service.ts',
    'events/trigger-request.ts',
    'events/trigger-step.ts',
    'events/event-sender.ts',
  ),
];

export const connections = channels('sockets', 'connections/connection.ts', 'connections/websocket');

export const subscriptions = [
  ...connections,
  ...channels('subscriptions', 'hub', 'frames', 'protocol/client-message.ts', 'wings/presence'),
];

export const sessions = [
  ...channels('wings/sessions', 'connections/acknowledgements.ts', 'connections/session.ts'),
  ...within('typeorm', 'events', 'sessions'),
];

export const redis = within('redis', 'broker');

export const pushes = [...within('publish', 'fan-out', 'delivery'), ...within('typeorm', 'devices', 'publishes')];

export const starts = [
  'apps/server/src/serve.ts',
  'apps/server/src/app.module.ts',
  'scripts/bundle.mjs',
  'scripts/rest.cjs',
];

const hosts = ['authorization', 'channels', 'notifications', 'presence', 'publish', 'push-device'];
export const modules = hosts.flatMap((name) => within(name, `${name}.module.ts`));
