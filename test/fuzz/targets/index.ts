import type { OpenTarget } from '../target.js';
import { answers } from './answers.js';
import { bodies } from './bodies.js';
import { configuration } from './configuration.js';
import { frames } from './frames.js';
import { gateways } from './gateways.js';
import { heads } from './heads.js';
import { messages } from './messages.js';
import { processes } from './processes.js';
import { redis } from './redis.js';
import { requests } from './requests.js';
import { signatures } from './signatures.js';
import { subscriptions } from './subscriptions.js';
import { tokens } from './tokens.js';

export const targets: Readonly<Record<string, OpenTarget>> = {
  frames,
  messages,
  requests,
  heads,
  signatures,
  bodies,
  tokens,
  subscriptions,
  configuration,
  gateways,
  redis,
  answers,
  processes,
};
