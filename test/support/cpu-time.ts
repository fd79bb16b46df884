/** How long this process computes meanwhile, in milliseconds: on a busy machine, no longer than on a quiet one. */
export async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
