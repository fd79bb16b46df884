import { badRequest } from './console.errors.js';

/** Rows of a page. */
export const pageSize = 100;

/** The query `?search=&cursor=`. */
export interface PageQuery {
  readonly search: string;
  /** The last name of the previous page. */
  readonly after: string;
}

/** @throws ConsoleError 400 */
export function pageQuery({ search = '', cursor = '' }: Readonly<Record<string, unknown>>): PageQuery {
  if (typeof search !== 'string' || search.length > 300)
    throw badRequest('search must be a string of at most 300 characters.');
  if (typeof cursor !== 'string' || cursor.length > 500) throw badCursor();
  return { search: search.trim(), after: cursor };
}

/** @throws ConsoleError 400 */
export function orderIn<Order extends string>(orders: readonly [Order, ...Order[]], given: unknown): Order {
  if (given === undefined || given === '') return orders[0];
  const order = orders.find((each) => each === given);
  if (order === undefined) throw badRequest(`sort must be one of ${orders.join(', ')}.`);
  return order;
}

/** The first rows, and the name of the last one if more follow. */
export function pageOf<T>(rows: readonly T[], nameOf: (row: T) => string, size = pageSize) {
  const page = rows.slice(0, size);
  return { rows: page, next: rows.length > size ? nameOf(page.at(-1)!) : null };
}

const badCursor = (): Error => badRequest('cursor must be the next of an earlier answer.');

/**
 * The place in a cursor of a list by time: `<epoch milliseconds>_<id>`.
 * @throws ConsoleError 400
 */
export function placeIn<Time extends string>(cursor: unknown, time: Time, idForm: RegExp) {
  if (cursor === undefined || cursor === '') return undefined;
  const [, at, id] = /^(\d{1,15})_(.*)$/.exec(typeof cursor === 'string' ? cursor : '') ?? [];
  if (id === undefined || !idForm.test(id)) throw badCursor();
  return { [time]: Number(at), id } as Readonly<Record<Time, number>> & { readonly id: string };
}

/** Sorts by name. */
export const byName =
  <T>(nameOf: (row: T) => string) =>
  (left: T, right: T): number =>
    nameOf(left) < nameOf(right) ? -1 : 1;
