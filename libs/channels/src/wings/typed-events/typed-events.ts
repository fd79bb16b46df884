import {
  type ChannelOf,
  type ChannelPattern,
  type DataDefinition,
  type EventDefinitions,
  type EventOf,
  patternsOf,
  type SentData,
} from '#events';
import type { AppOrId } from '../../app/app.js';
import { checkedData } from './checked-data.js';
import type { EventsService, TriggerAnswer, TriggerOptions } from '../../events/events.service.js';
import type { TriggerEvent } from '../../events/trigger-event.js';

/** An event's data, name or channel breaks its definition: nothing was sent. */
export class EventRefused extends Error {
  override readonly name = 'EventRefused';

  constructor(
    readonly channel: string,
    readonly event: string,
    /** Names the path of the fault, such as `data.items[0].price: …`. */
    readonly reason: string,
    options?: { readonly cause?: unknown },
  ) {
    super(`${event} on ${channel}: ${reason}`, options);
  }
}

/** The connection that an event excludes, the info to return, and the transaction in which it is triggered. */
export interface TypedTriggerOptions extends Pick<TriggerEvent, 'socket_id' | 'info'>, TriggerOptions {}

/** Triggers only the events that `defineEvents` of `@rookery/client/events` defined. */
export class TypedEvents<Events extends EventDefinitions> {
  private readonly defined: readonly (readonly [ChannelPattern, ReadonlyMap<string, DataDefinition>])[];

  private readonly app: AppOrId;

  /**
   * @param app default: the only configured app
   * @throws Error when there are several apps and none is named, when a pattern is invalid, or when a channel could
   *   match two of them
   */
  constructor(
    private readonly events: Pick<EventsService, 'trigger' | 'defaultApp'>,
    definitions: Events,
    app: AppOrId | undefined = events.defaultApp,
  ) {
    if (app === undefined) throw new Error('TypedEvents: which app? Write new TypedEvents(events, definitions, app)');
    this.app = app;
    this.defined = patternsOf(definitions).map((pattern) => [
      pattern,
      new Map(Object.entries(definitions[pattern.text]!)),
    ]);
  }

  /**
   * Triggers an event on one channel, or on several of one kind, if its data matches the definition.
   * @throws EventRefused when it does not match, or the channel or event is not defined
   * @throws ChannelsApiError as {@link EventsService.trigger}
   */
  async trigger<const Channel extends ChannelOf<Events>, Event extends EventOf<Events, Channel>>(
    channels: Channel | readonly Channel[],
    event: Event,
    data: SentData<Events, Channel, Event>,
    { within, ...options }: TypedTriggerOptions = {},
  ): Promise<TriggerAnswer> {
    const names: readonly string[] = typeof channels === 'string' ? [channels] : channels;
    const rules = new Set(names.map((name) => this.definitionOf(name, event)));
    const [first = ''] = names;
    if (rules.size > 1) throw new EventRefused(first, event, 'the channels match different definitions');
    let checked: unknown = data;
    for (const each of rules) checked = await dataFor(each, data, first, event);
    return this.events.trigger(this.app, { ...options, name: event, channels: names, data: checked }, { within });
  }

  private definitionOf(channel: string, event: string): DataDefinition {
    const [, named] = this.defined.find(([pattern]) => pattern.match(channel)) ?? [];
    if (!named) throw new EventRefused(channel, event, 'no events are defined for the channel');
    const definition = named.get(event);
    if (!definition) throw new EventRefused(channel, event, `the defined events are ${[...named.keys()].join(', ')}`);
    return definition;
  }
}

async function dataFor(rules: DataDefinition, data: unknown, channel: string, event: string): Promise<unknown> {
  try {
    return await checkedData(rules, data);
  } catch (error) {
    throw new EventRefused(channel, event, (error as Error).message, { cause: error });
  }
}
