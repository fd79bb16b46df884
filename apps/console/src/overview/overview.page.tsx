import { Link, useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { withQuery } from '../api/ask.js';
import type { Charts, EndpointHealth, OverviewApp } from '../api/contract.js';
import { amount, counted } from '../parts/amounts.js';
import { Chart } from '../parts/chart.js';
import { Choice } from '../parts/fields.js';
import { moment } from '../parts/time.js';
import { Badge, Empty, Failure, Note, PageHead } from '../parts/words.js';
import { LayoutDashboard } from 'lucide-preact';
import { appPath, instancePath, overview } from '../shell/whereabouts.js';
import { Nodes } from './nodes.js';

const charts: readonly (readonly [series: string, title: string, unit: string, colour: string])[] = [
  ['connections', 'Connections', '', '--accent'],
  ['messages', 'Messages sent', 'a second', '--teal'],
  ['triggers', 'Triggers', 'a second', '--violet'],
  ['webhooksFailed', 'Failed webhooks', 'in 10 s', '--warn'],
  ['closedAsSlow', 'Closed for slow reading', 'in 10 s', '--bad'],
  ['errors', 'Errors to clients', 'in 10 s', '--bad'],
];

type Range = '5' | '15' | '60' | '360' | '1440';

function rangeOf(asked: string | null): { readonly name: Range; readonly minutes: number; readonly words: string } {
  if (asked === '5' || asked === '15')
    return { name: asked, minutes: Number(asked), words: `The last ${asked} minutes` };
  if (asked === '360') return { name: asked, minutes: 360, words: 'The last 6 hours' };
  if (asked === '1440') return { name: asked, minutes: 1440, words: 'The last day' };
  return { name: '60', minutes: 60, words: 'The last hour' };
}

/** The whole server at a glance. */
export function OverviewPage() {
  const { value: all } = overview;
  const [query, setQuery] = useSearchParams();
  const range = rangeOf(query.get('range'));
  const { value, failure } = useAnswer<Charts>(range.minutes > 60 ? 'charts/day' : 'charts', 10_000);
  const points = (range.minutes * 60) / (value?.stepSeconds ?? 10);
  return (
    <>
      <PageHead title="Overview">
        {all &&
          `${counted(all.apps.length, 'app')}, ${counted(all.instances.length, 'push instance')}, ${counted(all.nodes.length, 'process', 'processes')}.`}
      </PageHead>
      <Failure value={failure} />
      <Choice
        label="Range"
        options={{ '5': '5 minutes', '15': '15 minutes', '60': 'An hour', '360': '6 hours', '1440': 'A day' }}
        value={range.name}
        onChange={(name) => setQuery(name === '60' ? {} : { range: name }, { replace: true })}
      />
      <section class="tiles" aria-label={range.words}>
        {charts.map(([series, title, unit, colour]) => (
          <Chart
            key={series}
            title={title}
            unit={unit}
            range={range.words.replace('The ', '')}
            colour={colour}
            points={value?.series[series]?.slice(-points) ?? []}
            until={value?.until ?? 0}
            stepSeconds={value?.stepSeconds ?? 10}
          />
        ))}
      </section>
      {all && (
        <>
          {all.missingNodes > 0 && (
            <Note tone="warn">
              {counted(all.missingNodes, 'process did', 'processes did')} not answer in time; their figures are missing
              here.
            </Note>
          )}
          {all.failingEndpoints.length > 0 && (
            <section class="card stack" aria-label="Failing endpoints">
              <h2>Failing endpoints</h2>
              {all.failingEndpoints.map((each) => (
                <FailingEndpoint key={`${each.owner} ${each.url}`} value={each} />
              ))}
            </section>
          )}
          <section class="card scrolls" tabIndex={0} aria-label="Apps">
            <h2>Apps</h2>
            <Apps value={all.apps} />
          </section>
          <section class="card scrolls" tabIndex={0} aria-label="Processes">
            <h2>Processes</h2>
            <Nodes value={all.nodes} />
          </section>
        </>
      )}
    </>
  );
}

function FailingEndpoint({ value: { owner, url, at, error, failingSince, failures } }: { value: EndpointHealth }) {
  const [, instance] = /^instance\/(.*)$/.exec(owner) ?? [];
  const page = instance === undefined ? appPath(owner, 'webhooks') : instancePath(instance, 'webhooks');
  return (
    <Note tone="bad">
      <Link href={withQuery(page, { show: 'attempts', to: url, failed: 'yes' })}>{url}</Link>, of{' '}
      {instance === undefined ? `app ${owner}` : `instance ${instance}`}, fails since {moment(failingSince ?? at)}:{' '}
      {error}. {counted(failures, 'attempt')} failed within ten minutes.
    </Note>
  );
}

function Apps({ value: apps }: { readonly value: readonly OverviewApp[] }) {
  if (apps.length === 0)
    return (
      <Empty
        icon={LayoutDashboard}
        title="No app is configured"
        code="PUSHER_APP_ID=1 PUSHER_APP_KEY=key PUSHER_APP_SECRET=secret npx rookery"
      >
        Clients connect to an app. Configure one by environment variables, or as <code>apps</code> in the configuration
        file:
      </Empty>
    );
  return (
    <table>
      <thead>
        <tr>
          <th>App</th>
          <th>Key</th>
          <th class="end">Connections</th>
          <th class="end">Channels</th>
        </tr>
      </thead>
      <tbody>
        {apps.map(({ id, key, enabled, connections, channels }) => (
          <tr key={id}>
            <td>
              <Link href={appPath(id, 'live')}>{id}</Link> {!enabled && <Badge tone="warn">disabled</Badge>}
            </td>
            <td class="mono break">{key}</td>
            <td class="end number">
              <Link href={appPath(id, 'connections')}>{amount(connections)}</Link>
            </td>
            <td class="end number">
              <Link href={appPath(id, 'channels')}>{amount(channels)}</Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
