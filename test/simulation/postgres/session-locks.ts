type Mode = 'exclusive' | 'shared';

interface Waiting<Session> {
  readonly session: Session;
  readonly granted: () => void;
}

const work = {
  pg_try_advisory_lock: 'try',
  pg_advisory_lock_shared: 'share',
  pg_advisory_unlock: 'unlock',
  pg_advisory_unlock_shared: 'unlock',
} as const;

/** What a statement does with the lock; undefined for other statements. */
export function lockWorkOf(text: string): (typeof work)[keyof typeof work] | undefined {
  const [, name] = /^SELECT (pg_\w*advisory_\w+)\(\d+\)/.exec(text) ?? [];
  if (name === undefined) return undefined;
  if (!(name in work)) throw new Error(`The simulated PostgreSQL does not know ${name}`);
  return work[name as keyof typeof work];
}

/** The advisory lock of sessions that processes share: the backend has but one session. Waiting is in order. */
export class SessionLock<Session extends object> {
  private readonly held = new Map<Session, Mode>();
  private waiting: Waiting<Session>[] = [];

  isHeldBy(session: Session): boolean {
    return this.held.has(session);
  }

  /** Takes it exclusively if nobody has it. */
  try(session: Session): boolean {
    if ([...this.held.keys()].some((other) => other !== session)) return false;
    this.held.set(session, 'exclusive');
    return true;
  }

  share(session: Session, granted: () => void): void {
    this.waiting.push({ session, granted });
    this.grant();
  }

  /** Also of a session that has ended. */
  release(session: Session): void {
    this.held.delete(session);
    this.waiting = this.waiting.filter((each) => each.session !== session);
    this.grant();
  }

  private grant(): void {
    if ([...this.held.values()].includes('exclusive')) return;
    for (const { session, granted } of this.waiting.splice(0)) {
      this.held.set(session, 'shared');
      granted();
    }
  }
}
