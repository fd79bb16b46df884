import type { ServerConfig } from '../../../server/src/config/config.js';
import { loggedUrl, SafeFetch } from 'rookery/internal/common';
import { reasonOf } from './reason-of.js';
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
  const client = new SafeFetch({ allowHttp: true, allowPrivateNetwork: true, timeoutMs });
  try {
    const { status } = await client.request(url, { method: 'HEAD' });
    if (status >= 500) return say.fault(`it answers ${status}`, "Look at that server's log");
    return say.ok(`it answers (${status} to a HEAD)`);
  } catch (error) {
    return say.fault(`it cannot be reached: ${reasonOf(error)}`, 'Start it, or allow this machine to connect to it');
  } finally {
    await client.close();
  }
}
