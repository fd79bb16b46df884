import { Bell } from 'lucide-preact';
import { useEffect } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf } from '../api/ask.js';
import type { Charts } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import type { Publish, Publishes } from '../api/contract.js';
import { amount } from '../parts/amounts.js';
import { Chart } from '../parts/chart.js';
import { rookery } from '../parts/command.js';
import { type Column, List } from '../parts/list.js';
import { awayFrom, moment } from '../parts/time.js';
import { Empty, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import { instancePath } from '../shell/whereabouts.js';
import { PublishDetail, StateBadge } from './publish-detail.js';
import { sumOf, timeOf } from './publish-words.js';

const columns: readonly Column<Publish>[] = [
  { head: 'State', cell: (row) => <StateBadge value={row} /> },
  { head: 'Title', title: ({ title }) => title ?? '', cell: ({ title }) => title ?? <span class="faint">none</span> },
  { head: 'To', place: 'wide', cell: ({ interests, users }) => (interests ?? users ?? []).join(', ') },
  { head: 'Sent', place: 'wide end', look: 'number', cell: (row) => amount(sumOf(row, 'sent')) },
  { head: 'Failed', place: 'wide end', look: 'number', cell: (row) => amount(sumOf(row, 'failed')) },
  { head: 'Later', place: 'wide end', look: 'number', cell: (row) => amount(sumOf(row, 'later')) },
  {
    head: 'When',
    place: 'end',
    look: 'soft',
    title: (row) => moment(timeOf(row)),
    cell: (row) => awayFrom(timeOf(row)),
  },
];

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
      <List
        label="Publishes, newest first"
        pages={list}
        nameOf={({ id }) => id}
        chosen={chosen}
        onOpen={here}
        columns={columns}
        tracks="6.5rem minmax(0, 1.3fr) minmax(0, 1fr) 4rem 4rem 4rem 6rem"
        narrow="6.5rem minmax(0, 1fr) 5.5rem"
        empty={<NoPublishes />}
      >
        {chosen && (
          <PublishDetail key={chosen} instance={instance} id={chosen} onClose={() => here()} onChanged={list.reload} />
        )}
      </List>
    </>
  );
}

const NoPublishes = () => (
  <Empty icon={Bell} title="No publishes yet" code={rookery('publish hello --title Hello --body "world"')}>
    Publishes appear here with the progress on each platform and the outcome for each device. In a terminal:
  </Empty>
);
