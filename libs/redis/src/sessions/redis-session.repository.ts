import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import {
  hasSaved,
  mayPredate,
  type SavedSession,
  type SessionChanges,
  type SessionName,
  SessionRepository,
  type StoreAge,
} from 'rookery/channels';
import { integer, list, oneOf, text } from '../connection/answers.js';
import { RedisConnection } from '../connection/redis.connection.js';
import { partitionOf, word } from '../keys.js';
import { age, open, save } from './scripts.js';

/** The clients' sessions, in Redis. Both calls are idempotent, and wait for Redis. */
@Injectable()
export class RedisSessionRepository extends SessionRepository implements OnApplicationBootstrap {
  static readonly port = SessionRepository;

  /** When Redis began to keep sessions, as this process has last read it. */
  private since = '';

  constructor(private readonly redis: RedisConnection) {
    super();
  }

  /** Begins the age of an empty Redis before the first client; later, a process that knows it notices another one. */
  async onApplicationBootstrap(): Promise<void> {
    // If Redis is away, the first session begins it.
    await this.storeAge().catch(() => undefined);
  }

  async open(
    session: SessionName,
    socketId: string,
    seconds: number,
    earlier?: readonly string[],
  ): Promise<SavedSession | undefined> {
    const args = [socketId, milliseconds(seconds), ...(earlier ? [earlier.join(' ')] : [])];
    const answer = await this.redis.insist(open, [this.keyOf(session)], args, { evenIncomplete: true });
    const saved = savedOf(list(answer).map(text));
    if ((saved && hasSaved(saved)) || !mayPredate(session, await this.storeAge(), seconds)) return saved;
    return { socketIds: [], positions: [], ...saved, isLost: true };
  }

  async save(session: SessionName, socketId: string, { positions, userId = '' }: SessionChanges, seconds: number) {
    const changes = positions.flatMap(([channel, position]) => [channel, position ?? '']);
    const args = [socketId, milliseconds(seconds), userId, ...changes];
    const answer = await this.redis.insist(save, [this.keyOf(session)], args, { evenIncomplete: true });
    return oneOf(['saved', 'taken', 'forgotten'], answer);
  }

  private async storeAge(): Promise<StoreAge> {
    const keys = ['sessions-since', 'sessions-replaced'].map((name) => this.redis.keys.ofNodes(name));
    const [since, ms, isReplacement] = list(await this.redis.insist(age, keys, [this.since], { evenIncomplete: true }));
    this.since = text(since);
    return { ms: integer(ms), isReplacement: integer(isReplacement) === 1 };
  }

  private keyOf({ appId, key, id }: SessionName): string {
    const name = `${word(appId)} ${word(key)} ${id}`;
    return `${this.redis.keys.in(partitionOf(name))}session:${name}`;
  }
}

const milliseconds = (seconds: number): number => Math.ceil(seconds * 1000);

/** @param fields alternating names and values */
function savedOf(fields: readonly string[]): SavedSession | undefined {
  if (fields.length === 0) return undefined;
  const positions: [string, string][] = [];
  const others = new Map<string, string>();
  for (let i = 0; i < fields.length; i += 2) {
    const [field, value] = [fields[i]!, fields[i + 1]!];
    if (field.startsWith('p:')) positions.push([field.slice(2), value]);
    else others.set(field, value);
  }
  const userId = others.get('u');
  const socketIds = (others.get('c') ?? '').trim().split(' ');
  return { socketIds, positions, ...(userId === undefined ? {} : { userId }) };
}
