/**
 * What a hostile client, or the hostile tenant of another app, does for a while. None of them sends half a message: the
 * simulated transport carries whole texts, and what counts their bytes is below it. See test/soak/rude/attacks.
 */
export type Hostility =
  /** Pings again and again, until it is closed. */
  | { readonly does: 'ping' }
  /** Connects many times from one address, with many subscriptions on each connection. */
  | { readonly does: 'crowd'; readonly connections: number; readonly subscriptions: number; readonly afterMs: number }
  /** A tenant signs receipts of the future, and its client reports them as seen. */
  | { readonly does: 'mint'; readonly receipts: number }
  /** A tenant lets the texts of streams grow, of which each piece is kept, while one of its clients follows them. */
  | { readonly does: 'keep'; readonly pieces: number };
