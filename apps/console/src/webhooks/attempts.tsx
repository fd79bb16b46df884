import { Webhook } from 'lucide-preact';
import { useSearchParams } from 'wouter-preact';
import type { Activity, WebhookAttempt } from '../api/contract.js';
import type { ListPage } from '../api/list-page.js';
import { wasTaken } from '../live/summary-words.js';
import { type Column, List } from '../parts/list.js';
import { clock, moment } from '../parts/time.js';
import { Badge, Details, Empty, Facts, Payload, Section } from '../parts/words.js';

type Attempt = Activity & { readonly webhook: WebhookAttempt };

const columns: readonly Column<Attempt>[] = [
  { head: 'Answer', cell: (each) => <AnswerBadge value={each} /> },
  { head: 'Events', cell: ({ webhook }) => webhook.events.join(', ') },
  { head: 'To', place: 'wide', look: 'mono small', cell: ({ webhook }) => webhook.url },
  { head: 'Attempt', place: 'wide end', look: 'number', cell: ({ webhook }) => webhook.attempt },
  { head: 'Time', place: 'end', look: 'mono small faint', cell: ({ at }) => clock(at).slice(0, 8) },
];

/** The latest attempts, each with its payload and its answer. */
export function Attempts(props: Pick<ListPage<Attempt, unknown>, 'chosen' | 'open'> & { value: readonly Activity[] }) {
  const { open } = props;
  const [query, setQuery] = useSearchParams();
  const all = props.value.filter((each): each is Attempt => each.webhook !== undefined);
  const urls = [...new Set(all.map(({ webhook }) => webhook.url))].toSorted();
  const to = query.get('to') ?? '';
  const failed = query.get('failed') === 'yes';
  const rows = all.filter((each) => (to === '' || each.webhook.url === to) && !(failed && wasTaken(each)));
  const ask = (to: string, failed: boolean): void =>
    setQuery({ show: 'attempts', ...(to && { to }), ...(failed && { failed: 'yes' }) }, { replace: true });
  const chosen = rows.find(({ id }) => id === props.chosen);
  return (
    <>
      <div class="row">
        <select aria-label="Endpoint" value={to} onChange={(event) => ask(event.currentTarget.value, failed)}>
          <option value="">All endpoints</option>
          {(to === '' || urls.includes(to) ? urls : [to, ...urls]).map((url) => (
            <option key={url}>{url}</option>
          ))}
        </select>
        <label class="row">
          <input type="checkbox" checked={failed} onChange={(event) => ask(to, event.currentTarget.checked)} /> Only
          failed ones
        </label>
      </div>
      <List
        label="Attempts, newest first"
        page={{ ...props, list: { rows, first: rows, loading: false, more: () => {}, reload: () => {} } }}
        nameOf={({ id }) => id}
        columns={columns}
        tracks="6rem minmax(0, 1fr) minmax(0, 1.4fr) 5rem 6rem"
        narrow="5rem minmax(0, 1fr) 5rem"
        empty={
          all.length > 0 ? (
            <Empty icon={Webhook} title="No matching attempt">
              None of the last {all.length} attempts matches.
            </Empty>
          ) : (
            <Empty icon={Webhook} title="No attempts in the last minutes">
              Each process keeps its latest attempts. Send a test to see one.
            </Empty>
          )
        }
      >
        {chosen && <AttemptDetail value={chosen} onClose={() => open()} />}
      </List>
    </>
  );
}

const AnswerBadge = ({ value: each }: { readonly value: Attempt }) => (
  <Badge tone={wasTaken(each) ? 'good' : 'bad'}>{each.webhook.status ?? 'no answer'}</Badge>
);

function AttemptDetail({ value: attempt, onClose }: { readonly value: Attempt; onClose(): void }) {
  const { at, data, webhook } = attempt;
  return (
    <Details label="Attempt" title={webhook.events.join(', ') || 'Webhook'} onClose={onClose}>
      <Facts
        value={{
          Answer: <AnswerBadge value={attempt} />,
          Error: webhook.error,
          To: <span class="mono small break">{webhook.url}</span>,
          When: moment(at),
          Attempt: webhook.attempt,
          'Next attempt': webhook.nextAt !== null && moment(webhook.nextAt),
        }}
      />
      {webhook.answer !== undefined && (
        <Section title="Body of the answer">
          <pre class="wraps">{webhook.answer}</pre>
        </Section>
      )}
      <Payload title="Payload" label="Payload of the webhook" value={data} />
    </Details>
  );
}
