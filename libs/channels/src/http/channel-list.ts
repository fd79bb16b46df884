import { Injectable, Logger, StreamableFile } from '@nestjs/common';
import { ConcurrencyLimiter } from '#common';
import { Readable } from 'node:stream';
import type { ChannelPage } from '../events/channels.service.js';

/** The text of a page is some 200 KB at most. */
const pagesPerTurn = 2;

/** How many bytes may wait for the client before the next page is read. */
const waitingBytes = 65_536;

/**
 * Writes the list of channels page by page, as fast as the client reads: a long one neither blocks other work nor fills
 * the memory. A list of one page is answered at once, with its length.
 */
@Injectable()
export class ChannelList {
  private readonly logger = new Logger('Channels');
  private readonly turns = new ConcurrencyLimiter(pagesPerTurn).of('pages');

  /** @throws what the first two pages throw; a later failure breaks the connection off */
  async answer(pages: AsyncGenerator<ChannelPage, void>): Promise<object> {
    const first = await pages.next();
    const second = await pages.next();
    if (second.done) return { channels: Object.fromEntries(first.value ?? []) };
    const begun = [first.value ?? [], second.value];
    const text = Readable.from(this.text(begun, pages), { objectMode: false, highWaterMark: waitingBytes });
    // The client may go before the end, or ask for no more than the head.
    text.once('close', () => void pages.return().catch((error: unknown) => this.failed(error)));
    return new StreamableFile(text, { type: 'application/json; charset=utf-8' }).setErrorLogger((error) =>
      this.failed(error),
    );
  }

  private async *text(begun: readonly ChannelPage[], rest: AsyncIterable<ChannelPage>): AsyncGenerator<string> {
    // A channel that changes meanwhile may be on two pages.
    const written = new Set<string>();
    let before = '{"channels":{';
    for await (const page of joined(begun, rest)) {
      await this.turns.takeTurn();
      const fresh = page.filter(([name]) => !written.has(name));
      for (const [name] of fresh) written.add(name);
      if (fresh.length === 0) continue;
      yield before + JSON.stringify(Object.fromEntries(fresh)).slice(1, -1);
      before = ',';
    }
    yield '}}';
  }

  private failed(error: unknown): void {
    this.logger.warn(`A list of channels broke off: ${String(error)}`);
  }
}

async function* joined<T>(begun: readonly T[], rest: AsyncIterable<T>): AsyncGenerator<T> {
  yield* begun;
  yield* rest;
}
