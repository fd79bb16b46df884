export { Account, type Quotas } from './account.js';
export { Balance, type Quota } from './balance.js';
export { Ledger, type LedgerQuotas } from './ledger.js';
