import { EndpointLane } from './endpoint-lane.js';
import type { ClaimedWebhook } from './webhook-delivery.js';
import type { WebhookClaim } from './webhook.outbox.js';

/** A try that takes longer counts as trouble, whatever its answer, in milliseconds. */
const slowMs = 2000;
/** Endpoints that are remembered while nothing is sent to them. */
const remembered = 1000;

/** The lanes of all endpoints that have something under way, and of those that had lately. */
export class EndpointLanes {
  private readonly lanes = new Map<string, EndpointLane>();
  private inFlight = 0;
  private troubledInFlight = 0;

  constructor(
    private readonly concurrency: number,
    private readonly perEndpoint: number,
  ) {
    if (!(concurrency >= 2)) throw new Error(`WebhookSender: concurrency must be at least 2, got ${concurrency}`);
    if (!(perEndpoint >= 1))
      throw new Error(`WebhookSender: concurrencyPerEndpoint must be at least 1, got ${perEndpoint}`);
  }

  /** What may be claimed now. */
  room(): Pick<WebhookClaim, 'limit' | 'perEndpoint' | 'busy'> {
    const busy = new Set<string>();
    for (const [endpoint, lane] of this.lanes) if (lane.isFull || !this.mayHaveMore(lane)) busy.add(endpoint);
    return { limit: this.concurrency - this.inFlight, perEndpoint: this.perEndpoint, busy };
  }

  add(delivery: ClaimedWebhook, startBy: number): void {
    const lane = this.lanes.get(delivery.endpoint) ?? new EndpointLane(this.perEndpoint);
    // Set anew, it is the last of the map: the first is the one that was used least lately.
    this.lanes.delete(delivery.endpoint);
    this.lanes.set(delivery.endpoint, lane);
    lane.add(delivery, startBy);
    if (this.lanes.size > remembered) this.forgetOne();
  }

  /** Starts what may go now, one of each endpoint in turn. */
  start(now: number): readonly ClaimedWebhook[] {
    const started: ClaimedWebhook[] = [];
    for (let before = -1; before < started.length;) {
      before = started.length;
      for (const lane of this.lanes.values()) {
        const next = this.mayStart(lane) ? this.counted(lane, () => lane.start(now)) : undefined;
        if (next) started.push(next);
      }
    }
    return started;
  }

  finish(delivery: ClaimedWebhook, accepted: boolean, tookMs: number): void {
    const lane = this.lanes.get(delivery.endpoint);
    // A lane with something under way is not forgotten, so there is one.
    if (lane) this.counted(lane, () => lane.finish(delivery, accepted && tookMs <= slowMs));
  }

  /** Lets go of all that is claimed and not started. */
  release(): readonly ClaimedWebhook[] {
    return [...this.lanes.values()].flatMap((lane) => lane.release());
  }

  private mayStart(lane: EndpointLane): boolean {
    return !lane.isIdle && this.inFlight < this.concurrency && this.mayHaveMore(lane);
  }

  /** Endpoints in trouble have half of the sender together, so that they cannot take it all. */
  private mayHaveMore(lane: EndpointLane): boolean {
    return !lane.isTroubled || this.troubledInFlight < this.concurrency / 2;
  }

  /** Keeps the totals right over a change of one lane. */
  private counted<Result>(lane: EndpointLane, change: () => Result): Result {
    this.inFlight -= lane.inFlight;
    this.troubledInFlight -= lane.isTroubled ? lane.inFlight : 0;
    const result = change();
    this.inFlight += lane.inFlight;
    this.troubledInFlight += lane.isTroubled ? lane.inFlight : 0;
    return result;
  }

  private forgetOne(): void {
    for (const [endpoint, lane] of this.lanes) if (lane.isIdle) return void this.lanes.delete(endpoint);
  }
}
