import { Injectable } from '@nestjs/common';
import {
  outcomeFor,
  type SavedSession,
  type SessionChanges,
  type SessionConnections,
  type SessionName,
  SessionRepository,
  withConnection,
} from 'rookery/channels';
import { path } from '../store/document.store.js';
import { LiveStore } from '../store/live.store.js';

const byName = ({ appId, key, id }: SessionName) => path('sessions', appId, key, id);
const afterSeconds = (seconds: number): number => Date.now() + seconds * 1000;

type SessionDocument = SavedSession & SessionConnections;

/** A document for each session. What it says is worth as much as the Broker's history, so it is kept no longer. */
@Injectable()
export class StoredSessionRepository extends SessionRepository {
  constructor(private readonly store: LiveStore) {
    super();
  }

  open(
    session: SessionName,
    socketId: string,
    seconds: number,
    earlier?: readonly string[],
  ): Promise<SavedSession | undefined> {
    return this.store.transact(async (documents) => {
      const saved = await documents.get<SessionDocument>(byName(session));
      const socketIds = withConnection(saved?.socketIds ?? [], socketId, earlier);
      documents.set(byName(session), { positions: [], ...saved, socketIds }, afterSeconds(seconds));
      return saved;
    });
  }

  save(session: SessionName, socketId: string, { positions, userId }: SessionChanges, seconds: number) {
    return this.store.transact(async (documents) => {
      const saved = await documents.get<SessionDocument>(byName(session));
      if (!saved) return 'forgotten';
      const outcome = outcomeFor(saved, socketId);
      if (outcome !== 'saved') return outcome;
      const changed = new Map<string, string | null>([...saved.positions, ...positions]);
      const kept = [...changed].filter(([, position]) => position !== null);
      const holder = positions.length > 0 || userId !== undefined ? socketId : saved.holder;
      const next = { ...saved, holder, positions: kept, ...(userId === undefined ? {} : { userId }) };
      documents.set(byName(session), next, afterSeconds(seconds));
      return outcome;
    });
  }
}
