// What the process that starts workers keeps for them, in a process of its own.
import { rpcOverIpc } from '../../apps/server/src/workers/ipc-link.ts';
import { SharedPorts } from '../../apps/server/src/workers/shared-ports.ts';

const link = rpcOverIpc(process);
link.serve({ name: 'sharedPorts' }, { renew: () => new SharedPorts().join(link) });
