import { Injectable } from '@nestjs/common';
import { type SavedSession, type SessionChanges, type SessionName, SessionRepository } from 'rookery/channels';
import { path } from '../store/document.store.js';
import { LiveStore } from '../store/live.store.js';

const byName = ({ appId, key, id }: SessionName) => path('sessions', appId, key, id);
const keptSocketIds = 8;
const afterSeconds = (seconds: number): number => Date.now() + seconds * 1000;

/** A document for each session. What it says is worth as much as the Broker's history, so it is kept no longer. */
@Injectable()
export class StoredSessionRepository extends SessionRepository {
  constructor(private readonly store: LiveStore) {
    super();
  }

  /** The connection that opened last is the first of the session's socket ids: it alone may save. */
  open(session: SessionName, socketId: string, seconds: number): Promise<SavedSession | undefined> {
    return this.store.transact(async (documents) => {
      const saved = await documents.get<SavedSession>(byName(session));
      const socketIds = [socketId, ...(saved?.socketIds ?? [])].slice(0, keptSocketIds);
      documents.set(byName(session), { positions: [], ...saved, socketIds }, afterSeconds(seconds));
      return saved;
    });
  }

  save(session: SessionName, socketId: string, { positions, userId }: SessionChanges, seconds: number) {
    return this.store.transact(async (documents) => {
      const saved = await documents.get<SavedSession>(byName(session));
      if (!saved) return 'forgotten';
      if (saved.socketIds[0] !== socketId) return 'taken';
      const changed = new Map<string, string | null>([...saved.positions, ...positions]);
      const kept = [...changed].filter(([, position]) => position !== null);
      const next = { ...saved, positions: kept, ...(userId === undefined ? {} : { userId }) };
      documents.set(byName(session), next, afterSeconds(seconds));
      return 'saved';
    });
  }
}
