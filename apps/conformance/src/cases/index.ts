import type { Case } from '../case.js';
import { beams } from './beams/index.js';
import { cache } from './cache.js';
import { clientEvents } from './client-events.js';
import { connection } from './connection.js';
import { httpApi } from './http-api/index.js';
import { presence } from './presence.js';
import { subscriptions } from './subscriptions.js';
import { httpTransports } from './http-transports.js';
import { users } from './users.js';
import { webhooks } from './webhooks.js';

/** All cases, theme by theme. */
export const cases: readonly Case[] = [
  ...connection,
  ...subscriptions,
  ...presence,
  ...clientEvents,
  ...httpApi,
  ...users,
  ...cache,
  ...webhooks,
  ...httpTransports,
  ...beams,
];
