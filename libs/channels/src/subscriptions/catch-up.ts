import { Injectable } from '@nestjs/common';
import { historyRuleOf } from '../app/history-rule.js';
import type { RememberedEvent } from '../broker/broker.js';
import type { Connection } from '../connections/connection.js';
import { Hub } from '../hub/hub.js';
import * as frames from '../protocol/frames.js';
import { cachedEvent, isStreamed } from './cached-event.js';
import { Replay } from './replay.js';
import type { CaughtUp, Entered } from './subscription-state.js';

/** Sends a confirmed client what it lacks: missed events, then the texts of streams, then the cached event. */
@Injectable()
export class CatchUp {
  constructor(
    private readonly hub: Hub,
    private readonly replay: Replay,
  ) {}

  async sendTo(connection: Connection, entered: Entered): Promise<CaughtUp> {
    const { subscription, missed, streams } = entered;
    const { name } = subscription.channel;
    const replayed = missed && (await this.replay.send(connection, name, missed, streams && isStreamed));
    const said = streams?.catchUp();
    if (said) await this.replay.sendAll(connection, said.texts);
    const cached = cachedEvent(entered, replayed, ({ position }) => this.hub.isPending(connection, name, position));
    if (cached === 'none') connection.send(frames.cacheMiss(name));
    else if (cached) connection.send(textOf(connection, name, cached));
    return { ...entered, replayedTo: replayed?.to, streamedTo: said?.to, cached };
  }
}

/** Events of channels with a history carry their position. */
const textOf = ({ app }: Connection, channel: string, { text, position }: RememberedEvent): string =>
  historyRuleOf(app, channel) ? frames.placed(text, position) : text;
