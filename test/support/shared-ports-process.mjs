// What the process that starts workers keeps for them, in a process of its own.
import { rpcOverIpc } from '../../dist/apps/server/src/workers/ipc-link.js';
import { SharedPorts } from '../../dist/apps/server/src/workers/shared-ports.js';

const link = rpcOverIpc(process);
link.serve('sharedPorts', { renew: () => new SharedPorts().join(link) });
