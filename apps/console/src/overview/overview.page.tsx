import { Link, useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { withQuery } from '../api/ask.js';
import type { Charts, EndpointHealth, Overview } from '../api/contract.js';
import { counted } from '../parts/amounts.js';
import { Chart } from '../parts/chart.js';
import { Choice } from '../parts/fields.js';
import { moment } from '../parts/time.js';
import { Failure, Note, PageHead } from '../parts/words.js';
import { appPath, instancePath, overview } from '../shell/whereabouts.js';
import { Apps } from './apps.js';
import { Nodes } from './nodes.js';

/** Each with the figure of the apps that shows where it comes from. */
const charts: readonly (readonly [series: string, title: string, unit: string, colour: string, figure: string])[] = [
  ['connections', 'Connections', '', '--accent', 'connections'],
  ['messages', 'Messages sent', 'a second', '--teal', 'messagesPerSecond'],
  ['triggers', 'Triggers', 'a second', '--violet', 'triggersPerSecond'],
  ['webhooksFailed', 'Failed webhooks', 'in 10 s', '--warn', 'webhooksFailed'],
  ['closedAsSlow', 'Closed for slow reading', 'in 10 s', '--bad', 'closedAsSlow'],
  ['errors', 'Errors to clients', 'in 10 s', '--bad', 'errors'],
];

const ranges: Readonly<Record<string, readonly [choice: string, words: string]>> = {
  '5': ['5 minutes', 'last 5 minutes'],
  '15': ['15 minutes', 'last 15 minutes'],
  '60': ['1 hour', 'last hour'],
  '360': ['6 hours', 'last 6 hours'],
  '1440': ['1 day', 'last day'],
};

/** With which others they share state. */
const clusterOf = ({ store, nodes }: Overview): string =>
  store ? `sharing state in ${store}` : nodes.length > 1 ? 'of one machine' : 'on its own';

/** The whole server at a glance. */
export function OverviewPage() {
  const { value: all } = overview;
  const [query, setQuery] = useSearchParams();
  const asked = query.get('range') ?? '';
  const minutes = Object.hasOwn(ranges, asked) ? asked : '60';
  const range = ranges[minutes]![1];
  const { value, failure } = useAnswer<Charts>(Number(minutes) > 60 ? 'charts/day' : 'charts', 10_000);
  return (
    <>
      <PageHead title="Overview">
        {all &&
          `${counted(all.apps.length, 'app')}, ${counted(all.instances.length, 'push instance')}, ${counted(all.nodes.length, 'process', 'processes')} ${clusterOf(all)}.`}
      </PageHead>
      <Failure value={failure} />
      <Choice
        label="Range"
        options={Object.fromEntries(Object.entries(ranges).map(([name, [choice]]) => [name, choice]))}
        value={minutes}
        onChange={(name) =>
          setQuery(
            (before) => {
              if (name === '60') before.delete('range');
              else before.set('range', name);
              return before;
            },
            { replace: true },
          )
        }
      />
      <section class="tiles" aria-label={`The ${range}`}>
        {charts.map(([series, title, unit, colour, figure]) => (
          <Chart
            key={series}
            title={title}
            to={withQuery('/', { range: query.get('range'), sort: figure })}
            unit={unit}
            range={range}
            colour={colour}
            charts={value}
            series={series}
            minutes={Number(minutes)}
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
      {instance === undefined ? `app ${owner}` : `instance ${instance}`}, has failed since {moment(failingSince ?? at)}:{' '}
      {error}. {counted(failures, 'attempt')} failed in the last ten minutes.
    </Note>
  );
}
