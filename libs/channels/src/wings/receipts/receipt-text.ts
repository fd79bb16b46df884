import { isClientEventText } from '../../protocol/client-event-text.js';
import { withRookeryField } from '../../protocol/rookery-field.js';

// A receipt, by which clients and servers name an event: 43 characters of base64url.

/** The kind of question that is about receipts. */
export const receiptKind = 'receipt';

const last = /"rookery":\{"receipt":"([\w-]{43})"\}\}$/;
/** In the text of an event, where data is a string. */
const quoted = /\\"rookery\\":\{\\"receipt\\":\\"([\w-]{43})\\"\}\}"/;

/** The event's data with `"rookery":{"receipt":"…"}` as its last field. */
export const dataWithReceipt = (data: string, receipt: string): string => withRookeryField(data, { receipt });

/** The receipt in the data of an event that was sent with one. */
export const receiptIn = (data: string): string | undefined => last.exec(data)?.[1];

/** The same in the text of an event, as clients receive it. */
export const receiptInText = (text: string): string | undefined =>
  isClientEventText(text) ? undefined : quoted.exec(text)?.[1];

/**
 * The data of an event that was sent without a receipt. A user whose data a server passes on may have written one into
 * it: a space at the end, which JSON allows, keeps it from being taken for the event's own.
 */
export const dataWithoutReceipt = (data: string): string =>
  data.endsWith('"}}') && receiptIn(data) !== undefined ? `${data} ` : data;

/** The question that asks clients for a receipt. */
export const askFor = (receipt: string): string => `${receiptKind} ${receipt}`;
