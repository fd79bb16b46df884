/** Hides Node's warning that its SQLite is experimental, which a server's operator cannot act on. */
export function quietExperiments(): void {
  const tellers = process.listeners('warning');
  process.removeAllListeners('warning');
  process.on('warning', (warning) => {
    if (warning.name !== 'ExperimentalWarning') for (const tell of tellers) tell(warning);
  });
}

/** The reader of the output has closed it, as in `rookery subscribe news | head -1`. */
export function quietPipes(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}
