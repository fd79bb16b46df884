import { Injectable, Optional } from '@nestjs/common';
import {
  buriedAtOnce,
  type DeadLetter,
  type DeadLetterLimits,
  deadLetterPlace,
  type FreshTries,
  placeOf,
  type WebhookBacklog,
  type WebhookClaim,
  type WebhookDelivery,
  WebhookOutbox,
} from 'rookery/common';
import { type Document, DocumentStore, folder, ordered, path } from '../store/document.store.js';
import type { Transaction } from '../store/transaction.js';

interface Waiting {
  readonly delivery: WebhookDelivery;
  /** Later for what was added later. */
  readonly order: number;
  /** Where it is in the queue: when it may be handed out next, then its order. */
  readonly place: string;
  /** Who got it last, unless it has come back since. */
  readonly claimId?: string;
}

/** A place in the queue, with what has to be known before the delivery is read. */
interface Place extends Pick<WebhookDelivery, 'id' | 'endpoint'> {
  /** Until its place is due. */
  readonly isHeld: boolean;
}

const pageSize = 100;

/**
 * A document for each delivery, and one for its place in the queue, where the earliest due is the first. A claim moves a
 * delivery to the end of its lease: if its holder dies, it is found there.
 */
@Injectable()
export class StoredWebhookOutbox extends WebhookOutbox {
  private lastOrder = 0;
  private readonly queue: string;

  constructor(
    private readonly store: DocumentStore,
    @Optional() private readonly name = 'webhooks',
  ) {
    super();
    this.queue = folder(name, 'queue');
  }

  /** A queue of its own: each module sends, counts and lists what is its own. */
  static named(name: string) {
    return { inject: [DocumentStore], useFactory: (store: DocumentStore) => new StoredWebhookOutbox(store, name) };
  }

  async add(deliveries: readonly WebhookDelivery[]): Promise<{ readonly dropped: number }> {
    const orders = deliveries.map(() => this.nextOrder());
    await this.store.transact(async (documents) => {
      for (const [index, delivery] of deliveries.entries())
        if (!(await documents.get(this.byId(delivery.id))))
          this.enqueue(documents, delivery, delivery.dueAt, orders[index]!);
    });
    return { dropped: 0 };
  }

  async claim(claim: WebhookClaim): Promise<readonly WebhookDelivery[]> {
    const claimed: WebhookDelivery[] = [];
    const perEndpoint = new Map<string, number>();
    for (let after: string | undefined = ''; after !== undefined && claimed.length < claim.limit;) {
      const page: Awaited<ReturnType<StoredWebhookOutbox['due']>> = await this.due(claim.now, after);
      for (const { id: place, value } of page.places) {
        const count = perEndpoint.get(value.endpoint) ?? 0;
        if (claimed.length === claim.limit) break;
        if (claim.busy.has(value.endpoint) || count >= claim.perEndpoint) continue;
        const delivery = await this.take(value.id, place, claim);
        if (!delivery) continue;
        claimed.push(delivery);
        perEndpoint.set(value.endpoint, count + 1);
      }
      after = page.next;
    }
    return claimed;
  }

  async done(id: string, claimId: string): Promise<void> {
    await this.end(id, claimId, async () => undefined);
  }

  async retry(id: string, claimId: string, dueAt: number, retryDelaysMs: readonly number[]): Promise<void> {
    await this.end(id, claimId, async ({ delivery, order }, documents) =>
      this.enqueue(documents, { ...delivery, dueAt, retryDelaysMs }, dueAt, order),
    );
  }

  async bury(id: string, claimId: string, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits) {
    await this.end(id, claimId, ({ delivery }, documents) =>
      this.keepLetter(documents, { delivery, ...death }, limits),
    );
  }

  async backlog(now: number): Promise<WebhookBacklog> {
    const places = await this.store.list<Place>(this.queue);
    const [first] = places.filter(({ id }) => id < this.queue + ordered(now + 1));
    return { webhooks: places.length, ...(first && { oldestDueAt: dueAtOf(first.id.slice(this.queue.length)) }) };
  }

  async buryBeyond(most: number, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits): Promise<number> {
    const places = await this.store.list<Place>(this.queue);
    const due = this.queue + ordered(death.diedAt + 1);
    const byEndpoint = new Map<string, Document<Place>[]>();
    for (const place of places)
      if (!place.value.isHeld || place.id < due)
        byEndpoint.set(place.value.endpoint, [...(byEndpoint.get(place.value.endpoint) ?? []), place]);
    const [fullest = []] = [...byEndpoint.values()].toSorted((one, other) => other.length - one.length);
    const count = Math.min(places.length - most, Math.ceil(fullest.length / 2), buriedAtOnce);
    let buried = 0;
    for (const place of fullest.slice(0, Math.max(0, count)))
      if (await this.takeOut(place.value.id, place.id, death, limits)) buried += 1;
    return buried;
  }

  async deadLetters(owner: string, after: string, limit: number): Promise<readonly DeadLetter[]> {
    return (await this.store.list<DeadLetter>(this.lettersOf(owner), after, limit)).map(({ value }) => value);
  }

  async resend(owner: string, ids: readonly string[], tries: FreshTries): Promise<number> {
    return this.store.transact(async (documents) => {
      const all = await this.changedLetters(documents, owner);
      const named = all.filter(({ value }) => ids.includes(value.delivery.id));
      for (const { id, value } of named) {
        documents.remove(id);
        this.enqueue(documents, { ...value.delivery, ...tries }, tries.dueAt, this.nextOrder());
      }
      return named.length;
    });
  }

  /** Places that are due, from `after` on, and where to go on. */
  private async due(now: number, after: string) {
    const page = await this.store.list<Place>(this.queue, after, pageSize);
    const places = page.filter(({ id }) => id < this.queue + ordered(now + 1));
    return { places, next: places.length === pageSize ? places.at(-1)?.id.slice(this.queue.length) : undefined };
  }

  /** @returns undefined where somebody else was quicker */
  private take(id: string, place: string, { id: claimId, now, leaseMs }: WebhookClaim) {
    return this.store.transact(async (documents) => {
      const waiting = await documents.get<Waiting>(this.byId(id));
      if (waiting?.place !== place) return undefined;
      documents.remove(place);
      this.enqueue(documents, waiting.delivery, now + leaseMs, waiting.order, claimId);
      return waiting.delivery;
    });
  }

  /** @returns whether it was still in that place */
  private takeOut(id: string, place: string, death: Omit<DeadLetter, 'delivery'>, limits: DeadLetterLimits) {
    return this.store.transact(async (documents) => {
      const waiting = await documents.get<Waiting>(this.byId(id));
      if (waiting?.place !== place) return false;
      documents.remove(this.byId(id));
      documents.remove(place);
      await this.keepLetter(documents, { delivery: waiting.delivery, ...death }, limits);
      return true;
    });
  }

  private async keepLetter(documents: Transaction, letter: DeadLetter, limits: DeadLetterLimits): Promise<void> {
    const { id, owner } = letter.delivery;
    const all = await this.changedLetters(documents, owner);
    // One of this id is an earlier one: it has been sent again since.
    const others = all.filter(({ value }) => value.delivery.id !== id);
    const fresh = this.lettersOf(owner) + path(deadLetterPlace(letter));
    const oldest = this.lettersOf(owner) + placeOf(letter.diedAt - limits.keepMs);
    const young = [...others.map((other) => other.id), fresh].filter((each) => each >= oldest).toSorted();
    const kept = new Set(young.slice(Math.max(0, young.length - limits.most)));
    for (const { id: known } of all) if (!kept.has(known)) documents.remove(known);
    if (kept.has(fresh)) documents.set(fresh, letter);
  }

  /** Takes a delivery out, unless another claim has it by now. */
  private end(id: string, claimId: string, work: (waiting: Waiting, documents: Transaction) => Promise<void>) {
    return this.store.transact(async (documents) => {
      const waiting = await documents.get<Waiting>(this.byId(id));
      if (waiting?.claimId !== claimId) return;
      documents.remove(this.byId(id));
      documents.remove(waiting.place);
      await work(waiting, documents);
    });
  }

  /** Greater than all before, also of a process that ran earlier. */
  private nextOrder(): number {
    return (this.lastOrder = Math.max(this.lastOrder + 1, Date.now() * 1000));
  }

  private byId(id: string): string {
    return path(this.name, 'deliveries', id);
  }

  private lettersOf(owner: string): string {
    return folder(this.name, 'dead-letters', owner);
  }

  private enqueue(documents: Transaction, delivery: WebhookDelivery, from: number, order: number, claimId?: string) {
    const { id, endpoint } = delivery;
    const place = this.queue + path(ordered(from), ordered(order), id);
    documents.set(place, { id, endpoint, isHeld: claimId !== undefined } satisfies Place);
    const waiting = { delivery, order, place, ...(claimId === undefined ? {} : { claimId }) };
    documents.set(this.byId(id), waiting satisfies Waiting);
  }

  /** The dead letters of an owner: all who change them write one document, so that nobody does in between. */
  private async changedLetters(documents: Transaction, owner: string): Promise<readonly Document<DeadLetter>[]> {
    const changes = path(this.name, 'dead-letter-changes', owner);
    documents.set(changes, ((await documents.get<number>(changes)) ?? 0) + 1);
    return documents.list<DeadLetter>(this.lettersOf(owner));
  }
}

/** Every place begins with it. */
const dueAtOf = (place: string): number => Number(place.split('/')[0]);
