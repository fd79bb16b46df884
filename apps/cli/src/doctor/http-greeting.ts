import { randomBytes } from 'node:crypto';
import { Fault } from '../fault.js';
import type { ServedApp } from '../server/app-options.js';

/** How long a greeting may take to arrive, in milliseconds. */
const patienceMs = 10_000;

/**
 * Opens a connection over one of pusher-js's transports without WebSockets, waits for its greeting, and disconnects.
 * @param path the path of the transport (channels-wire §11)
 * @throws Fault that explains why no greeting came
 */
export async function httpGreeting(app: ServedApp, path: 'xhr_streaming' | 'xhr'): Promise<void> {
  const base = `${app.url}${app.socketPath}/pusher/app/${app.key}/1/${randomBytes(8).toString('hex')}`;
  const gone = new AbortController();
  const late = setTimeout(() => gone.abort(new Fault(`no greeting came within ${patienceMs / 1000} s`)), patienceMs);
  try {
    let text = '';
    // The first poll may return only the opening frame.
    for (let n = 1; n <= 3 && !isGreeting(text); n++) {
      const answer = await fetch(`${base}/${path}?protocol=7&client=rookery-cli&n=${n}`, {
        method: 'POST',
        signal: gone.signal,
      });
      if (!answer.ok) throw new Fault(`it answers ${answer.status}`);
      const decoder = new TextDecoder();
      for await (const chunk of answer.body ?? []) {
        text += decoder.decode(chunk, { stream: true });
        if (isGreeting(text)) break;
      }
    }
    if (!isGreeting(text)) throw new Fault(`its greeting is ${JSON.stringify(text.slice(0, 100))}`);
  } finally {
    clearTimeout(late);
    gone.abort();
  }
}

const isGreeting = (text: string): boolean => text.includes('pusher:connection_established');
