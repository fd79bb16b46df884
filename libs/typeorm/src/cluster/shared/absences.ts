import { randomUUID } from 'node:crypto';
import { GroupedCalls } from './grouped-calls.js';
import type { SharedDatabase } from './shared-database.js';

/** A channel, whose user is empty, or a member of a room: the lane, and the names as they are stored. */
type Absentee = readonly [lane: number, appId: string, name: string, userId: string];

interface Answer {
  readonly answer: boolean;
}

/** Asks for the absences of a kind, and confirms them; see `lane-functions.ts`. */
export class Absences {
  private readonly holding: GroupedCalls<Answer>;
  private readonly confirming: GroupedCalls<Answer>;

  constructor(
    shared: SharedDatabase,
    private readonly kind: 'channel' | 'member',
  ) {
    const types = '(int, text, text, text, text, bigint, text)';
    this.holding = new GroupedCalls(shared, `rookery_holds${types}`);
    this.confirming = new GroupedCalls(shared, `rookery_confirm${types}`);
  }

  async holds([lane, ...names]: Absentee, version: number, nodeId: string): Promise<boolean> {
    const { answer } = await this.holding.insist([lane, this.kind, ...names, version, nodeId]);
    return answer;
  }

  /** Repeated, the call is the same. */
  async confirm([lane, ...names]: Absentee, version: number): Promise<boolean> {
    const { answer } = await this.confirming.insist([lane, this.kind, ...names, version, randomUUID()]);
    return answer;
  }
}
