import { Bell } from 'lucide-preact';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf } from '../api/ask.js';
import type { Charts } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import type { Publish, Publishes } from '../api/push-contract.js';
import { amount } from '../parts/amounts.js';
import { Chart } from '../parts/chart.js';
import { ago, moment } from '../parts/time.js';
import { Cell, VirtualRows } from '../parts/virtual-rows.js';
import { Badge, Empty, Failure, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { instancePath } from '../shell/whereabouts.js';
import { PublishDetail, stateTones } from './publish-detail.js';

/** The publishes, newest first, with their progress. */
export function PublishesPage(props: { readonly instance: string; readonly chosen?: string | undefined }) {
  const { instance, chosen } = props;
  const [, go] = useLocation();
  const path = pathOf('instances', instance);
  const list = usePages<Publish, Publishes>(`${path}/publishes`, {}, (page) => page.publishes);
  const charts = useAnswer<Charts>(`charts/push?${new URLSearchParams({ instance }).toString()}`, 10_000);
  const here = (id?: string): void => go(instancePath(instance, pathOf('publishes', ...(id ? [id] : []))));
  useKeys({ Escape: () => chosen && here(), r: list.reload });
  const moves = list.rows.some(({ state }) => state === 'waiting' || state === 'sending');
  // Only the first page refreshes itself, so that later pages can be read in peace.
  const isFirst = list.rows.length === (list.first?.publishes.length ?? 0);
  useEffect(() => {
    if (!isFirst) return undefined;
    const timer = setInterval(() => document.visibilityState === 'visible' && list.reload(), moves ? 1500 : 6000);
    return () => clearInterval(timer);
  }, [moves, isFirst]);

  return (
    <>
      <PageHead
        title="Publishes"
        actions={
          <Link class="button main" href={instancePath(instance, 'composer')}>
            Compose
          </Link>
        }
      />
      <Failure of={list.failure} />
      <section class="tiles low" aria-label="The last hour">
        {(['publishes', 'delivered', 'failed'] as const).map((series) => (
          <Chart
            key={series}
            title={{ publishes: 'Publishes', delivered: 'Sent', failed: 'Failed' }[series]}
            unit="in 10 s"
            colour={{ publishes: '--accent', delivered: '--good', failed: '--bad' }[series]}
            points={charts.value?.series[series] ?? []}
            until={charts.value?.until ?? 0}
            stepSeconds={charts.value?.stepSeconds ?? 10}
          />
        ))}
      </section>
      <div class="beside">
        <div class="stack">
          <VirtualRows
            label="Publishes, newest first"
            count={list.rows.length}
            rowAt={(index) => list.rows[index]!}
            selected={list.rows.findIndex(({ id }) => id === chosen)}
            onOpen={({ id }) => here(id)}
            onEnd={list.more}
            columns="6rem minmax(0, 1fr) 5.5rem 5.5rem 5.5rem 6rem"
            narrow="5rem minmax(0, 1fr) 4.5rem"
            head={
              <>
                <Cell head>State</Cell>
                <Cell head>To</Cell>
                <Cell head class="end">
                  Sent
                </Cell>
                <Cell head class="wide end">
                  Failed
                </Cell>
                <Cell head class="wide end">
                  Later
                </Cell>
                <Cell head class="wide end">
                  When
                </Cell>
              </>
            }
            cells={(row) => (
              <>
                <Cell>
                  <Badge tone={stateTones[row.state]}>{row.state}</Badge>
                </Cell>
                <Cell>{(row.interests ?? row.users ?? []).join(', ')}</Cell>
                <Cell class="end number">{amount(sumOf(row, 'sent'))}</Cell>
                <Cell class="wide end number">{amount(sumOf(row, 'failed'))}</Cell>
                <Cell class="wide end number">{amount(sumOf(row, 'later'))}</Cell>
                <Cell class="wide end soft" title={moment(row.at)}>
                  {ago(row.at)}
                </Cell>
              </>
            )}
            empty={!list.loading && <NoPublishes />}
          />
        </div>
        {chosen && <PublishDetail key={chosen} instance={instance} id={chosen} onClose={() => here()} />}
      </div>
    </>
  );
}

const sumOf = ({ platforms }: Publish, what: 'sent' | 'failed' | 'later'): number =>
  platforms.reduce((sum, each) => sum + each[what], 0);

const NoPublishes = () => (
  <Empty icon={Bell} title="No publishes yet" code={'npx rookery publish hello --title Hello --body "world"'}>
    Publishes appear here with the progress on each platform and the outcome for each device. In a terminal:
  </Empty>
);
