import { Unavailable } from './unavailable.js';

/** Errors of one origin that mean that a store is away. */
interface AwayErrors {
  readonly of: string;
  /** Matches `error.code`. */
  readonly code?: RegExp;
  /** Matches `error.message`, of errors without a code of their own. */
  readonly message?: RegExp;
}

/**
 * All errors of `pg`, ioredis, SQLite and their sockets that mean that a store is away: it cannot be reached, or refuses
 * work for reasons of its own, so the same request may succeed later. An error about the request itself is not among
 * them.
 */
export const awayErrors: readonly AwayErrors[] = [
  { of: 'the system and DNS', code: /^E(AI_)?[A-Z\d]+$/ },
  { of: "Node's sockets and streams", code: /^ERR_(SOCKET|STREAM|TLS|SSL)_/ },
  {
    of: 'OpenSSL',
    code: /^(CERT_|CRL_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_|INVALID_CA|HOSTNAME_MISMATCH)/,
  },
  {
    of: 'PostgreSQL: no connection · read-only · a transaction was ended for idling · conflicts · no resources · locks · an operator or a time limit · the system',
    code: /^(08...|25006|25P0.|40001|40P01|53...|55P03|57...|58...)$/,
  },
  {
    of: 'pg and its pool, and our own limits of waiting for them',
    message:
      /^(no connection of the pool|it has not answered|Connection terminated|timeout expired|timeout exceeded when trying to connect|Query read timeout|Client (has encountered a connection error|was closed)|Cannot use a pool after calling end|There was an error establishing an SSL connection)/,
  },
  {
    of: 'SQLite',
    message:
      /database is (locked|not open)|database disk image is malformed|database or disk is full|disk I\/O error|file is not a database|unable to open database file|attempt to write a readonly database|access permission denied|locking protocol/,
  },
  {
    of: 'Redis; GONE is what our scripts answer to a process considered dead',
    message:
      /^(GONE|LOADING|READONLY|CLUSTERDOWN|MASTERDOWN|TRYAGAIN|OOM|MISCONF|NOREPLICAS|MOVED|ASK|BUSY|ERR max number of clients reached)\b/,
  },
  {
    of: 'ioredis',
    message:
      /^(Connection is closed|Command timed out|Command aborted|Stream isn't writeable|Cluster (isn't ready|is disconnect)|Node is disconnected|None of startup nodes|Too many Cluster redirections|Reached the max retries|Failed to refresh slots cache|All sentinels are unreachable|Socket (timeout|closed)|Ready check failed|connect ETIMEDOUT)/,
  },
];

/** Whether an error means that a database or Redis is away. */
export function isAway(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error instanceof Unavailable) return true;
  // Of a host with several addresses: one error for each.
  if (error instanceof AggregateError && error.errors.some(isAway)) return true;
  const { code } = error as { readonly code?: unknown };
  if (typeof code === 'string' && awayErrors.some((each) => each.code?.test(code))) return true;
  return !isSqlState(code) && awayErrors.some(({ message }) => message?.test(error.message));
}

/** PostgreSQL's messages contain what users wrote; its codes say all. */
const isSqlState = (code: unknown): boolean => typeof code === 'string' && /^[\dA-Z]{5}$/.test(code);
