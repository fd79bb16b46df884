import type { LinkService, RpcLink } from './rpc-link.js';

/**
 * A list that another process reads page by page: an iterator cannot be sent. A list that is read to its end, or
 * abandoned, is dropped.
 */
export class ServedPages<Args extends readonly unknown[], Page> {
  private readonly iterations = new Map<number, Iterator<Page> | AsyncIterator<Page>>();
  private begun = 0;

  constructor(private readonly list: (...args: Args) => Iterable<Page> | AsyncIterable<Page>) {}

  /** @returns the number of the iteration */
  open(...args: Args): number {
    const pages = this.list(...args);
    const isSync = Symbol.iterator in pages;
    this.iterations.set(++this.begun, isSync ? pages[Symbol.iterator]() : pages[Symbol.asyncIterator]());
    return this.begun;
  }

  /** @returns nothing at the end */
  async next(iteration: number): Promise<Page | undefined> {
    const page = await this.iterations.get(iteration)?.next();
    if (page && !page.done) return page.value;
    this.iterations.delete(iteration);
    return undefined;
  }

  close(iteration: number): void {
    this.iterations.delete(iteration);
  }
}

/** What the other process calls of a {@link ServedPages}. */
export type Pages<Args extends readonly unknown[], Page> = Pick<ServedPages<Args, Page>, 'open' | 'next' | 'close'>;

/** The same list in the process that reads it. */
export async function* readPages<Args extends readonly unknown[], Page>(
  link: RpcLink,
  service: LinkService<Pages<Args, Page>>,
  ...args: Args
): AsyncIterable<Page> {
  // A call of this type, which the compiler cannot tell of any arguments.
  const iteration = (await link.request(service.name, 'open', args)) as number;
  try {
    for (let page; (page = await link.call(service, 'next', iteration));) yield page;
  } finally {
    await link.call(service, 'close', iteration);
  }
}
