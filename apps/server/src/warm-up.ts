import type { ServerConfig } from './config/config.js';

/** Loads what the first push or webhook needs once the server listens, so that neither has to wait for it. */
export async function warmUp({ apps, instances }: ServerConfig): Promise<void> {
  const asksOthers = instances.length > 0 || apps.some(({ webhooks = [] }) => webhooks.length > 0);
  if (asksOthers) await import('undici');
  if (instances.length > 0) await import('jose');
}
