import { Injectable } from '@nestjs/common';
import type { Within } from 'rookery/jobs';
import {
  type Added,
  type Backlog,
  type Cancelled,
  type ClaimedPublish,
  type DeviceOutcome,
  dueAtOf,
  type Lane,
  type LaneChange,
  laneName,
  type OnceKey,
  type OutcomePage,
  type OutcomeQuery,
  type Publish,
  PublishOutbox,
  type PublishPlace,
  type PublishRecord,
  type Retry,
  type Saved,
  type WaitingRetries,
} from 'rookery/publish';
import { type Document, DocumentStore, folder, ordered, path } from '../store/document.store.js';
import { Transaction } from '../store/transaction.js';
import {
  cancelled,
  firstDue,
  heldBy,
  type Part,
  type Progress,
  withLane,
  withoutPart,
  withPart,
  withRange,
} from './publish-progress.js';

type Accepted = OnceKey & { readonly publishId: string };
type Outcome = DeviceOutcome & { readonly at: number };
type WaitingRetry = Retry & { readonly lane: string };

const publishPath = (id: string) => path('publishes', id);
const progressPath = (id: string) => path('publish-progress', id);
const retriesOf = (id: string) => folder('publish-retries', id);
const outcomesOf = (id: string) => folder('publish-outcomes', id);
const allOutcomes = folder('publish-outcomes');
const queue = folder('publish-queue');
const finished = folder('publish-finished');
const keys = folder('publish-keys');
const pageSize = 1000;

/** The newest come first, and of one moment those with the greatest ids. */
const placeOf = ({ instanceId, createdAt, id }: PublishPlace & Pick<Publish, 'instanceId'>): string =>
  folder('publishes-of', instanceId) + ordered(1e15 - createdAt) + path(inverted(id));

/** The same text with its order turned round; ids are of small letters, digits and `-`. */
const inverted = (id: string): string => Buffer.from(Buffer.from(id).map((byte) => 255 - byte)).toString('hex');

/**
 * A document for each publish, one for how far it is, and one for its place in the queue, by when it is due first. Who
 * holds a publish or a range of it stands in its progress: every write of an owner reads it, and is not made where
 * somebody else has become the owner meanwhile.
 */
@Injectable()
export class StoredPublishOutbox extends PublishOutbox {
  constructor(private readonly store: DocumentStore) {
    super();
  }

  /** Within a transaction of the host's own work on the same store, it is committed with that. */
  async add(publish: Publish, once?: OnceKey, within?: Within): Promise<Added> {
    const { transaction, committed } = within ?? {};
    const work = (documents: Transaction) => this.adding(documents, publish, once);
    if (!transaction) return this.store.transact(work);
    if (!(transaction instanceof Transaction)) throw new TypeError('This is no transaction of the DocumentStore');
    if (committed) transaction.onCommit(committed);
    return work(transaction);
  }

  private async adding(documents: Transaction, publish: Publish, once?: OnceKey): Promise<Added> {
    const key = once && keys + path(publish.instanceId, once.key);
    const first = key && (await documents.get<Accepted>(key));
    if (once && first && first.expiresAt > publish.createdAt) {
      const outcome = first.fingerprint === once.fingerprint ? 'repeated' : 'conflict';
      return { outcome, publishId: first.publishId };
    }
    if (key) documents.set(key, { ...once, publishId: publish.id });
    documents.set(publishPath(publish.id), publish);
    documents.set(placeOf(publish), publish.id);
    put(documents, publish.id, undefined, { lanes: [], parts: [{ dueAt: dueAtOf(publish) }] });
    return { outcome: 'added', publishId: publish.id };
  }

  async claim(owner: string, now: number, leaseMs: number, except: readonly string[] = []) {
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: readonly Document<string>[] = await this.store.list<string>(queue, after, pageSize);
      for (const { id, value } of page) {
        if (id >= queue + ordered(now + 1)) return undefined;
        const claimed = except.includes(value) ? undefined : await this.claimOne(value, owner, now, leaseMs);
        if (claimed) return claimed;
      }
      after = page.at(-1)?.id.slice(queue.length);
    }
    return undefined;
  }

  async renew(owner: string, publishId: string, leasedUntil: number): Promise<boolean> {
    const renewed = await this.change(publishId, owner, async (progress, held) => [
      withPart(progress, { ...held, dueAt: leasedUntil }),
      true,
    ]);
    return renewed ?? false;
  }

  async save(owner: string, publishId: string, lane: Lane, change?: LaneChange): Promise<Saved> {
    const saved = await this.change<Saved>(publishId, owner, async (progress, { range }, documents) => {
      if (range !== lane.from) return [progress, 'lost'];
      const retries = folder('publish-retries', publishId, laneName(lane));
      for (const deviceId of change?.settled ?? []) documents.remove(retries + path(deviceId));
      for (const retry of change?.again ?? [])
        documents.set(retries + path(retry.deviceId), { ...retry, lane: laneName(lane) } satisfies WaitingRetry);
      const { at = 0, devices = [] } = change?.outcomes ?? {};
      for (const device of devices)
        documents.set(outcomesOf(publishId) + path(device.deviceId), { ...device, at } satisfies Outcome);
      const next = withLane(progress, lane);
      const answer = progress.isWanted ? 'wanted' : 'saved';
      return [
        change?.handedOver ? withRange(next, change.handedOver) : next,
        progress.cancelledAt !== undefined ? 'cancelled' : change?.handedOver ? 'saved' : answer,
      ];
    });
    return saved ?? 'lost';
  }

  cancel(instanceId: string, publishId: string, now: number): Promise<Cancelled> {
    return this.store.transact(async (documents) => {
      const publish = await documents.get<Publish>(publishPath(publishId));
      const progress = await documents.get<Progress>(progressPath(publishId));
      if (publish?.instanceId !== instanceId || !progress) return 'unknown';
      if (progress.cancelledAt !== undefined) return 'cancelled';
      if (progress.finishedAt !== undefined) return 'finished';
      put(documents, publishId, progress, cancelled(progress, now));
      return 'cancelled';
    });
  }

  async retries(publishId: string, lane: string, now: number, limit: number): Promise<readonly Retry[]> {
    const waiting = await this.store.list<WaitingRetry>(folder('publish-retries', publishId, lane));
    return waiting
      .map(({ value: { deviceId, attempts, dueAt } }) => ({ deviceId, attempts, dueAt }))
      .filter(({ dueAt }) => dueAt <= now)
      .toSorted((one, other) => one.dueAt - other.dueAt)
      .slice(0, limit);
  }

  async waiting(publishId: string): Promise<readonly WaitingRetries[]> {
    const lanes = new Map<string, WaitingRetries>();
    for (const { value } of await this.store.list<WaitingRetry>(retriesOf(publishId))) {
      const { lane, dueAt } = value;
      const before = lanes.get(lane) ?? { count: 0, dueAt };
      lanes.set(lane, { lane, count: before.count + 1, dueAt: Math.min(before.dueAt, dueAt) });
    }
    return [...lanes.values()];
  }

  async release(owner: string, publishId: string, dueAt: number): Promise<void> {
    await this.change(publishId, owner, async (progress, { range }) => [
      withPart(progress, { range, dueAt: progress.cancelledAt ?? dueAt }),
      true,
    ]);
  }

  async ask(now: number, leaseMs: number): Promise<void> {
    const isHeld = ({ owner, dueAt = 0 }: Part) => owner !== undefined && dueAt > now && dueAt <= now + leaseMs;
    for (const { value: id } of await this.store.list<string>(queue))
      await this.store.transact(async (documents) => {
        const progress = await documents.get<Progress>(progressPath(id));
        if (progress?.parts.some(isHeld)) documents.set(progressPath(id), { ...progress, isWanted: true });
      });
  }

  leave(owner: string, publishId: string, leasedUntil: number): Promise<readonly Lane[] | undefined> {
    return this.change<readonly Lane[] | undefined>(publishId, owner, async (progress, held) => {
      const left = withoutPart(progress, held);
      const isLast = left.parts.every(({ dueAt }) => dueAt === undefined);
      return isLast ? [withPart(left, { owner, dueAt: leasedUntil }), left.lanes] : [left, undefined];
    });
  }

  async finish(owner: string, publishId: string, now: number): Promise<boolean> {
    const isFinished = await this.change(publishId, owner, async (progress, { range }, documents) => {
      if (range !== undefined) return [progress, false];
      for (const { id } of await documents.list(retriesOf(publishId))) documents.remove(id);
      documents.set(finished + path(ordered(now), publishId), publishId);
      return [{ ...progress, parts: [{}], finishedAt: now }, true];
    });
    return isFinished ?? false;
  }

  async backlog(now: number): Promise<Backlog> {
    const due = (await this.store.list<string>(queue)).filter(({ id }) => id < queue + ordered(now + 1));
    if (!due[0]) return { publishes: 0 };
    return { publishes: due.length, oldestDueAt: Number(due[0].id.slice(queue.length).split('/')[0]) };
  }

  find(instanceId: string, publishId: string): Promise<PublishRecord | undefined> {
    return this.store.transact(async (documents) => {
      const publish = await documents.get<Publish>(publishPath(publishId));
      const progress = await documents.get<Progress>(progressPath(publishId));
      if (publish?.instanceId !== instanceId || !progress) return undefined;
      const { finishedAt } = progress;
      return { ...claimOf(publish, progress, progress.lanes), ...(finishedAt === undefined ? {} : { finishedAt }) };
    });
  }

  async knows(instanceId: string, publishId: string): Promise<boolean> {
    return (await this.store.read<Publish>(publishPath(publishId)))?.value.instanceId === instanceId;
  }

  async latest(instanceId: string, limit: number, after?: PublishPlace): Promise<readonly Publish[]> {
    const of = folder('publishes-of', instanceId);
    const from = after ? placeOf({ ...after, instanceId }).slice(of.length) : '';
    const named = await this.store.list<string>(of, from, limit);
    const found = await Promise.all(named.map(({ value }) => this.store.read<Publish>(publishPath(value))));
    return found.flatMap((document) => (document ? [document.value] : []));
  }

  async finishedBefore(time: number, limit: number): Promise<readonly string[]> {
    const earliest = await this.store.list<string>(finished, '', limit);
    return earliest.filter(({ id }) => id < finished + ordered(time)).map(({ value }) => value);
  }

  async forget(publishIds: readonly string[]): Promise<void> {
    for (const id of publishIds)
      await this.store.transact(async (documents) => {
        const progress = await documents.get<Progress>(progressPath(id));
        if (progress) put(documents, id, progress, { ...progress, parts: [] });
        if (progress?.finishedAt !== undefined) documents.remove(finished + path(ordered(progress.finishedAt), id));
        const publish = await documents.get<Publish>(publishPath(id));
        if (publish) documents.remove(placeOf(publish));
        for (const each of [publishPath(id), progressPath(id)]) documents.remove(each);
        for (const list of [retriesOf(id), outcomesOf(id)])
          for (const each of await documents.list(list)) documents.remove(each.id);
      });
  }

  async outcomes(publishId: string, { after, limit, outcome }: OutcomeQuery): Promise<OutcomePage> {
    const page = await this.store.list<Outcome>(outcomesOf(publishId), after, limit);
    const devices = page
      .filter(({ value }) => value.outcome === (outcome ?? value.outcome))
      .map(({ value }) => outcomeOf(value));
    return page.length < limit ? { devices } : { devices, next: page.at(-1)!.value.deviceId };
  }

  async forgetOutcomes(before: number): Promise<number> {
    for (let after: string | undefined = ''; after !== undefined;) {
      const page: readonly Document<Outcome>[] = await this.store.list<Outcome>(allOutcomes, after, pageSize);
      const old = page.filter(({ value }) => value.at < before).map(({ id }) => ({ id }));
      await this.store.commit(new Map(), old);
      if (old.length > 0) return old.length;
      after = page.at(-1)?.id.slice(allOutcomes.length);
    }
    return 0;
  }

  async forgetKeys(now: number): Promise<void> {
    for (const { id, version, value } of await this.store.list<Accepted>(keys))
      if (value.expiresAt <= now) await this.store.commit(new Map([[id, version]]), [{ id }]);
  }

  private claimOne(publishId: string, owner: string, now: number, leaseMs: number) {
    return this.store.transact(async (documents): Promise<ClaimedPublish | undefined> => {
      const progress = await documents.get<Progress>(progressPath(publishId));
      const part = progress && firstDue(progress);
      // Somebody else was quicker.
      if (!part || part.dueAt > now) return undefined;
      put(documents, publishId, progress, withPart(progress, { ...part, owner, dueAt: now + leaseMs }));
      const publish = await documents.get<Publish>(publishPath(publishId));
      return (
        publish &&
        claimOf(
          publish,
          progress,
          progress.lanes.filter(({ from }) => from === part.range),
        )
      );
    });
  }

  /** What an owner does with what it holds: the fence. @returns undefined where the owner holds nothing */
  private change<Answer>(
    publishId: string,
    owner: string,
    work: (progress: Progress, held: Part, documents: Transaction) => Promise<readonly [Progress, Answer]>,
  ): Promise<Answer | undefined> {
    return this.store.transact(async (documents) => {
      const progress = await documents.get<Progress>(progressPath(publishId));
      const held = progress && heldBy(progress, owner);
      if (!held) return undefined;
      const [next, answer] = await work(progress, held, documents);
      put(documents, publishId, progress, next);
      return answer;
    });
  }
}

/** Sets how far a publish is, and moves it in the queue. */
function put(documents: Transaction, id: string, before: Progress | undefined, after: Progress): void {
  const [from, to] = [before && firstDue(before), firstDue(after)];
  if (from) documents.remove(queue + path(ordered(from.dueAt), id));
  if (to) documents.set(queue + path(ordered(to.dueAt), id), id);
  documents.set(progressPath(id), after);
}

const outcomeOf = ({ deviceId, outcome, reason }: Outcome): DeviceOutcome => ({
  deviceId,
  outcome,
  ...(reason === undefined ? {} : { reason }),
});

const claimOf = (publish: Publish, { cancelledAt }: Progress, lanes: readonly Lane[]): ClaimedPublish => ({
  publish,
  lanes,
  ...(cancelledAt === undefined ? {} : { cancelledAt }),
});
