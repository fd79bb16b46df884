// Loaded before the server by NODE_OPTIONS. On SIGWINCH it collects all garbage and prints what memory is left; with
// HEAP_SNAPSHOTS it also writes a heap snapshot into that folder.
const { setFlagsFromString, writeHeapSnapshot } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const folder = process.env.HEAP_SNAPSHOTS;
let count = 0;

process.on('SIGWINCH', () => {
  for (let i = 0; i < 4; i++) collect();
  process.stdout.write(`collected ${JSON.stringify(process.memoryUsage())}\n`);
  if (folder) writeHeapSnapshot(`${folder}/${process.pid}-${count++}.heapsnapshot`);
});
