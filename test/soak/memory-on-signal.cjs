// Loaded before the server by NODE_OPTIONS. On SIGWINCH it collects all garbage and prints what the process still holds;
// with HEAP_SNAPSHOTS it also writes a heap snapshot into that folder.
const { readdirSync } = require('node:fs');
const { getHeapSpaceStatistics, setFlagsFromString, writeHeapSnapshot } = require('node:v8');
const { runInNewContext } = require('node:vm');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const folder = process.env.HEAP_SNAPSHOTS;
let count = 0;

process.on('SIGWINCH', () => {
  for (let i = 0; i < 4; i++) collect();
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const descriptors = readdirSync('/proc/self/fd').length;
  const young = getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').physical_space_size;
  process.stdout.write(`collected ${JSON.stringify({ ...process.memoryUsage(), young, timers, descriptors })}\n`);
  if (folder) writeHeapSnapshot(`${folder}/${process.pid}-${count++}.heapsnapshot`);
});
