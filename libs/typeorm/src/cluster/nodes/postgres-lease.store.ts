import { Injectable } from '@nestjs/common';
import { type LeaseRenewal, LeaseStore, type NodeDescription } from 'rookery/internal/channels';
import { lanes, SharedDatabase, sharing } from '../shared/shared-database.js';
import { Membership } from './membership.js';

interface RenewalRow {
  readonly state: LeaseRenewal['state'];
  readonly alive: number;
  readonly epoch: string;
  readonly age_ms: string;
  readonly is_next: boolean;
  readonly has_dead: boolean;
}

/** Lanes of channels and of rooms. */
const allLanes = 2 * lanes;

/** The leases in PostgreSQL. */
@Injectable()
export class PostgresLeaseStore extends LeaseStore {
  readonly name = 'PostgreSQL';
  readonly scope = 'on the same database';
  readonly settings = sharing;
  /** By the latest renewal: as a rule there is none, and nothing to claim. */
  private mayHaveDead = true;

  constructor(
    private readonly shared: SharedDatabase,
    private readonly membership: Membership,
  ) {
    super();
  }

  get breaks(): number {
    return this.shared.breaks;
  }

  async renew(nodeId: string, about: NodeDescription, knownEpoch: string): Promise<LeaseRenewal> {
    const leaseMs = this.settings.leaseSeconds * 1000;
    const [row] = await this.shared.run<RenewalRow>(
      'SELECT state, alive, epoch, age_ms, is_next, has_dead FROM rookery_renew_lease(?, ?, ?, ?, ?)',
      [nodeId, allLanes, leaseMs, JSON.stringify(about), knownEpoch],
    );
    const { state, alive, epoch, age_ms, is_next, has_dead } = row!;
    this.mayHaveDead = has_dead;
    // It may not have noticed that the database was away: it was stopped itself.
    if (knownEpoch !== '' && (epoch !== knownEpoch || state === 'new')) this.shared.ledgerIsUnknown();
    if (state !== 'dying') this.membership.counted(alive);
    return { state, alive, epoch, ageMs: Number(age_ms), isNext: is_next };
  }

  async claimDead(nodeId: string): Promise<string | undefined> {
    if (!this.mayHaveDead) return undefined;
    const [row] = await this.shared.run<{ readonly dead: string | null }>('SELECT rookery_claim_dead(?, ?) AS dead', [
      nodeId,
      allLanes,
    ]);
    return row!.dead ?? undefined;
  }

  async bury(deadId: string): Promise<void> {
    await this.shared.run('DELETE FROM rookery_nodes WHERE id = ?', [deadId]);
  }

  async end(nodeId: string): Promise<void> {
    await this.shared.run('UPDATE rookery_nodes SET ends_at = 0 WHERE id = ?', [nodeId]);
  }

  async others(nodeId: string): Promise<readonly NodeDescription[]> {
    const rows = await this.shared.read<{ readonly about: string }>('SELECT about FROM rookery_nodes WHERE id <> ?', [
      nodeId,
    ]);
    return rows.map(({ about }) => JSON.parse(about) as NodeDescription);
  }

  onReconnect(reconnected: () => Promise<void>): void {
    this.shared.onReconnect(reconnected);
  }

  onTakenForDead(takenForDead: () => void): void {
    this.shared.onTakenForDead(takenForDead);
  }

  ledgerIsBack(completeAt: number, breaks: number): void {
    this.shared.ledgerIsBack(completeAt, breaks);
  }

  close(): void {
    this.shared.close();
  }
}
