// Preloaded by `node --import`: writes the files of all modules loaded so far, whoever loaded them and how, to the file
// that LOADED_MODULES names, whenever SIGWINCH comes (most other signals stop the server).
import { renameSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';

const files = new Set();
const session = new Session();
session.connect();
session.on('Debugger.scriptParsed', ({ params: { url } }) => {
  if (url.startsWith('file:') || url.startsWith('/')) files.add(url.replace('file://', ''));
});
session.post('Debugger.enable');

process.on('SIGWINCH', () => {
  const file = process.env.LOADED_MODULES;
  // At once and whole, for whoever waits for the file.
  writeFileSync(`${file}.new`, JSON.stringify([...files]));
  renameSync(`${file}.new`, file);
});
