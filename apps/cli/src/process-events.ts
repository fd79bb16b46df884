/** Node tells of its own SQLite that it is young; nobody who runs a server can do anything about it. */
export function quietExperiments(): void {
  const tellers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const tell of tellers) tell(warning);
  });
}

/** Whoever reads the output has had enough of it, as in `rookery subscribe news | head -1`. */
export function quietPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
