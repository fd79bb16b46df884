import { Injectable } from '@nestjs/common';
import { Apps } from '../access/apps.js';
import type { AppOrId } from '../app/app.js';
import { historyOf } from '../app/history-rule.js';
import { Broker, type Position } from '../broker/broker.js';
import { badRequest, invalidChannel, noHistory } from '../channels.errors.js';
import { ChannelsSettings } from '../channels.options.js';
import { parseChannelName } from '../protocol/channel-name.js';

/** An event of a channel's history, as the API returns it. */
export interface PastEvent {
  readonly position: Position;
  readonly name: string;
  readonly data: string;
  /** The sending user; set on client events of presence channels. */
  readonly user_id?: string;
}

/** A page of a channel's history, as the API returns it. */
export interface PastEvents {
  readonly events: readonly PastEvent[];
  /** Whether no event is missing between the requested position, or the beginning, and the first event. */
  readonly complete: boolean;
  /** The position to continue from: that of the last event, or the current one if there is none. */
  readonly position: Position;
}

const defaultLimit = 100;
const maxEvents = 1000;

/** Reads the histories of channels. */
@Injectable()
export class HistoryService {
  constructor(
    private readonly apps: Apps,
    private readonly broker: Broker,
    private readonly settings: ChannelsSettings,
  ) {}

  /**
   * The events after a position, the earliest first (api § GET /apps/<app_id>/channels/<channel_name>/events).
   * @throws RookeryError `app_not_found`; ChannelsApiError 400 for a channel without a history
   */
  async read(named: AppOrId, name: string, query: { after?: unknown; limit?: unknown } = {}): Promise<PastEvents> {
    const app = await this.apps.named(named);
    const channel = parseChannelName(name, this.settings.limits);
    if (!channel) throw invalidChannel(name);
    if (!historyOf(app, channel.name, this.settings.limits)) throw noHistory(name);
    const after = positionOf(query.after);
    const page = await this.broker.history(app.id, channel.name, pageLimitIn(query.limit), after);
    const events = page.events.map(({ position, text }) => ({ position, ...fieldsOf(text) }));
    return { events, complete: page.isComplete, position: events.at(-1)?.position ?? page.now };
  }
}

function positionOf(after: unknown): Position | undefined {
  if (after === undefined || after === '') return undefined;
  if (typeof after !== 'string' || !/^[\x21-\x7e]{1,100}$/.test(after))
    throw badRequest('after must be the position of an event');
  return after;
}

/** The rows of a page that a request asks for: 1 to 1000. @throws ChannelsApiError 400 */
export function pageLimitIn(limit: unknown): number {
  if (limit === undefined || limit === '') return defaultLimit;
  const number = typeof limit === 'string' && /^\d{1,4}$/.test(limit) ? Number(limit) : limit;
  if (typeof number === 'number' && Number.isInteger(number) && number >= 1 && number <= maxEvents) return number;
  throw badRequest(`limit must be a whole number from 1 to ${maxEvents}`);
}

/** Reads an event's text, which we wrote ourselves. */
function fieldsOf(text: string): Omit<PastEvent, 'position'> {
  const { event, data, user_id } = JSON.parse(text) as { event: string; data: string; user_id?: string };
  return { name: event, data, ...(user_id === undefined ? {} : { user_id }) };
}
