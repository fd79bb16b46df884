import type { OpenTarget } from '../target.js';

/** Each is loaded when it is opened: most need little of what all need together. */
export const targets: Readonly<Record<string, OpenTarget>> = {
  frames: async () => (await import('./frames.js')).frames(),
  messages: async () => (await import('./messages.js')).messages(),
  requests: async () => (await import('./requests.js')).requests(),
  heads: async () => (await import('./heads.js')).heads(),
  signatures: async () => (await import('./signatures.js')).signatures(),
  bodies: async () => (await import('./bodies.js')).bodies(),
  tokens: async () => (await import('./tokens.js')).tokens(),
  subscriptions: async () => (await import('./subscriptions.js')).subscriptions(),
  configuration: async () => (await import('./configuration.js')).configuration(),
  gateways: async () => (await import('./gateways.js')).gateways(),
  redis: async () => (await import('./redis.js')).redis(),
  answers: async () => (await import('./answers.js')).answers(),
  processes: async () => (await import('./processes.js')).processes(),
};

/** Faulty on purpose: they run only by their names, in the test of the program. */
export const planted: Readonly<Record<string, OpenTarget>> = {
  broken: async () => (await import('./planted.js')).broken(),
  endless: async () => (await import('./planted.js')).endless(),
};
