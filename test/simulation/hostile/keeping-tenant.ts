import { hostileApp, limits } from '../cluster-options.js';
import { HostileConnection } from './hostile-connection.js';
import type { Hostile, HostileParts } from './hostile-parts.js';

const streams = 4;
const text = 'ö'.repeat(4000);

/** A tenant that has as much kept as it can: the texts of streams, which one of its clients follows. */
export class KeepingTenant implements Hostile {
  private readonly channel: string;
  private readonly reader: HostileConnection;
  private accepted = 0;
  private misanswered: string | undefined;

  constructor(
    private readonly parts: HostileParts,
    pieces: number,
  ) {
    const { world, node, number } = parts;
    this.channel = `kept-of-${number}`;
    const { key } = hostileApp;
    this.reader = new HostileConnection(world, node, `tenant ${number}`, { key }, (reader) =>
      reader.send('pusher:subscribe', { channel: this.channel }),
    );
    world.after(0, () => void this.append(pieces), node.party);
  }

  get wrong(): string | undefined {
    const { accepted, misanswered } = this;
    const { number } = this.parts;
    const most = Math.ceil(limits.keptBytes / Buffer.byteLength(text));
    if (accepted > most) return `tenant ${number} has ${accepted} pieces kept instead of ${most}`;
    return misanswered === undefined ? undefined : `tenant ${number} is answered ${misanswered}`;
  }

  private async append(pieces: number): Promise<void> {
    const { node } = this.parts;
    for (let n = 0; n < pieces && node.isAlive; n++) {
      const at = Math.floor(n / streams) * text.length;
      const data = JSON.stringify({ stream: String(n % streams), at, text });
      try {
        await node.trigger(this.channel, data, hostileApp.id);
        this.accepted += 1;
      } catch (error) {
        // 503 while the store is away, or the node stops.
        const { status = 503 } = error as { readonly status?: number };
        if (status !== 429 && status !== 503) this.misanswered = `${status}: ${(error as Error).message}`;
      }
    }
    this.reader.leave();
  }
}
