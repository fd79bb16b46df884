import * as churn from './churn.mjs';
import * as clientEvents from './client-events.mjs';
import * as compression from './compression.mjs';
import * as deliveryCost from './delivery-cost.mjs';
import * as deploy from './deploy.mjs';
import * as fanOut from './fan-out.mjs';
import * as history from './history.mjs';
import * as host from './host.mjs';
import * as jitter from './jitter.mjs';
import * as keptEvents from './kept-events.mjs';
import * as latency from './latency.mjs';
import * as memory from './memory.mjs';
import * as pings from './pings.mjs';
import * as processes from './processes.mjs';
import * as pushFanOut from './push-fan-out.mjs';
import * as pushGateways from './push-gateways.mjs';
import * as sqliteHolds from './sqlite-holds.mjs';
import * as start from './start.mjs';
import * as subscribe from './subscribe.mjs';
import * as stores from './stores.mjs';
import * as storm from './storm.mjs';
import * as sqliteWrites from './sqlite-writes.mjs';
import * as triggers from './triggers.mjs';

/** Those that have a place in docs/, unless others are named. */
export const documented = [
  'start',
  'host',
  'triggers',
  'fanout',
  'compression',
  'latency',
  'subscribe',
  'memory',
  'processes',
  'storm',
  'history',
  'kept',
  'pushfanout',
  'jitter',
  'deploy',
];

/** All that is measured, by the name that `--only` takes. */
export const rows = {
  start,
  host,
  triggers,
  writes: sqliteWrites,
  holds: sqliteHolds,
  fanout: fanOut,
  cost: deliveryCost,
  compression,
  history,
  kept: keptEvents,
  latency,
  pings,
  clientevents: clientEvents,
  subscribe,
  memory,
  processes,
  stores,
  storm,
  churn,
  jitter,
  deploy,
  pushgateways: pushGateways,
  pushfanout: pushFanOut,
};
