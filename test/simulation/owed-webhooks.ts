import type { Item } from '../../apps/server/src/workers/rpc-link.js';
import type { ReceivedEvent } from './receiver.js';

/** The name of a channel, or of a member of it. */
export const subjectOf = (channel: string, user?: string): string =>
  user === undefined ? channel : `${channel} ${user}`;

type Call = Extract<Item, readonly [number, string, ...unknown[]]>;

/**
 * The webhooks that a node owes: the store has answered that it is the one to send them, and has not got them yet. A
 * node that dies in this instant loses them, as docs/scaling.md says, so the model cannot expect them.
 */
export class OwedWebhooks {
  readonly subjects = new Set<string>();
  private readonly calls = new Map<number, Call>();

  /** Messages of the node have arrived at the store. */
  asked(items: readonly Item[]): void {
    for (const item of items) {
      if (!isCall(item)) continue;
      if (item[1] === 'jobs' && item[2] === 'add')
        this.stored(item[3][0] as readonly { readonly data: { readonly body: string } }[]);
      else if (item[1] === 'channels' || item[1] === 'presence') this.calls.set(item[0], item);
    }
  }

  /** The store answers. */
  answered(items: readonly Item[]): void {
    for (const [id, answer] of items) {
      const call = this.calls.get(-id);
      this.calls.delete(-id);
      if (call) this.isTold(call, answer);
    }
  }

  private isTold([, , method, args]: Call, answer: unknown): void {
    const { change, isFirst, isReturn } = (answer ?? {}) as Answer;
    if (method === 'occupy' && change?.to === 'occupied' && !change.isReturn) this.subjects.add(args[1] as string);
    if (method === 'confirmVacated' && answer === true) this.subjects.add(args[1] as string);
    const room = (args[0] as { readonly name?: string }).name ?? '';
    if (method === 'join' && isFirst && !isReturn)
      this.subjects.add(subjectOf(room, (args[2] as { readonly userId: string }).userId));
    if (method === 'confirmAbsent' && answer === true) this.subjects.add(subjectOf(room, args[1] as string));
  }

  private stored(jobs: readonly { readonly data: { readonly body: string } }[]): void {
    for (const { data } of jobs)
      for (const { channel, user_id: user } of (JSON.parse(data.body) as { events: ReceivedEvent[] }).events)
        this.subjects.delete(subjectOf(channel, user));
  }
}

interface Answer {
  readonly change?: { readonly to: string; readonly isReturn?: true };
  readonly isFirst?: boolean;
  readonly isReturn?: true;
}

const isCall = (item: Item): item is Call => typeof item[3] === 'object';
