import PusherJs7 from 'pusher-js-7';
import { PusherJs } from './pusher-js.js';

/** Stock pusher-js, by its major version. The types of both describe what these tests use alike. */
export const pusherJsVersions = [
  ['8', PusherJs],
  ['7', PusherJs7 as unknown as typeof PusherJs],
] as const;
