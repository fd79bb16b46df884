import { Injectable, Optional } from '@nestjs/common';
import {
  buriedAtOnce,
  type ClaimedJob,
  type DeadJob,
  type DeadJobCounts,
  type DeadJobLimits,
  deadPlace,
  type Death,
  type FreshJob,
  type Job,
  type JobBacklog,
  type JobClaim,
  JobStore,
  noTransaction,
  placeOf,
  type Within,
} from 'rookery/jobs';
import { type Document, DocumentStore, folder, ordered, path } from '../store/document.store.js';
import type { Transaction } from '../store/transaction.js';

interface Waiting {
  readonly job: Job;
  /** Later for what was added later. */
  readonly order: number;
  /** Where it is in the queue: when it may be handed out next, then its order. */
  readonly place: string;
  /** The claim that got it last, unless it has come back since. */
  readonly claimId?: string;
  /** When it is due at the latest, once it is given back. */
  readonly dueBy?: number;
}

/** A place in the queue, with what has to be known before the job is read. */
interface Place extends Pick<Job, 'id' | 'key'> {
  /** Until its place is due. */
  readonly isHeld: boolean;
}

type Ending = (waiting: Waiting, documents: Transaction) => Promise<void>;

const pageSize = 100;

/**
 * A document for each job, and one for its place in the queue, where the earliest due is the first. A claim moves a job
 * to the end of its lease: if its holder dies, it is found there.
 */
@Injectable()
export class StoredJobStore extends JobStore {
  private lastOrder = 0;
  private readonly queue: string;

  constructor(
    private readonly store: DocumentStore,
    @Optional() private readonly name = 'webhooks',
  ) {
    super();
    this.queue = folder(name, 'queue');
  }

  /** A queue of its own: each module runs, counts and lists its own jobs. */
  static named(name: string) {
    return { inject: [DocumentStore], useFactory: (store: DocumentStore) => new StoredJobStore(store, name) };
  }

  async add(jobs: readonly Job[], within?: Within): Promise<{ readonly dropped: number }> {
    if (within) throw noTransaction('StoredJobStore', 'a JobStore that writes in that transaction');
    await this.store.transact((documents) => this.adding(documents, jobs));
    return { dropped: 0 };
  }

  /** As `add`, together with a record. */
  async adding(documents: Transaction, jobs: readonly Job[]): Promise<void> {
    for (const job of jobs)
      if (!(await documents.get(this.byId(job.id)))) this.enqueue(documents, job, job.dueAt, this.nextOrder());
  }

  /** As `done`, together with a record; answers whether the claim held the job. */
  ending(documents: Transaction, job: ClaimedJob): Promise<boolean> {
    return this.endIn(documents, job, async () => undefined);
  }

  /** Whether the claim holds the job, at the commit of this transaction. */
  async isHeld(documents: Transaction, { id, claimId }: ClaimedJob): Promise<boolean> {
    return (await documents.get<Waiting>(this.byId(id)))?.claimId === claimId;
  }

  /** A job that no claim holds. */
  async unheld(documents: Transaction, id: string): Promise<Job | undefined> {
    const waiting = await documents.get<Waiting>(this.byId(id));
    return waiting?.claimId === undefined ? waiting?.job : undefined;
  }

  /** Makes a job due at `at`, together with a record: one that is held, once it is given back. */
  async hurrying(documents: Transaction, id: string, at: number): Promise<void> {
    const waiting = await documents.get<Waiting>(this.byId(id));
    if (!waiting) return;
    if (waiting.claimId !== undefined) return documents.set(this.byId(id), { ...waiting, dueBy: at });
    documents.remove(waiting.place);
    this.enqueue(documents, { ...waiting.job, dueAt: at }, at, waiting.order);
  }

  async claim(claim: JobClaim): Promise<readonly ClaimedJob[]> {
    const claimed: ClaimedJob[] = [];
    const perKey = new Map<string, number>();
    for (let after: string | undefined = ''; after !== undefined && claimed.length < claim.limit;) {
      const page: Awaited<ReturnType<StoredJobStore['due']>> = await this.due(claim.now, after);
      for (const { id: place, value } of page.places) {
        const count = perKey.get(value.key) ?? 0;
        if (claimed.length === claim.limit) break;
        if (claim.busy.has(value.key) || count >= claim.perKey) continue;
        const job = await this.take(value.id, place, claim);
        if (!job) continue;
        claimed.push({ ...job, claimId: claim.id });
        perKey.set(value.key, count + 1);
      }
      after = page.next;
    }
    return claimed;
  }

  async renew(job: ClaimedJob, leasedUntil: number): Promise<boolean> {
    return this.end(job, async (waiting, documents) =>
      this.enqueue(documents, waiting.job, leasedUntil, waiting.order, job.claimId),
    );
  }

  async done(job: ClaimedJob): Promise<void> {
    await this.end(job, async () => undefined);
  }

  async retry(job: ClaimedJob, dueAt: number, state = job.state): Promise<void> {
    await this.end(job, async (waiting, documents) => {
      const at = Math.min(dueAt, waiting.dueBy ?? Infinity);
      this.enqueue(documents, { ...waiting.job, dueAt: at, state }, at, waiting.order);
    });
  }

  async bury(job: ClaimedJob, death: Death, limits: DeadJobLimits): Promise<void> {
    await this.end(job, (waiting, documents) => this.keepDead(documents, { job: waiting.job, ...death }, limits));
  }

  async size(): Promise<number> {
    return (await this.store.list<Place>(this.queue)).length;
  }

  async backlog(now: number): Promise<JobBacklog> {
    const places = await this.store.list<Place>(this.queue);
    const due = places.filter(({ id }) => id < this.queue + ordered(now + 1));
    const dueKeys = new Set(due.map(({ value }) => value.key)).size;
    const [first] = due;
    return { dueKeys, ...(first && { oldestDueAt: dueAtOf(first.id.slice(this.queue.length)) }) };
  }

  async buryBeyond(most: number, death: Death, limits: DeadJobLimits): Promise<number> {
    const places = await this.store.list<Place>(this.queue);
    const due = this.queue + ordered(death.diedAt + 1);
    const byKey = new Map<string, Document<Place>[]>();
    for (const place of places)
      if (!place.value.isHeld || place.id < due)
        byKey.set(place.value.key, [...(byKey.get(place.value.key) ?? []), place]);
    const [fullest = []] = [...byKey.values()].toSorted((one, other) => other.length - one.length);
    const count = Math.min(places.length - most, Math.ceil(fullest.length / 2), buriedAtOnce);
    let buried = 0;
    for (const place of fullest.slice(0, Math.max(0, count)))
      if (await this.takeOut(place.value.id, place.id, death, limits)) buried += 1;
    return buried;
  }

  async dead(owner: string, after: string, limit: number): Promise<readonly DeadJob[]> {
    return (await this.store.list<DeadJob>(this.deadOf(owner), after, limit)).map(({ value }) => value);
  }

  /** Reads them all: a store that lists backwards would not have to. */
  async latestDead(owner: string, before: string, limit: number): Promise<readonly DeadJob[]> {
    const all = (await this.dead(owner, '', Infinity)).toReversed();
    return all.filter((dead) => before === '' || placeOf(dead) < before).slice(0, limit);
  }

  async deadCounts(owner: string): Promise<DeadJobCounts> {
    const [kept, dropped] = await Promise.all([
      this.store.list(this.deadOf(owner)),
      this.store.read<number>(this.droppedOf(owner)),
    ]);
    return { kept: kept.length, dropped: dropped?.value ?? 0 };
  }

  async resend(owner: string, ids: readonly string[], fresh: FreshJob): Promise<number> {
    return this.store.transact(async (documents) => {
      const all = await this.changedDead(documents, owner);
      const named = all.filter(({ value }) => ids.includes(value.job.id));
      for (const { id, value } of named) {
        documents.remove(id);
        this.enqueue(documents, { ...value.job, ...fresh }, fresh.dueAt, this.nextOrder());
      }
      if (named.length === all.length) documents.remove(this.droppedOf(owner));
      return named.length;
    });
  }

  /** Places that are due, from `after` on, and where to go on. */
  private async due(now: number, after: string) {
    const page = await this.store.list<Place>(this.queue, after, pageSize);
    const places = page.filter(({ id }) => id < this.queue + ordered(now + 1));
    return { places, next: places.length === pageSize ? places.at(-1)?.id.slice(this.queue.length) : undefined };
  }

  /** @returns undefined where another claim was quicker */
  private take(id: string, place: string, { id: claimId, now, leaseMs }: JobClaim) {
    return this.store.transact(async (documents) => {
      const waiting = await documents.get<Waiting>(this.byId(id));
      if (waiting?.place !== place) return undefined;
      documents.remove(place);
      this.enqueue(documents, waiting.job, now + leaseMs, waiting.order, claimId);
      return waiting.job;
    });
  }

  /** @returns whether it was still in that place */
  private takeOut(id: string, place: string, death: Death, limits: DeadJobLimits) {
    return this.store.transact(async (documents) => {
      const waiting = await documents.get<Waiting>(this.byId(id));
      if (waiting?.place !== place) return false;
      documents.remove(this.byId(id));
      documents.remove(place);
      await this.keepDead(documents, { job: waiting.job, ...death }, limits);
      return true;
    });
  }

  private async keepDead(documents: Transaction, dead: DeadJob, limits: DeadJobLimits): Promise<void> {
    const { id, owner } = dead.job;
    const all = await this.changedDead(documents, owner);
    // One of this id is an earlier one: it has been sent again since.
    const others = all.filter(({ value }) => value.job.id !== id);
    const fresh = this.deadOf(owner) + path(placeOf(dead));
    const oldest = this.deadOf(owner) + deadPlace(dead.diedAt - limits.keepMs);
    const newestFirst = [...others, { id: fresh, value: dead }].toSorted((one, other) => (one.id < other.id ? 1 : -1));
    let bytes = 0;
    const kept = newestFirst
      .filter(({ id }, index) => id >= oldest && index < limits.most)
      .filter(({ value }) => (bytes += JSON.stringify(value.job.data).length) <= limits.maxBytes);
    const ids = new Set(kept.map((each) => each.id));
    for (const { id: known } of all) if (!ids.has(known)) documents.remove(known);
    if (ids.has(fresh)) documents.set(fresh, dead);
    const dropped = newestFirst.length - kept.length;
    if (dropped === 0) return;
    documents.set(this.droppedOf(owner), ((await documents.get<number>(this.droppedOf(owner))) ?? 0) + dropped);
  }

  /** Takes a job out, unless another claim has it by now. Answers whether it did. */
  private end(job: ClaimedJob, work: Ending): Promise<boolean> {
    return this.store.transact((documents) => this.endIn(documents, job, work));
  }

  private async endIn(documents: Transaction, { id, claimId }: ClaimedJob, work: Ending): Promise<boolean> {
    const waiting = await documents.get<Waiting>(this.byId(id));
    if (waiting?.claimId !== claimId) return false;
    documents.remove(this.byId(id));
    documents.remove(waiting.place);
    await work(waiting, documents);
    return true;
  }

  /** Greater than all before, even those of an earlier process. */
  private nextOrder(): number {
    return (this.lastOrder = Math.max(this.lastOrder + 1, Date.now() * 1000));
  }

  private byId(id: string): string {
    return path(this.name, 'jobs', id);
  }

  private deadOf(owner: string): string {
    return folder(this.name, 'dead-jobs', owner);
  }

  private droppedOf(owner: string): string {
    return path(this.name, 'dropped-dead-jobs', owner);
  }

  private enqueue(documents: Transaction, job: Job, from: number, order: number, claimId?: string): void {
    const { id, key } = job;
    const place = this.queue + path(ordered(from), ordered(order), id);
    documents.set(place, { id, key, isHeld: claimId !== undefined } satisfies Place);
    const waiting = { job, order, place, ...(claimId === undefined ? {} : { claimId }) };
    documents.set(this.byId(id), waiting satisfies Waiting);
  }

  /** The dead jobs of an owner: all changes write one document, so that none comes in between. */
  private async changedDead(documents: Transaction, owner: string): Promise<readonly Document<DeadJob>[]> {
    const changes = path(this.name, 'dead-job-changes', owner);
    documents.set(changes, ((await documents.get<number>(changes)) ?? 0) + 1);
    return documents.list<DeadJob>(this.deadOf(owner));
  }
}

/** Every place begins with it. */
const dueAtOf = (place: string): number => Number(place.split('/')[0]);
