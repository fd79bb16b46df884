import pusherJs from 'pusher-js';

// Its types describe a module with a default export; what Node imports is that export itself.
export const PusherJs = pusherJs as unknown as typeof import('pusher-js').default;
export type PusherJs = InstanceType<typeof PusherJs>;
