import { Injectable } from '@nestjs/common';
import { answerMs, claimMs, IdempotencyKeys, type KeyedRequest, type KeyState } from 'rookery/channels';
import { stored } from '../shared/names.js';
import { SharedDatabase } from '../shared/shared-database.js';
import { keyFunctions, keyTables } from './key-functions.js';

interface Row {
  /** Null if another call has just deleted the key. */
  readonly print: string | null;
  readonly claim_id: string;
  readonly answer: string | null;
}

/** In PostgreSQL, for all processes: one statement before a trigger that has a key, and one after it. */
@Injectable()
export class PostgresIdempotencyKeys extends IdempotencyKeys {
  static readonly port = IdempotencyKeys;
  static readonly schema = {
    tables: keyTables,
    functions: keyFunctions,
    sweep: 'DELETE FROM rookery_idempotency_keys WHERE expires_at <= rookery_clock() / 1000',
  };

  override readonly outlivesProcesses = true;

  constructor(private readonly shared: SharedDatabase) {
    super();
  }

  /** @throws Unavailable when the database is away: nothing can be triggered then */
  async claim({ appId, key, print, claimId, keepMs = claimMs }: KeyedRequest): Promise<KeyState> {
    const [row] = await this.shared.run<Row>('SELECT print, claim_id, answer FROM rookery_claim_key(?, ?, ?, ?, ?)', [
      stored(appId),
      stored(key),
      print,
      claimId,
      keepMs,
    ]);
    const { print: known, claim_id: holder, answer } = row!;
    if (known === null) return { state: 'under way' };
    if (known !== print) return { state: 'different' };
    if (answer !== null) return { state: 'answered', answer };
    return { state: holder === claimId ? 'claimed' : 'under way' };
  }

  /** @throws Unavailable when the database is away for longer than processes wait */
  async answer({ appId, key, print, claimId, keepMs = answerMs }: KeyedRequest, answer: string): Promise<void> {
    await this.shared.insist('SELECT rookery_answer_key(?, ?, ?, ?, ?, ?)', [
      stored(appId),
      stored(key),
      print,
      claimId,
      keepMs,
      answer,
    ]);
  }

  /** @throws Unavailable when the database is away: the claim ends by itself then */
  async release({ appId, key, claimId }: KeyedRequest): Promise<void> {
    await this.shared.run('DELETE FROM rookery_idempotency_keys WHERE app_id = ? AND key = ? AND claim_id = ?', [
      stored(appId),
      stored(key),
      claimId,
    ]);
  }
}
