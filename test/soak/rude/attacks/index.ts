import type { Attack } from '../attack.js';
import { answerGarbage } from './answer-garbage.js';
import { beginBodies } from './begin-bodies.js';
import { beginMessages } from './begin-messages.js';
import { connectAfresh } from './connect-afresh.js';
import { escapeQueries } from './escape-queries.js';
import { flood } from './flood.js';
import { forgeAddresses } from './forge-addresses.js';
import { growStreams } from './grow-streams.js';
import { keepAnswers } from './keep-answers.js';
import { keepEvents } from './keep-events.js';
import { mintReceipts } from './mint-receipts.js';
import { parseNothing } from './parse-nothing.js';
import { ping } from './ping.js';
import { readNothing } from './read-nothing.js';
import { readStates } from './read-states.js';
import { registerWidely } from './register-widely.js';
import { replay } from './replay.js';
import { sayNothing } from './say-nothing.js';
import { scanNames } from './scan-names.js';
import { shareAUser } from './share-a-user.js';
import { subscribeWidely } from './subscribe-widely.js';

/** To add one, write it as its neighbours are written, and name it here. */
export const attacks: Readonly<Record<string, Attack>> = {
  flood,
  'scan names': scanNames,
  'parse nothing': parseNothing,
  replay,
  'forge addresses': forgeAddresses,
  'escape queries': escapeQueries,
  ping,
  'grow streams': growStreams,
  'keep events': keepEvents,
  'keep answers': keepAnswers,
  'subscribe widely': subscribeWidely,
  'share a user': shareAUser,
  'begin messages': beginMessages,
  'begin bodies': beginBodies,
  'say nothing': sayNothing,
  'read nothing': readNothing,
  'mint receipts': mintReceipts,
  'register widely': registerWidely,
  'connect afresh': connectAfresh,
  'answer garbage': answerGarbage,
};

/** Those on a server that has states. */
export const attacksOnStates: Readonly<Record<string, Attack>> = { 'read states': readStates };

export const allAttacks: Readonly<Record<string, Attack>> = { ...attacks, ...attacksOnStates };
