import { describe, expect, it } from 'vitest';
import {
  type DeadLetter,
  type DeadLetterLimits,
  type FreshTries,
  MemoryWebhookOutbox,
  type WebhookBacklog,
  type WebhookClaim,
  type WebhookDelivery,
  webhookDelivery,
} from 'rookery/common';
import { TypeOrmWebhookOutbox } from 'rookery/typeorm';
import { describeDatabases } from '../support/databases.js';
import { describeWebhookOutbox } from 'rookery/testing';
import { brokenPromises } from './broken-promises.js';

describe('MemoryWebhookOutbox', () => {
  describeWebhookOutbox(() => new MemoryWebhookOutbox());
});

describeDatabases('TypeOrmWebhookOutbox', ({ database }) => {
  describeWebhookOutbox(async () => {
    await database().execute('DELETE FROM rookery_webhooks');
    await database().execute('DELETE FROM rookery_dead_webhooks');
    return new TypeOrmWebhookOutbox(database());
  });

  it('keeps the queues of two modules apart', async () => {
    await database().execute('DELETE FROM rookery_webhooks');
    const queues = ['push', 'channels'].map((name) => TypeOrmWebhookOutbox.named(name).useFactory(database()));
    const deliveries = ['push', 'channels'].map((owner) =>
      webhookDelivery({ owner, url: 'https://example.com', headers: {}, body: owner }, 1),
    );
    for (const [index, queue] of queues.entries()) await queue.add(deliveries.slice(index, index + 1));
    const claim = { id: 'claim', now: 1, limit: 9, perEndpoint: 9, busy: new Set<string>(), leaseMs: 1 };
    for (const [index, queue] of queues.entries()) expect(await queue.claim(claim)).toEqual([deliveries[index]]);
  });
});

class ClaimsTwice extends MemoryWebhookOutbox {
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    return super.claim({ ...claim, leaseMs: 0 });
  }
}
class ForgetsLeases extends MemoryWebhookOutbox {
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    return super.claim({ ...claim, leaseMs: Infinity });
  }
}
class IgnoresBusy extends MemoryWebhookOutbox {
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    return super.claim({ ...claim, busy: new Set() });
  }
}
class IgnoresTheShareOfAnEndpoint extends MemoryWebhookOutbox {
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    return super.claim({ ...claim, perEndpoint: Infinity });
  }
}
class HandsOutTooEarly extends MemoryWebhookOutbox {
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    return super.claim({ ...claim, now: claim.now + 1 });
  }
}
/** As a query with a limit would, that is filtered afterwards. */
class LooksOnlyAtTheFirst extends MemoryWebhookOutbox {
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    return super.claim({ ...claim, busy: new Set() }).filter(({ endpoint }) => !claim.busy.has(endpoint));
  }
}
class LastFirst extends MemoryWebhookOutbox {
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    return super.claim(claim).toReversed();
  }
}
class KeepsAllDelays extends MemoryWebhookOutbox {
  override retry(id: string, claimId: string, dueAt: number): void {
    super.retry(id, claimId, dueAt, [1000, 2000]);
  }
}
class RetriesAtOnce extends MemoryWebhookOutbox {
  override retry(id: string, claimId: string, _dueAt: number, delays: readonly number[]): void {
    super.retry(id, claimId, 0, delays);
  }
}
class NeverDone extends MemoryWebhookOutbox {
  override done(): void {}
}
class KnowsNoFence extends MemoryWebhookOutbox {
  private readonly holders = new Map<string, string>();
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    const found = super.claim(claim);
    for (const { id } of found) this.holders.set(id, claim.id);
    return found;
  }
  override done(id: string): void {
    super.done(id, this.holders.get(id) ?? '');
  }
}
class AddsAgain extends MemoryWebhookOutbox {
  override add(deliveries: readonly WebhookDelivery[]): { readonly dropped: number } {
    return super.add(deliveries.map((delivery, index) => ({ ...delivery, id: `${delivery.id} ${index}` })));
  }
}

class BuriesNothing extends MemoryWebhookOutbox {
  override bury(id: string, claimId: string): void {
    super.done(id, claimId);
  }
}
class BuriesForAnybody extends MemoryWebhookOutbox {
  private readonly seen = new Map<string, WebhookDelivery>();
  override claim(claim: WebhookClaim): readonly WebhookDelivery[] {
    const found = super.claim(claim);
    for (const delivery of found) this.seen.set(delivery.id, delivery);
    return found;
  }
  override bury(id: string, claimId: string, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): void {
    super.add([this.seen.get(id)!]);
    super.claim({ id: claimId, now: Infinity, limit: 1, perEndpoint: 1, busy: new Set(), leaseMs: 1 });
    super.bury(id, claimId, death, limits);
  }
}
class KeepsAllLetters extends MemoryWebhookOutbox {
  override bury(id: string, claimId: string, death: Omit<DeadLetter, 'delivery'>): void {
    super.bury(id, claimId, death, { most: Infinity, keepMs: Infinity });
  }
}
class ShowsLettersOfAll extends MemoryWebhookOutbox {
  override deadLetters(_owner: string, after: string, limit: number): readonly DeadLetter[] {
    return ['app', 'other'].flatMap((owner) => super.deadLetters(owner, after, limit));
  }
}
class KnowsNoPages extends MemoryWebhookOutbox {
  override deadLetters(owner: string): readonly DeadLetter[] {
    return super.deadLetters(owner, '', Infinity);
  }
}
class ResendsOfAnybody extends MemoryWebhookOutbox {
  override resend(_owner: string, ids: readonly string[], tries: FreshTries): number {
    return ['app', 'other'].reduce((sum, owner) => sum + super.resend(owner, ids, tries), 0);
  }
}
class ResendsTwice extends MemoryWebhookOutbox {
  override resend(owner: string, ids: readonly string[], tries: FreshTries): number {
    const letters = super.deadLetters(owner, '', Infinity).filter(({ delivery }) => ids.includes(delivery.id));
    super.add(letters.map(({ delivery }) => ({ ...delivery, ...tries })));
    return letters.length;
  }
}
class ResendsWithOldTries extends MemoryWebhookOutbox {
  override resend(owner: string, ids: readonly string[], { dueAt, expiresAt }: FreshTries): number {
    return super.resend(owner, ids, { dueAt, expiresAt, retryDelaysMs: [] });
  }
}

class CountsOnlyWhatIsDue extends MemoryWebhookOutbox {
  override backlog(now: number): WebhookBacklog {
    const backlog = super.backlog(now);
    return { ...backlog, webhooks: backlog.oldestDueAt === undefined ? 0 : backlog.webhooks };
  }
}
class CountsTheAgeOfAll extends MemoryWebhookOutbox {
  override backlog(now: number): WebhookBacklog {
    return { oldestDueAt: now, ...super.backlog(now) };
  }
}
class BuriesTooMuch extends MemoryWebhookOutbox {
  override buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): number {
    return super.buryBeyond(most - 1, death, limits);
  }
}
class BuriesOneOnly extends MemoryWebhookOutbox {
  private isDone = false;
  override buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): number {
    const buried = this.isDone ? 0 : super.buryBeyond(most, death, limits);
    this.isDone ||= buried > 0;
    return buried;
  }
}
/** As one would that drops what is too much. */
class DropsInsteadOfBurying extends MemoryWebhookOutbox {
  override buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): number {
    return super.buryBeyond(most, death, { ...limits, most: 0 });
  }
}
class BuriesTheEarliestOfAll extends MemoryWebhookOutbox {
  override buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): number {
    if (super.backlog(death.diedAt).webhooks <= most) return 0;
    const claim = { id: 'bury', now: Infinity, limit: 1, perEndpoint: 1, busy: new Set<string>(), leaseMs: 1 };
    const [first] = super.claim(claim);
    if (first) super.bury(first.id, 'bury', death, limits);
    return first ? 1 : 0;
  }
}
/** As if those under way could be taken back. */
class BuriesWhatIsHeld extends MemoryWebhookOutbox {
  override buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): number {
    super.backlog(Infinity);
    return super.buryBeyond(most, death, limits);
  }
}
class KeepsAllOfTheTooMany extends MemoryWebhookOutbox {
  override buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>): number {
    return super.buryBeyond(most, death, { most: Infinity, keepMs: Infinity });
  }
}
class BuriesMoreAtEachCall extends MemoryWebhookOutbox {
  override buryBeyond(_most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): number {
    return super.buryBeyond(0, death, limits);
  }
}

const countsAll = 'tells how much is in the queue, and since when the first that nobody holds has been due';
const buriesTheFullest = 'buries what is too much: the earliest of the endpoint that has the most, and no more';

describe('the contract of WebhookOutbox rejects an implementation that', () => {
  it.each([
    [ClaimsTwice, 'hides what is claimed until the lease is over'],
    [ForgetsLeases, 'hides what is claimed until the lease is over'],
    [IgnoresBusy, 'hands out nothing of a busy endpoint, however much of it waits'],
    [IgnoresBusy, 'tells the endpoints of two owners apart, though their URL is the same'],
    [IgnoresTheShareOfAnEndpoint, 'hands out no more than it may of one endpoint, and finds the others behind it'],
    [HandsOutTooEarly, 'answers nothing when nothing is due'],
    [LooksOnlyAtTheFirst, 'hands out nothing of a busy endpoint, however much of it waits'],
    [LastFirst, 'hands out the earliest due first, and the equally due in the order they were added'],
    [KeepsAllDelays, 'makes a delivery due again, with the delays that are left and nothing else changed'],
    [RetriesAtOnce, 'makes a delivery due again, with the delays that are left and nothing else changed'],
    [NeverDone, 'never hands out again what is done'],
    [AddsAgain, 'leaves a delivery that it knows as it is'],
    [KnowsNoFence, 'lets nobody end what another claim has by now'],
    [BuriesNothing, 'keeps what is buried as a dead letter, out of the queue'],
    [BuriesForAnybody, 'buries for nobody what another claim has by now, or what is gone'],
    [KeepsAllLetters, 'keeps so many dead letters of an owner, and lets the oldest go'],
    [KeepsAllLetters, 'lets dead letters go that died too long before'],
    [ShowsLettersOfAll, 'lists the dead letters of an owner alone, the oldest first, page by page'],
    [KnowsNoPages, 'lists the dead letters of an owner alone, the oldest first, page by page'],
    [ResendsOfAnybody, 'sends a dead letter again once, however many ask, and nobody else has it'],
    [ResendsTwice, 'sends a dead letter again once, however many ask, and nobody else has it'],
    [ResendsWithOldTries, 'sends dead letters again as they were, with fresh tries, in the order in which they died'],
    [CountsOnlyWhatIsDue, countsAll],
    [CountsTheAgeOfAll, countsAll],
    [BuriesTooMuch, buriesTheFullest],
    [BuriesOneOnly, buriesTheFullest],
    [DropsInsteadOfBurying, buriesTheFullest],
    [BuriesTheEarliestOfAll, buriesTheFullest],
    [BuriesWhatIsHeld, 'buries nothing that a claim holds, and what is put off like all else'],
    [BuriesMoreAtEachCall, 'buries what is too much once, however many do'],
    [KeepsAllOfTheTooMany, 'keeps so many dead letters of those that are too many, and no other'],
  ])('%o: %s', async (Broken, promise) => {
    expect(await brokenPromises(describeWebhookOutbox, () => new Broken())).toContain(promise);
  });
});
