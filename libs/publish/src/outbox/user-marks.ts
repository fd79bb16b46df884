import type { PublishTarget } from 'rookery/push-device';

const rank = '-fd';

/**
 * One mark for each user of an audience: `-` no device seen, `f` no gateway accepted, `d` delivered to the gateway of
 * at least one device. A string, so that it is small to store: a publish has at most 1000 users.
 */
export class UserMarks {
  private readonly index: ReadonlyMap<string, number>;
  private readonly marks: string[];

  constructor({ users = [] }: PublishTarget, saved: string) {
    this.index = new Map(users.map((user, index) => [user, index]));
    this.marks = saved.split('');
  }

  mark(user: string | undefined, mark: 'f' | 'd'): void {
    const index = user === undefined ? undefined : this.index.get(user);
    if (index !== undefined) this.marks[index] = better(this.marks[index], mark);
  }

  toString(): string {
    return this.marks.join('');
  }
}

/** Merges the marks of several partitions: the best of each user. */
export function bestMarks(partitions: readonly string[], users: number): string {
  const best = Array.from({ length: users }, (_, index) =>
    partitions.reduce((mark, partition) => better(mark, partition[index] ?? '-'), '-'),
  );
  return best.join('');
}

const better = (one = '-', other = '-'): string => (rank.indexOf(other) > rank.indexOf(one) ? other : one);
