// What the process that starts workers keeps for them, in a process of its own.
import { linkOver } from '../../dist/apps/server/src/workers/process-link.js';
import { Relay } from '../../dist/apps/server/src/workers/relay.js';

const link = linkOver(process);
link.serve('relays', { renew: () => new Relay().join(link) });
