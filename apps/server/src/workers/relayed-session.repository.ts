import type { Found } from 'rookery/common';
import { type SavedSession, type SessionChanges, type SessionName, SessionRepository } from 'rookery/channels';
import type { Far, Link } from './link.js';

/** What clients of the workers of a machine have got, kept by the process that started them. */
export class RelayedSessionRepository extends SessionRepository {
  private readonly far: Far<SessionRepository>;

  constructor(link: Link) {
    super();
    this.far = link.far('sessions');
  }

  open(session: SessionName, socketId: string, seconds: number): Promise<Found<SavedSession>> {
    return this.far.open(session, socketId, seconds);
  }

  save(session: SessionName, socketId: string, changes: SessionChanges, seconds: number) {
    return this.far.save(session, socketId, changes, seconds);
  }
}
