import { RotateCw, Webhook } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { useAnswer } from '../api/answer.js';
import { ask, pathOf } from '../api/ask.js';
import type { DeadWebhook, Webhooks } from '../api/contract.js';
import { wasTaken } from '../live/activity-words.js';
import { amount, counted } from '../parts/amounts.js';
import { ago, clock, moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Badge, Empty, Failure, Note, PageHead } from '../parts/words.js';

/** All attempts to deliver webhooks, and the dead ones. */
export function WebhooksPage({ app }: { readonly app: string }) {
  const path = `${pathOf('apps', app)}/webhooks`;
  const { value, failure, reload } = useAnswer<Webhooks>(path, 2000);
  return (
    <>
      <PageHead title="Webhooks">
        Every attempt to deliver webhooks to your endpoints, and the webhooks that were given up.
      </PageHead>
      <Failure of={failure} />
      {value && (
        <>
          {value.waiting > 0 && (
            <Note tone={value.oldestAt !== null && Date.now() - value.oldestAt > 60_000 ? 'warn' : 'info'}>
              {counted(value.waiting, 'webhook waits', 'webhooks wait')}
              {value.oldestAt !== null && `, the oldest since ${ago(value.oldestAt).replace(' ago', '')}`}.
            </Note>
          )}
          {value.dead.length > 0 && (
            <section class="card scrolls">
              <h2>Given up: {amount(value.dead.length)}</h2>
              <Dead path={path} of={value.dead} onSent={reload} />
            </section>
          )}
          <section class="card scrolls">
            <h2>Attempts</h2>
            {value.attempts.length === 0 ? <NoAttempts /> : <Attempts of={value.attempts} />}
          </section>
        </>
      )}
    </>
  );
}

function Dead(props: { readonly path: string; readonly of: readonly DeadWebhook[]; onSent(): void }) {
  const [under, setUnder] = useState<string>();
  const resend = async (id: string): Promise<void> => {
    setUnder(id);
    await tried(() => ask('POST', `${props.path}/${pathOf('dead', id)}/resend`, {}), 'It is sent again.');
    setUnder(undefined);
    props.onSent();
  };
  return (
    <table>
      <thead>
        <tr>
          <th>Events</th>
          <th>To</th>
          <th>Last error</th>
          <th>Since</th>
          <th>
            <span class="unseen">What to do</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {props.of.map((dead) => (
          <tr key={dead.id}>
            <td class="break">{dead.events.join(', ')}</td>
            <td class="mono small break">{dead.url}</td>
            <td class="break">
              {dead.lastError}
              {dead.attempts !== undefined && <span class="faint"> after {counted(dead.attempts, 'attempt')}</span>}
            </td>
            <td title={moment(dead.at)}>{ago(dead.at)}</td>
            <td class="end">
              <button type="button" class="button" disabled={under === dead.id} onClick={() => void resend(dead.id)}>
                <RotateCw size={16} aria-hidden="true" /> Send again
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const Attempts = ({ of: attempts }: { readonly of: Webhooks['attempts'] }) => (
  <table>
    <thead>
      <tr>
        <th>Time</th>
        <th>Answer</th>
        <th>Events</th>
        <th>To</th>
        <th class="end">Attempt</th>
      </tr>
    </thead>
    <tbody>
      {attempts.map(
        (each) =>
          each.webhook && (
            <tr key={`${each.id} ${each.at} ${each.webhook.attempt}`}>
              <td class="mono small faint">{clock(each.at)}</td>
              <td class="break">
                <Badge tone={wasTaken(each) ? 'good' : 'bad'}>{each.webhook.status ?? 'failed'}</Badge>{' '}
                {each.webhook.error}
                {each.webhook.nextAt !== null && <span class="faint"> again at {clock(each.webhook.nextAt)}</span>}
              </td>
              <td class="break">{each.webhook.events.join(', ')}</td>
              <td class="mono small break">{each.webhook.url}</td>
              <td class="end number">{each.webhook.attempt}</td>
            </tr>
          ),
      )}
    </tbody>
  </table>
);

const webhookLines = `{
  "apps": [
    {
      "id": "1", "key": "…", "secret": "…",
      "webhooks": [{ "url": "https://example.com/webhooks" }]
    }
  ]
}`;

const NoAttempts = () => (
  <Empty icon={Webhook} title="No attempts since the console was opened" code={webhookLines}>
    Webhooks report occupied and vacated channels, members that join and leave, and client events to the app's
    endpoints, which are set in the configuration file:
  </Empty>
);
