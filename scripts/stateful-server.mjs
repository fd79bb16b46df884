// Bundles the server with states that test/soak/rude-clients.spec.ts attacks.
import { runProgram } from './from-sources.mjs';

await runProgram('test/soak/stateful-server.ts', 'dist/simulation/stateful-server.mjs');
