import type { ChannelOccupancy } from 'rookery/channels';
import type { PresenceChange } from 'rookery/presence';
import type { Item } from '../../apps/server/src/workers/rpc-link.js';
import type { Answered } from './announcements.js';
import { eventsIn } from './receiver.js';

/** The name of a channel, or of a member of it. */
export const subjectOf = (channel: string, user?: string): string =>
  user === undefined ? channel : `${channel} ${user}`;

type Call = Extract<Item, readonly [number, string, ...unknown[]]>;

/**
 * The webhooks that a node owes: the store has answered that it is the one to send them, and has not got them yet. A
 * node that dies in this instant loses them, as docs/reliability.md says, so the model cannot expect them. Nor can it
 * expect that a webhook that the node has stored, and not yet confirmed, is sent once.
 */
export class OwedWebhooks {
  private readonly subjects = new Set<string>();
  /**
   * Subjects that it reported as gone, and that had returned before it could confirm the report. If they had left again
   * by then, no webhook reports their next return: see docs/reliability.md.
   */
  readonly returned = new Set<string>();
  /** Subjects that it is about to report as gone: whatever happens to them meanwhile, it does. */
  readonly leaving = new Set<string>();
  private readonly unconfirmed = new Set<string>();
  private readonly calls = new Map<number, Call>();

  /**
   * @param onGone called with each subject that a stored webhook says is gone, and whether the one before it, which said
   *   that it was back, is missing
   * @param onLeaving called with each subject that it is about to report as gone
   */
  constructor(
    private readonly onGone: (subject: string, isTwice: boolean) => void,
    private readonly onLeaving: (subject: string) => void,
  ) {}

  /** Messages of the node have arrived at the store. @param takes how many of so many webhooks it takes */
  asked(items: readonly Item[], takes: (count: number) => number): void {
    for (const item of items) {
      if (!isCall(item)) continue;
      if (item[1] === 'jobs' && item[2] === 'add') {
        const jobs = item[3][0] as readonly StoredJob[];
        this.stored(jobs.slice(0, takes(jobs.length)));
      } else if (changing.has(item[2])) this.calls.set(item[0], item);
    }
  }

  /** The store answers. */
  answered(items: readonly Item[]): void {
    for (const [id, answer, failure] of items) {
      const call = this.calls.get(-id);
      this.calls.delete(-id);
      if (call && failure === undefined) this.isTold(call, answer);
    }
  }

  /** The connection to the store broke: answers may be lost. */
  cut(): void {
    for (const subject of this.asking) this.unconfirmed.add(subject);
    this.calls.clear();
  }

  /** What is lost if the node dies now: also what its last calls were to be answered. */
  get lost(): ReadonlySet<string> {
    return new Set([...this.subjects, ...this.unconfirmed, ...this.asking]);
  }

  /** Whether it has something to report of a subject, or to confirm: what happens to the subject meanwhile is not told. */
  isAbout(subject: string): boolean {
    return this.subjects.has(subject) || this.leaving.has(subject) || this.unconfirmed.has(subject);
  }

  private get asking(): readonly string[] {
    const unsure = [...this.calls.values()].filter(([, , method]) => method !== 'say' && !method.startsWith('holds'));
    return unsure.map(subjectOfCall);
  }

  private isTold(call: Call, answer: unknown): void {
    if (call[2] === 'say') return this.says((answer as Answered<AnsweredChange>).changes);
    if (call[2].startsWith('holds')) return answer === true ? this.leaves(subjectOfCall(call)) : undefined;
    const { change, isFirst, isReturn } = (answer ?? {}) as Answer;
    const subject = subjectOfCall(call);
    const isConfirmed = call[2].startsWith('confirm');
    if (isConfirmed) this.unconfirmed.delete(subject);
    // The queue refuses it for so long that it is confirmed before it is stored, or it is lost with the node.
    if (isConfirmed && answer === true && this.leaving.delete(subject)) this.onGone(subject, true);
    const isNew = (change?.to === 'occupied' && !change.isReturn) || (isFirst === true && !isReturn);
    const hasReturned = isConfirmed && answer === false;
    // If it has returned meanwhile, the node says so.
    if (isNew || hasReturned) this.subjects.add(subject);
    if (hasReturned) this.returned.add(subject);
  }

  private leaves(subject: string): void {
    this.onLeaving(subject);
    this.leaving.add(subject);
  }

  /** The answer to an announcement. */
  private says(changes: readonly AnsweredChange[]): void {
    for (const { room, member, channel = room?.name ?? '', isPresent, isReturn, change } of changes)
      if ((isPresent && !isReturn) || (change?.to === 'occupied' && !change.isReturn))
        this.subjects.add(subjectOf(channel, member?.userId));
  }

  private stored(jobs: readonly StoredJob[]): void {
    for (const { name, channel, user_id: user } of eventsIn(jobs.map(({ data }) => data.body))) {
      const subject = subjectOf(channel, user);
      this.subjects.delete(subject);
      const isTwice = this.returned.delete(subject);
      if (name === 'channel_occupied' || name === 'member_added') continue;
      this.leaving.delete(subject);
      this.unconfirmed.add(subject);
      this.onGone(subject, isTwice);
    }
  }
}

interface StoredJob {
  readonly data: { readonly body: string };
}

interface Answer {
  readonly change?: { readonly to: string; readonly isReturn?: true };
  readonly isFirst?: boolean;
  readonly isReturn?: true;
}

type AnsweredChange = Partial<PresenceChange & ChannelOccupancy>;

const changing = new Set(['occupy', 'holdsVacancy', 'confirmVacated', 'join', 'holdsAbsence', 'confirmAbsent', 'say']);

function subjectOfCall([, , method, args]: Call): string {
  if (method === 'occupy' || method.endsWith('Vacated') || method === 'holdsVacancy') return args[1] as string;
  const { name } = args[0] as { readonly name: string };
  return subjectOf(name, method === 'join' ? (args[2] as { readonly userId: string }).userId : (args[1] as string));
}

const isCall = (item: Item): item is Call => typeof item[3] === 'object';
