import { Crowd } from './crowd.js';
import type { Hostile, HostileParts } from './hostile-parts.js';
import type { Hostility } from './hostility.js';
import { KeepingTenant } from './keeping-tenant.js';
import { PingingClient } from './pinging-client.js';
import { ReceiptMinter } from './receipt-minter.js';

export type { Hostile } from './hostile-parts.js';
export type { Hostility } from './hostility.js';

/** Starts an attack. */
export function hostile(parts: HostileParts, hostility: Hostility): Hostile {
  switch (hostility.does) {
    case 'ping':
      return new PingingClient(parts);
    case 'crowd':
      return new Crowd(parts, hostility);
    case 'mint':
      return new ReceiptMinter(parts, hostility.receipts);
    case 'keep':
      return new KeepingTenant(parts, hostility.pieces);
    default:
      return hostility satisfies never;
  }
}
