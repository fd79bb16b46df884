import type { ServerConfig } from '../../../server/src/config/config.js';
import { loggedUrl, urlCredentials } from '#common';
import { lineOf } from '../fault.js';
import { about, type Finding, type Findings } from './finding.js';

/** How long an endpoint may take to answer, in milliseconds. */
const timeoutMs = 5000;

/** Checks whether the webhook endpoints answer a HEAD, which triggers no action there. */
export async function* webhookFindings({ apps, instances }: ServerConfig): Findings {
  const urls = [...apps, ...instances].flatMap(({ webhooks = [] }) => webhooks.map(({ url }) => url));
  for (const url of new Set(urls)) yield await asked(url);
}

async function asked(url: string): Promise<Finding> {
  const say = about(`webhook ${loggedUrl(url)}`);
  // fetch refuses a URL with credentials, and repeats them in its error.
  const { url: bare, headers } = urlCredentials(url);
  try {
    const signal = AbortSignal.timeout(timeoutMs);
    const { status } = await fetch(bare, { method: 'HEAD', redirect: 'manual', headers, signal });
    if (status >= 500) return say.fault(`it answers ${status}`, "Look at that server's log");
    return say.ok(`it answers (${status} to a HEAD)`);
  } catch (error) {
    return say.fault(`it cannot be reached: ${lineOf(error)}`, 'Start it, or allow this machine to connect to it');
  }
}
