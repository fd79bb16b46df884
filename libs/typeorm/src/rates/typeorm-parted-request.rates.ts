import { Injectable } from '@nestjs/common';
import { countOf, dropOldest, type RequestLimit, RequestRates } from '#common';
import { TypeOrmRequestRates } from './typeorm-request.rates.js';

/** The burst is divided into so many parts; with a smaller burst, each request asks the database. */
const parts = 20;

/** The limit on names in memory: anyone can create names, such as addresses. */
const maxNames = 10_000;

/** The requests under a name that this process may still allow by itself. */
interface Own {
  left: number;
  /** When all requests are available again and the entry can go, by performance.now(). */
  freeAt: number;
  asking?: Promise<number> | undefined;
}

/**
 * In a database, for many requests under names that anyone can create: one rate for all processes, whose clocks must
 * agree to within a part of a second. Each process allows the first twentieth of a burst by itself and takes the rest
 * from the database, a twentieth per statement. So a rare name costs nothing and leaves no row, and each process beyond
 * the first adds a twentieth to the burst. Rows are deleted when all requests are available again.
 */
@Injectable()
export class TypeOrmPartedRequestRates extends TypeOrmRequestRates {
  static readonly port = RequestRates;

  /** The most recently used name is last. */
  private readonly names = new Map<string, Own>();

  /** Gives it back to this process's own part; anything beyond that part goes back to the shared rate. */
  protected override async giveOneBack(limit: RequestLimit): Promise<void> {
    const part = Math.floor(limit.atOnce / parts);
    const own = part === 0 ? undefined : this.own(limit, part);
    if (own && own.left + countOf(limit) <= part) own.left += countOf(limit);
    else await super.giveOneBack(limit);
  }

  protected override async takeOne(limit: RequestLimit): Promise<number> {
    const { atOnce } = limit;
    const part = Math.floor(atOnce / parts);
    const count = countOf(limit);
    if (count > part) return super.takeOne(limit);
    const own = this.own(limit, part);
    while (own.left < count) {
      // One query serves all waiting requests.
      own.asking ??= this.ask(limit, part, atOnce - part)
        .then((seconds) => {
          if (seconds === 0) own.left += part;
          return seconds;
        })
        .finally(() => (own.asking = undefined));
      const seconds = await own.asking;
      if (seconds > 0) return seconds;
    }
    own.left -= count;
    return 0;
  }

  private own({ name, perSecond, atOnce }: RequestLimit, part: number): Own {
    const now = performance.now();
    const known = this.names.get(name);
    const own = known && known.freeAt > now ? known : { left: part, freeAt: 0 };
    own.freeAt = now + (1000 * atOnce) / perSecond;
    this.names.delete(name);
    this.names.set(name, own);
    dropOldest(this.names, maxNames);
    return own;
  }
}
