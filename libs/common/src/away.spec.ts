import { expect, it } from 'vitest';
import { isAway } from './away.js';
import { Unavailable } from './unavailable.js';

const withCode = (code: string, message = 'it failed'): Error => Object.assign(new Error(message), { code });

const ofSockets = [
  'ECONNREFUSED ECONNRESET ECONNABORTED EPIPE ETIMEDOUT EHOSTUNREACH EHOSTDOWN ENETUNREACH ENETDOWN',
  'ENETRESET EADDRNOTAVAIL ENOTCONN ESHUTDOWN ENOTFOUND EAI_AGAIN EAI_FAIL ENOENT EMFILE ENFILE ENOBUFS',
  'ENOMEM EACCES EPERM EPROTO ECANCELED EIO ENOSPC EDQUOT EROFS ERR_SOCKET_CLOSED',
  'ERR_SOCKET_CONNECTION_TIMEOUT ERR_STREAM_DESTROYED ERR_STREAM_WRITE_AFTER_END ERR_STREAM_PREMATURE_CLOSE',
  'ERR_TLS_HANDSHAKE_TIMEOUT ERR_TLS_CERT_ALTNAME_INVALID ERR_SSL_WRONG_VERSION_NUMBER CERT_HAS_EXPIRED',
  'SELF_SIGNED_CERT_IN_CHAIN UNABLE_TO_VERIFY_LEAF_SIGNATURE',
];
const ofPostgres = [
  '08000 08003 08006 08P01 25006 25P01 25P02 25P03 25P04 40001 40P01 53100 53200 53300 55P03 57000 57014',
  '57P01 57P02 57P03 57P05 58000 58030',
];

it.each([...ofSockets, ...ofPostgres].flatMap((line) => line.split(' ')))(
  'knows a store by the code %s to be away',
  (code) => {
    expect(isAway(withCode(code))).toBe(true);
  },
);

it.each([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Query read timeout',
  'Client has encountered a connection error and is not queryable',
  'Client was closed and is not queryable',
  'Cannot use a pool after calling end on the pool',
  'no connection of the pool became free within 10 s',
  'database is locked',
  'database is not open',
  'database disk image is malformed',
  'database or disk is full',
  'disk I/O error',
  'file is not a database',
  'unable to open database file',
  'attempt to write a readonly database',
  'GONE This process was taken for dead',
  'LOADING Redis is loading the dataset in memory',
  "READONLY You can't write against a read only replica.",
  'CLUSTERDOWN Hash slot not served',
  "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
  'TRYAGAIN Multiple keys request during rehashing of slot',
  "OOM command not allowed when used memory > 'maxmemory'.",
  'MISCONF Redis is configured to save RDB snapshots, but it is currently unable to persist to disk.',
  'NOREPLICAS Not enough good replicas to write.',
  'MOVED 3999 127.0.0.1:6381',
  'ASK 3999 127.0.0.1:6381',
  'BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.',
  'ERR max number of clients reached',
  'Connection is closed.',
  'Command timed out',
  "Stream isn't writeable and enableOfflineQueue options is false",
  "Cluster isn't ready and enableOfflineQueue options is false",
  'None of startup nodes is available',
  'Too many Cluster redirections. Last error: Error: read ECONNRESET',
  'Reached the max retries per request limit (which is 0). Refer to "maxRetriesPerRequest" option for details.',
  'Failed to refresh slots cache.',
  'All sentinels are unreachable. Retrying from scratch after 10ms.',
])('knows a store by its message to be away: %s', (message) => {
  expect(isAway(new Error(message))).toBe(true);
});

it.each([
  ['a refused value', withCode('23505', 'duplicate key value violates unique constraint')],
  ['a faulty statement', withCode('42P01', 'relation "rookery_jobs" does not exist')],
  ['a fault that quotes a user', withCode('22P02', 'Command timed out')],
  ["SQLite's refusal of a value", withCode('ERR_SQLITE_ERROR', 'UNIQUE constraint failed: rookery_jobs.id')],
  ['a faulty call', withCode('ERR_INVALID_ARG_TYPE', 'The "path" argument must be of type string')],
  ['a command that Redis does not know', new Error("ERR unknown command 'X'")],
  ['a missing right', new Error("NOPERM this user has no permissions to run the 'x' command")],
  ['a mistake', new TypeError("Cannot read properties of undefined (reading 'x')")],
  ['what is no error', 'ECONNRESET'],
])('does not take for that: %s', (_, error) => {
  expect(isAway(error)).toBe(false);
});

it("looks at each address of a host, and at SQLite's message where its code says nothing", () => {
  expect(isAway(new AggregateError([withCode('ECONNREFUSED'), withCode('ENETUNREACH')]))).toBe(true);
  expect(isAway(withCode('ERR_SQLITE_ERROR', 'database or disk is full'))).toBe(true);
  expect(isAway(withCode('SQLITE_FULL', 'database or disk is full'))).toBe(true);
  expect(isAway(new Unavailable('Redis'))).toBe(true);
});
