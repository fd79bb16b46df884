import { Injectable, Logger } from '@nestjs/common';
import { hash, randomUUID } from 'node:crypto';
import { pause } from '#common';
import type { App } from '../../app/app.js';
import { KeptBytes } from '../../events/kept-bytes.js';
import { IdempotencyKeys, type KeyedRequest } from '../../storage/idempotency.keys.js';
import { type Settled, unknownOutcome } from './request-error.js';
import type { RequestMessage } from './request.message.js';

declare module '../../events/kept-bytes.js' {
  interface KeptKinds {
    readonly keptReplies: true;
  }
}

/** How long a reply is remembered, in milliseconds. Clients ask again for somewhat less. */
const rememberedMs = 120_000;
/** Bytes that are kept with a reply. */
const besideReply = 300;
const longestPauseMs = 500;
/** How much longer than the reply may take a repeat waits. */
const graceMs = 2000;

/** Who asks again: a session, over all its connections. */
export interface AskingSession {
  readonly app: App;
  readonly session: string;
  readonly userId: string | undefined;
  /** How long the reply may take. */
  readonly timeoutMs: number;
}

/**
 * Carries out each request of a session once, whichever process it reaches, and gives repeats its reply. A claim holds as
 * long as a reply would: if the process that carries it out dies, a repeat is answered that the outcome is not known.
 */
@Injectable()
export class RememberedReplies {
  private readonly logger = new Logger('Channels');
  private readonly startedAt = performance.now();

  constructor(
    private readonly keys: IdempotencyKeys,
    private readonly kept: KeptBytes,
  ) {
    kept.limit('keptReplies', rememberedMs / 1000);
  }

  /**
   * @param work never rejects
   * @throws Unavailable when shared state is away: the request was not carried out by this call
   */
  async once(asking: AskingSession, message: RequestMessage, work: () => Promise<Settled>): Promise<Settled> {
    const keyed = keyedRequest(asking, message);
    const until = performance.now() + asking.timeoutMs + graceMs;
    for (let pauseMs = 10; performance.now() < until; pauseMs = Math.min(2 * pauseMs, longestPauseMs)) {
      const found = await this.keys.claim(keyed);
      if (found.state === 'claimed') return this.first(asking.app, keyed, message, work);
      // Asked again, it may differ because its user has not signed in again yet.
      if (found.state === 'different') return message.again ? unknownOutcome : usedBefore;
      // Written by this class: the fingerprint is of a request.
      if (found.state === 'answered') return JSON.parse(found.answer) as Settled;
      await pause(pauseMs);
    }
    return unknownOutcome;
  }

  private async first(app: App, keyed: KeyedRequest, { again }: RequestMessage, work: () => Promise<Settled>) {
    if (!this.kept.hasRoom(app, 'keptReplies', besideReply)) return this.give(keyed, tooMuchKept);
    if (again && this.mayHaveForgotten) return this.give(keyed, unknownOutcome);
    const settled = await work();
    void this.remember(app, keyed, settled);
    return settled;
  }

  /** A store that ended with an earlier process does not know what that process carried out. */
  private get mayHaveForgotten(): boolean {
    return !this.keys.outlivesProcesses && performance.now() - this.startedAt < rememberedMs;
  }

  private async give(keyed: KeyedRequest, settled: Settled): Promise<Settled> {
    await this.keys.release(keyed);
    return settled;
  }

  /** Without room, or if it cannot be stored, a repeat is answered that the outcome is not known. */
  private async remember(app: App, keyed: KeyedRequest, settled: Settled): Promise<void> {
    const text = JSON.stringify(settled);
    const bytes = besideReply + Buffer.byteLength(text);
    if (!this.kept.hasRoom(app, 'keptReplies', bytes)) return;
    this.kept.add(app, 'keptReplies', bytes);
    try {
      await this.keys.answer(keyed, text);
    } catch (error) {
      this.logger.warn(`The reply to a request of app ${app.id} was not stored: ${String(error)}`);
    }
  }
}

const usedBefore: Settled = { status: 422, message: 'The id was used for another request' };
const tooMuchKept: Settled = { status: 429, message: 'Too much is kept for the app' };

/** Apart from the keys of triggers, so that neither takes the place of the other. */
function keyedRequest(
  { app, session, userId }: AskingSession,
  { id, channel, name, data }: RequestMessage,
): KeyedRequest {
  const print = hash('sha256', JSON.stringify([channel, name, data, userId]));
  return {
    appId: `requests of ${app.id}`,
    key: `${session} ${id}`,
    print,
    claimId: randomUUID(),
    keepMs: rememberedMs,
  };
}
