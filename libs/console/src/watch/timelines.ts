import { Injectable } from '@nestjs/common';
import { OpenConnections, type ShownConnectionInFull } from 'rookery/internal/channels';
import type { Activity, OwnTimeline } from '../contract/index.js';
import { PastSubscriptions } from './past-subscriptions.js';
import { type Recorded, type RecordedEvent, Trace } from './trace.js';
import { TraceAnswers } from './trace-answers.js';

/** How many of the latest events are searched. None of them is parsed, so a search stays short. */
const maxSearched = 50_000;

interface Asked {
  readonly appId: string;
  readonly open: readonly ShownConnectionInFull[];
  /** Also those that have ended. */
  readonly sockets: ReadonlySet<string>;
  readonly userId?: string;
  readonly most: number;
}

/** What this process still knows that connections did, sent and received. */
@Injectable()
export class Timelines {
  constructor(
    private readonly trace: Trace,
    private readonly answers: TraceAnswers,
    private readonly connections: OpenConnections,
  ) {}

  /** Null: another process has the connection, or none. */
  ofConnection(appId: string, socketId: string, most: number): OwnTimeline | null {
    const connection = this.connections.find(appId, socketId);
    return connection ? this.of({ appId, open: [connection], sockets: new Set([socketId]), most }) : null;
  }

  ofUser(appId: string, userId: string, most: number): OwnTimeline {
    const open = this.connections.ofUser(appId, userId);
    const sockets = new Set([...open.map(({ socketId }) => socketId), ...this.answers.socketsOf(appId, userId)]);
    return this.of({ appId, open, sockets, userId, most });
  }

  private of(asked: Asked): OwnTimeline {
    const { appId, most } = asked;
    const { since, requestsSince, eventsSince, skippedAt, isOn } = this.trace;
    if (!isOn) return { activities: [], completeSince: null };
    const steps = this.stepsOf(asked);
    const subscriptions = new PastSubscriptions(asked.open, signInsOf(steps));
    const activities: Activity[] = [];
    let completeSince = Math.max(since, requestsSince, eventsSince, skippedAt);
    let [nextStep, searched, isCut] = [0, 0, false];
    const tell = (kept: Recorded | RecordedEvent, direction?: Activity['direction']): void => {
      const activity = this.answers.made(kept);
      activities.push(direction ? { ...activity, direction } : activity);
    };
    /** Tells the steps after that count, the latest first. */
    const tellSteps = (count: number): void => {
      for (let step = steps[nextStep]; step && step.order > count; step = steps[++nextStep]) {
        tell(step);
        subscriptions.undo(step);
      }
    };
    for (const event of this.trace.events.backwards()) {
      if (activities.length >= most) {
        isCut = true;
        break;
      }
      if (++searched > maxSearched) {
        completeSince = Math.max(completeSince, event.at);
        break;
      }
      if (event.appId !== appId) continue;
      tellSteps(event.order);
      const direction = directionOf(event, asked.sockets, subscriptions);
      if (direction) tell(event, direction);
    }
    tellSteps(-1);
    const shown = activities.slice(0, most);
    if (isCut || shown.length < activities.length) completeSince = Math.max(completeSince, shown.at(-1)!.at);
    return { activities: shown, completeSince };
  }

  /** With their requests; the latest first. */
  private stepsOf({ appId, sockets, userId }: Asked): readonly Recorded[] {
    const isOwn = (each: { readonly socketId?: string; readonly userId?: string | undefined }): boolean =>
      sockets.has(each.socketId ?? '') || (userId !== undefined && each.userId === userId);
    const kept = (['steps', 'requests'] as const).flatMap((kind) => [
      ...this.trace.recorded(kind, (each) => each.appId === appId && isOwn(each)),
    ]);
    return kept.toSorted((one, other) => other.order - one.order);
  }
}

/** The user that each connection was signed in as. */
function signInsOf(steps: readonly Recorded[]): ReadonlyMap<string, string> {
  const users = new Map<string, string>();
  for (const { observed } of steps)
    if (observed.kind === 'signed_in') users.set(observed.socketId ?? '', observed.userId ?? '');
  return users;
}

/** Undefined: the event has nothing to do with the connections. */
function directionOf(
  { isOfClient, isPassed, except, text }: RecordedEvent,
  sockets: ReadonlySet<string>,
  subscriptions: PastSubscriptions,
): Activity['direction'] {
  if (isOfClient && sockets.has(except)) return 'sent';
  return isPassed && subscriptions.has(channelIn(text), except) ? 'received' : undefined;
}

const beforeChannel = '"channel":"';

/** The channel of an event, without parsing the rest: quotes in its texts are escaped, and a channel's name has none. */
function channelIn(text: string): string {
  const from = text.indexOf(beforeChannel) + beforeChannel.length;
  return text.slice(from, text.indexOf('"', from));
}
