import { Bell } from 'lucide-preact';
import { useEffect } from 'preact/hooks';
import { Link } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf, withQuery } from '../api/ask.js';
import type { Charts, Publish, Publishes } from '../api/contract.js';
import { useListPage } from '../api/list-page.js';
import { amount } from '../parts/amounts.js';
import { Chart } from '../parts/chart.js';
import { rookery } from '../parts/command.js';
import { type Column, List } from '../parts/list.js';
import { Ago, Empty, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { instancePath } from '../shell/whereabouts.js';
import { PublishDetail, StateBadge } from './publish-detail.js';
import { audienceText, sumOf, timeOf } from './publish-words.js';

const columns: readonly Column<Publish>[] = [
  { head: 'State', cell: (row) => <StateBadge value={row} /> },
  { head: 'Title', cell: ({ title }) => title ?? <span class="faint">none</span> },
  { head: 'To', place: 'wide', cell: audienceText },
  { head: 'Sent', place: 'wide end', look: 'number', cell: (row) => amount(sumOf(row, 'sent')) },
  { head: 'Failed', place: 'wide end', look: 'number', cell: (row) => amount(sumOf(row, 'failed')) },
  { head: 'Retrying', place: 'wide end', look: 'number', cell: (row) => amount(sumOf(row, 'later')) },
  { head: 'When', place: 'end', cell: (row) => <Ago at={timeOf(row)} mayCome /> },
];

const series = [
  ['publishes', 'Publishes', '--accent'],
  ['delivered', 'Sent', '--good'],
  ['failed', 'Failed', '--bad'],
] as const;

/** The publishes, newest first, with their progress. */
export function PublishesPage({ id: instance, chosen }: PageProps) {
  const path = `${pathOf('instances', instance)}/publishes`;
  const page = useListPage(path, chosen, [], ({ publishes }: Publishes) => publishes);
  const { list, open } = page;
  const charts = useAnswer<Charts>(withQuery('charts/push', { instance }), 10_000);
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
        {series.map(([name, title, colour]) => (
          <Chart key={name} title={title} unit="in 10 s" colour={colour} charts={charts.value} series={name} />
        ))}
      </section>
      <List
        label="Publishes, newest first"
        page={page}
        nameOf={({ id }) => id}
        columns={columns}
        tracks="6.5rem minmax(0, 1.3fr) minmax(0, 1fr) 4rem 4rem 5rem 6rem"
        narrow="6.5rem minmax(0, 1fr) 5.5rem"
        empty={<NoPublishes />}
      >
        {chosen && (
          <PublishDetail key={chosen} instance={instance} id={chosen} onClose={() => open()} onChanged={list.reload} />
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
