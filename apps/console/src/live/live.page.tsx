import { ListFilter, Pause, Play, Radio, Trash2 } from 'lucide-preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Link, useLocation, useSearch, useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf } from '../api/ask.js';
import type { Activity, ActivityKind } from '../api/contract.js';
import { counted } from '../parts/amounts.js';
import { Button } from '../parts/button.js';
import { rookery } from '../parts/command.js';
import { clock } from '../parts/time.js';
import { type Column, VirtualRows } from '../parts/virtual-rows.js';
import { Badge, Details, Empty, Note, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { useKeys } from '../shell/keys.js';
import { appPath } from '../shell/whereabouts.js';
import { everything, type Filter, queryOf } from '../api/live-filter.js';
import { Filters } from './filters.js';
import { feedOf, type LiveFeed } from './live-feed.js';
import { ActivityDetail } from './activity-detail.js';
import { kindNames, summaryOf } from './summary-words.js';
import { folded, type Line, toneOf } from './folded.js';

interface LiveColumn extends Column<Line> {
  readonly track: string;
  /** It has a column only where a line has the field. */
  readonly field?: 'channel' | 'socketId';
}

const columns: readonly LiveColumn[] = [
  {
    head: 'Time',
    track: '6.5rem',
    look: 'mono small faint',
    cell: ({ at }) => (
      <>
        {clock(at).slice(0, 8)}
        <span class="wide">{clock(at).slice(8)}</span>
      </>
    ),
  },
  {
    head: 'Kind',
    track: '9rem',
    cell: (line) => <Badge tone={toneOf(line)}>{kindNames[line.kind]?.[0] ?? line.kind}</Badge>,
  },
  {
    head: 'Channel',
    track: 'minmax(6rem, 12rem)',
    field: 'channel',
    place: 'wide',
    cell: ({ channel }) => channel,
  },
  {
    head: 'Details',
    track: 'minmax(0, 1fr)',
    look: 'mono small',
    cell: (line) => (
      <>
        <span class="narrow">{line.channel ?? line.socketId} </span>
        {summaryOf(line)}
        {line.earlier && `, and ${counted(line.earlier, 'earlier attempt')}`}
      </>
    ),
  },
  {
    head: 'Socket',
    track: '9rem',
    field: 'socketId',
    place: 'wide',
    look: 'mono small faint',
    cell: ({ socketId }) => socketId,
  },
];

/** Activities as they happen. The list stands still while you read it. */
export function LivePage({ id: app, chosen }: PageProps) {
  const feed = feedOf(app);
  const [filter, setFilter] = useFilter();
  const [paused, setPaused] = useState(false);
  const [reading, setReading] = useState(false);
  const [open, setOpen] = useOpen(app, chosen, feed);

  useEffect(() => feed.watch(), [feed]);
  useEffect(() => {
    // Not for every letter typed.
    const timer = setTimeout(() => feed.setFilter(filter), 200);
    return () => clearTimeout(timer);
  }, [feed, JSON.stringify(filter)]);
  useEffect(() => feed.hold(paused || reading), [feed, paused, reading]);
  useEffect(() => () => feed.hold(false), [feed]);
  useKeys({
    p: () => setPaused((before) => !before),
    c: () => feed.clear(),
    ...(chosen && { Escape: () => setOpen(undefined) }),
  });

  void feed.turn.value;
  const { shown: activities, waitingCount } = feed.buffer;
  const shown = useMemo(() => folded(activities), [activities]);
  const used = columns.filter(({ field }) => !field || shown.some((line) => line[field] !== undefined));
  return (
    <>
      <PageHead
        title="Live"
        actions={
          <>
            <Pulse feed={feed} paused={paused} />
            <Button aria-pressed={paused} title="p" onClick={() => setPaused(!paused)}>
              {paused ? <Play size={16} aria-hidden="true" /> : <Pause size={16} aria-hidden="true" />}
              {paused ? 'Resume' : 'Pause'}
            </Button>
            <Button title="c" onClick={() => feed.clear()}>
              <Trash2 size={16} aria-hidden="true" /> Clear
            </Button>
          </>
        }
      />
      <Filters value={filter} onChange={setFilter} />
      <div class="beside">
        <div class="stack">
          <VirtualRows
            label="Activity, newest first"
            count={shown.length}
            rowAt={(index) => shown.at(-1 - index)!}
            selected={open.value ? shown.length - 1 - shown.findIndex(({ id }) => id === open.value?.id) : -1}
            onOpen={setOpen}
            onTop={(isAtTop) => setReading(!isAtTop)}
            columns={used}
            tracks={used.map(({ track }) => track).join(' ')}
            narrow="4.6rem max-content minmax(0, 1fr)"
            empty={<NothingYet app={app} feed={feed} onShowAll={() => setFilter(everything)} />}
          />
          <p class="small soft number">
            {counted(shown.length, 'line')}
            {waitingCount > 0 && `, ${counted(waitingCount, 'newer one')} ${paused ? 'waiting' : 'above'}`}
            {feed.status.value.dropped > 0 && `, ${counted(feed.status.value.dropped, 'was', 'were')} too many to show`}
          </p>
        </div>
        {open.value && <ActivityDetail app={app} value={open.value} onClose={() => setOpen(undefined)} />}
        {open.isGone && <Gone onClose={() => setOpen(undefined)} />}
      </div>
      <LiveRegion feed={feed} />
    </>
  );
}

const states = { connecting: 'Connecting', live: 'Live', reconnecting: 'Reconnecting', gone: 'Removed' };

function Pulse({ feed, paused }: { readonly feed: LiveFeed; readonly paused: boolean }) {
  const state = feed.state.value;
  const nodes = feed.status.value.nodes;
  const words = paused && state === 'live' ? 'Paused' : states[state];
  return (
    <span class={`row small soft pulse ${state === 'live' && !paused ? 'good' : 'warn'}`} role="status">
      <i /> {words}
      {state === 'live' && nodes > 1 && `, ${nodes} processes`}
    </span>
  );
}

/** Announces the number of new lines to screen readers now and then: each line would be too much. */
function LiveRegion({ feed }: { readonly feed: LiveFeed }) {
  const [words, setWords] = useState('');
  useEffect(() => {
    const timer = setInterval(() => setWords(counted(feed.buffer.shown.length, 'line')), 10_000);
    return () => clearInterval(timer);
  }, [feed]);
  return (
    <p class="unseen" aria-live="polite">
      {words}
    </p>
  );
}

function NothingYet(props: { readonly app: string; readonly feed: LiveFeed; onShowAll(): void }) {
  const { app, feed } = props;
  if (feed.isFiltered)
    return (
      <Empty
        icon={ListFilter}
        title="No line matches"
        action={<Button onClick={props.onShowAll}>Show everything</Button>}
      >
        {feed.buffer.size > 0
          ? `None of the ${counted(feed.buffer.size, 'line')} that this page has matches the filter. New lines appear as they happen.`
          : 'Nothing in the last minutes matches the filter. New lines appear as they happen.'}
      </Empty>
    );
  if (feed.state.value === 'gone')
    return (
      <Empty icon={Radio} title={`There is no app ${app}`} action={<Link href="/">Show all apps</Link>}>
        It was removed, or its id is mistyped.
      </Empty>
    );
  if (feed.state.value === 'reconnecting') return <Empty icon={Radio} title="Reconnecting" />;
  const lines = ['subscribe my-channel', `trigger my-channel my-event '{"hello":"world"}'`];
  const command = lines.map((line) => rookery(line)).join('\n');
  return (
    <Empty icon={Radio} title={`No recent activity in app ${app}`} code={command}>
      Connections, subscriptions, events, errors and webhooks appear here as they happen. Try it in two terminals:
    </Empty>
  );
}

const Gone = ({ onClose }: { onClose(): void }) => (
  <Details label="What happened" title="No longer kept" onClose={onClose}>
    <Note tone="warn">The server keeps the activity of the last minutes. This one is older, or of another app.</Note>
  </Details>
);

/** The opened activity is part of the address, so that you can share it. It may be older than this page. */
function useOpen(app: string, chosen: string | undefined, feed: LiveFeed) {
  const [, go] = useLocation();
  const search = useSearch();
  const here = chosen === undefined ? undefined : feed.buffer.find(chosen);
  const wanted = chosen !== undefined && !here ? `${pathOf('apps', app)}/recent/${pathOf(chosen)}` : null;
  const { value: fetched, failure } = useAnswer<Activity>(wanted);
  const last = useRef<Activity>();
  // The list may have dropped it meanwhile.
  const found = here ?? fetched ?? (last.current?.id === chosen ? last.current : undefined);
  last.current = found;
  const set = (activity: Activity | undefined): void => {
    const path = activity ? appPath(app, pathOf('live', activity.id)) : appPath(app, 'live');
    // Going back leads to the list, however many lines were opened.
    go(search === '' ? path : `${path}?${search}`, { replace: chosen !== undefined });
  };
  return [{ value: found, isGone: !found && failure?.status === 404 }, set] as const;
}

/** The filter is part of the address, so that you can share it. */
function useFilter(): [Filter, (filter: Filter) => void] {
  const [query, setQuery] = useSearchParams();
  const known = (kind: string): kind is ActivityKind => kind in kindNames;
  const filter = {
    kinds: (query.get('kinds') ?? '').split(',').filter(known),
    channel: query.get('channel') ?? '',
    text: query.get('text') ?? '',
    socketId: query.get('socket') ?? '',
  };
  const set = (next: Filter): void =>
    setQuery(new URLSearchParams(Object.entries(queryOf(next)).filter(([, value]) => value)), { replace: true });
  return [filter, set];
}
