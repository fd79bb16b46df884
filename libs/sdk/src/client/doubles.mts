export interface HistoryFrame {
  readonly event: string;
  readonly channel?: string | undefined;
  readonly position?: string | undefined;
  readonly replayed?: boolean | undefined;
}

/** More pings than a server leaves unanswered: events from before these are not replayed any more. */
const maxPings = 20;

/** Finds events that a client has received before, by their positions. */
export class Doubles {
  /** Positions received on a channel, the latest last, with the number of pings until then. */
  private readonly came = new Map<string, Map<string, number>>();
  private pings = 0;

  isDouble({ event, channel = '', position, replayed }: HistoryFrame): boolean {
    if (event === 'pusher:ping') this.pings++;
    if (!position) return false;
    const positions = this.came.get(channel) ?? new Map<string, number>();
    this.came.set(channel, positions);
    const isKnown = positions.delete(position);
    positions.set(position, this.pings);
    if (replayed) return isKnown;
    for (const [old, at] of positions) {
      if (this.pings - at < maxPings) break;
      positions.delete(old);
    }
    return false;
  }
}
