import { Injectable } from '@nestjs/common';
import { historyRuleOf } from '../app/history-rule.js';
import type { RememberedEvent } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import * as frames from '../protocol/frames.js';
import { cachedEvent, isStreamed } from './cached-event.js';
import { Replay } from '../wings/sessions/replay.js';
import { rosterText } from './roster-text.js';
import type { Answered, Entered } from './subscription-state.js';

/**
 * Writes the answer to a subscription: its confirmation, then what the client lacks, which are missed events, the texts
 * of streams, and the cached event.
 */
@Injectable()
export class SubscriptionAnswer {
  constructor(
    private readonly hub: Hub,
    private readonly replay: Replay,
  ) {}

  /** Each text is written once the one before it has been sent. */
  async *textsFor(connection: Connection, entered: Entered): AsyncGenerator<string, Answered, void> {
    const { subscription, missed, roster, streams } = entered;
    const { name } = subscription.channel;
    yield roster ? frames.presenceSucceeded(name, rosterText(roster.members)) : frames.subscriptionSucceeded(name);
    const replayed = missed && (yield* this.replay.missedTexts(connection, name, missed, streams && isStreamed));
    const said = streams?.catchUp();
    if (said) yield* said.texts;
    let cached = cachedEvent(entered, replayed);
    if (cached === 'none') yield frames.cacheMiss(name);
    // It came after the subscription began, and is among the held messages.
    else if (cached && this.hub.isPending(connection, name, cached.position)) cached = undefined;
    else if (cached) yield textOf(connection, name, cached);
    return { ...entered, replayedTo: replayed?.to, streamedTo: said?.to, cached };
  }
}

/** Events of channels with a history carry their position. */
const textOf = ({ app }: Connection, channel: string, { text, position }: RememberedEvent): string =>
  historyRuleOf(app, channel) ? frames.placed(text, position) : text;
