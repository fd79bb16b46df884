// What a cluster runs of a build: test/releases has that of the release before.
export { RookeryError, Unavailable } from 'rookery/publish';
export { RpcLink } from '../../apps/server/src/workers/rpc-link.js';
export * as publishRows from '../../libs/typeorm/src/publishes/publish-row.js';
export { BeamsNode } from './beams/node.js';
export { NodeLink } from './node-link.js';
export { Node } from './node.js';
