import { LayoutDashboard } from 'lucide-preact';
import { Link, useSearchParams } from 'wouter-preact';
import { withQuery } from '../api/ask.js';
import type { OverviewApp } from '../api/contract.js';
import { amount } from '../parts/amounts.js';
import { Badge, Empty, Sorts } from '../parts/words.js';
import { CreateLink, isUnlisted, Unlisted } from '../settings/create.js';
import { appPath } from '../shell/whereabouts.js';

type Figure =
  'connections' | 'channels' | 'messagesPerSecond' | 'triggersPerSecond' | 'errors' | 'closedAsSlow' | 'webhooksFailed';

/** The figures of an app: the head, what it counts, and the page that shows its cause. */
const figures: readonly (readonly [of: Figure, head: string, says: string, path: string, query?: object])[] = [
  ['connections', 'Connections', 'Open now', 'connections'],
  ['channels', 'Channels', 'Occupied now', 'channels'],
  ['messagesPerSecond', 'Messages/s', 'The mean of the last minute', 'channels', { sort: 'events' }],
  ['triggersPerSecond', 'Triggers/s', 'The mean of the last minute', 'live', { kinds: 'event' }],
  ['errors', 'Errors', 'Sent to clients in the last ten minutes', 'live', { kinds: 'error' }],
  ['closedAsSlow', 'Slow', 'Closed for slow reading in the last ten minutes', 'live', { kinds: 'slow_closed' }],
  ['webhooksFailed', 'Failed webhooks', 'In the last ten minutes', 'webhooks', { show: 'attempts', failed: 'yes' }],
];

/** The apps, each with what it costs; the largest of a figure first, if you choose one. */
export function Apps({ value: apps }: { readonly value: readonly OverviewApp[] }) {
  const [query, setQuery] = useSearchParams();
  const sort = figures.find(([of]) => of === query.get('sort'))?.[0];
  const choose = (of: Figure): void =>
    setQuery(
      (before) => {
        if (of === sort) before.delete('sort');
        else before.set('sort', of);
        return before;
      },
      { replace: true },
    );
  if (apps.length === 0) return isUnlisted('apps') ? <Unlisted kind="apps" /> : <NoApps />;
  const shown = sort ? apps.toSorted((left, right) => right[sort] - left[sort]) : apps;
  return (
    <table>
      <thead>
        <tr>
          <th>App</th>
          {figures.map(([of, head, says]) => (
            <th key={of} class="end" title={says} aria-sort={of === sort ? 'descending' : undefined}>
              <Sorts is={of === sort} onPress={() => choose(of)}>
                {head}
              </Sorts>
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {shown.map((app) => (
          <tr key={app.id}>
            <td>
              <Link href={appPath(app.id, 'live')}>{app.name ?? app.id}</Link>{' '}
              {app.name !== null && <span class="small soft">{app.id}</span>}{' '}
              {!app.enabled && <Badge tone="warn">disabled</Badge>}
              <div class="mono small faint break">{app.key}</div>
            </td>
            {figures.map(([of, , , path, more = {}]) => (
              <td key={of} class="end number">
                <Link href={withQuery(appPath(app.id, path), more as Record<string, string>)}>{amount(app[of])}</Link>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const NoApps = () => (
  <Empty
    icon={LayoutDashboard}
    title="No app is configured"
    code="PUSHER_APP_ID=1 PUSHER_APP_KEY=key PUSHER_APP_SECRET=secret npx rookery"
    action={<CreateLink kind="apps" />}
  >
    Clients connect to an app. Configure one by environment variables, or as <code>apps</code> in the configuration
    file:
  </Empty>
);
