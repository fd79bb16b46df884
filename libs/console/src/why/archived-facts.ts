import { Injectable } from '@nestjs/common';
import type { Activity } from '../contract/index.js';
import { eventIn } from '../watch/activity.js';
import { silentMs, TraceArchive } from '../watch/trace-archive.js';
import type { Step } from '../watch/trace-answers.js';
import { type DeliveryFacts, maxSockets, type SocketFacts, type WhyQuestion } from '../watch/delivery-facts.js';

/** What the archive has of one connection. */
interface Archived {
  readonly node: string;
  readonly steps: Step[];
}

/** What the archive has of a question. */
interface Found {
  event: Activity | null;
  /** When the event was delivered, by process. */
  readonly passed: Map<string, NonNullable<SocketFacts['passed']>>;
  readonly sockets: Map<string, Archived>;
  /** Since when the archive has all steps, by process. */
  readonly since: Map<string, number>;
  /** The end of the last block, by process. */
  readonly until: Map<string, number>;
}

/** Adds what was archived, by processes that run and by earlier ones, to what the processes still know. */
@Injectable()
export class ArchivedFacts {
  constructor(private readonly archive: TraceArchive) {}

  /** @param missing how many processes did not answer */
  async addedTo(
    answers: readonly DeliveryFacts[],
    question: WhyQuestion,
    missing: number,
  ): Promise<readonly DeliveryFacts[]> {
    if (!this.archive.isOn) return answers;
    const found = await this.find(question);
    const sinceOf = (node: string, since: number): number => Math.min(since, found.since.get(node) ?? since);
    const known = new Set(answers.flatMap(({ sockets }) => sockets.map(({ socketId }) => socketId)));
    const own = answers.map((each) => ({
      ...each,
      since: sinceOf(each.node, each.since),
      sockets: each.sockets.map((facts) => ({
        ...facts,
        steps: inOrder([...(found.sockets.get(facts.socketId)?.steps ?? []), ...facts.steps]),
        since: sinceOf(each.node, facts.since),
        passed: facts.passed ?? found.passed.get(each.node) ?? null,
      })),
    }));
    const others = [...found.sockets].filter(([socketId]) => !known.has(socketId)).slice(-maxSockets);
    const [first, ...rest] = own;
    if (!first) return own;
    const sent = own.find(({ event }) => event)?.event ?? found.event;
    const running = new Set(answers.map(({ node }) => node));
    const former = others.map(([socketId, { node, steps: archived }]): SocketFacts => {
      const until = found.until.get(node) ?? Infinity;
      const hasEnded = missing === 0 && !running.has(node) && sent !== null && sent.at > until + silentMs;
      const steps = inOrder(archived);
      return {
        socketId,
        userId: steps.find(({ activity }) => activity.userId !== undefined)?.activity.userId ?? null,
        isOpen: false,
        isSubscribed: false,
        connectedAt: null,
        steps: hasEnded ? withEnd(steps, { node, at: until, socketId }) : steps,
        since: found.since.get(node) ?? first.since,
        passed: found.passed.get(node) ?? null,
      };
    });
    return [{ ...first, event: first.event ?? found.event, sockets: [...first.sockets, ...former] }, ...rest];
  }

  private async find({ appId, event, socketId, userId = '' }: WhyQuestion): Promise<Found> {
    const found: Found = { event: null, passed: new Map(), sockets: new Map(), since: new Map(), until: new Map() };
    const sockets = socketId === undefined ? await this.socketsOf(appId, userId) : [socketId];
    const channel = eventIn(event)?.channel;
    const complete = new Set<string>();
    for await (const { node, since, until, hasGap, lines } of this.archive.blocks([event, ...sockets])) {
      if (!found.until.has(node)) found.until.set(node, until);
      if (!complete.has(node)) found.since.set(node, since);
      if (hasGap) complete.add(node);
      for (const line of lines) {
        if (line.appId !== appId) continue;
        if ('event' in line) {
          if (line.event.id !== event) continue;
          if (line.isSent) found.event = line.event;
          if (line.passed) found.passed.set(node, line.passed);
        } else {
          const { activity } = line.step;
          const id = activity.socketId ?? '';
          if (!sockets.includes(id) || (activity.channel !== undefined && activity.channel !== channel)) continue;
          const archived = found.sockets.get(id) ?? { node, steps: [] };
          found.sockets.set(id, archived);
          archived.steps.push(line.step);
        }
      }
    }
    return found;
  }

  private async socketsOf(appId: string, userId: string): Promise<readonly string[]> {
    const found = new Set<string>();
    for await (const { lines } of this.archive.blocks([userId]))
      for (const line of lines)
        if (line.appId === appId && 'step' in line && line.step.activity.userId === userId)
          found.add(line.step.activity.socketId ?? '');
    // The latest were found first.
    return [...found].slice(0, maxSockets).toReversed();
  }
}

/** A process that is killed closes nothing: its connections have ended with it, if no step says so. */
function withEnd(
  steps: readonly Step[],
  end: Pick<Activity, 'node' | 'at'> & { readonly socketId: string },
): readonly Step[] {
  if (steps.some(({ activity }) => activity.kind === 'disconnected')) return steps;
  const last = steps.findLast(({ activity: { kind } }) => kind === 'subscribed' || kind === 'unsubscribed')?.activity;
  const channels = last?.kind === 'subscribed' && last.channel !== undefined ? [last.channel] : [];
  const message = 'Its process ended';
  const activity: Activity = { ...end, id: `${end.node}-end`, kind: 'disconnected', code: null, message };
  return [...steps, { order: Infinity, activity, channels }];
}

/** Each once: what was archived last may still be in the trace. */
function inOrder(steps: readonly Step[]): readonly Step[] {
  const byId = new Map(steps.map((step) => [step.activity.id, step]));
  return [...byId.values()].toSorted((one, other) => one.order - other.order);
}
