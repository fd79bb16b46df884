import { CircleCheck, RotateCw } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import { ask, pathOf } from '../api/ask.js';
import type { DeadWebhook, DeadWebhooks } from '../api/contract.js';
import { usePages } from '../api/pages.js';
import { amount, counted } from '../parts/amounts.js';
import { Confirm } from '../parts/dialog.js';
import { type Column, List } from '../parts/list.js';
import { ago, moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Details, Empty, Facts, Note } from '../parts/words.js';
import { BodyView } from './body-view.js';

const columns: readonly Column<DeadWebhook>[] = [
  { head: 'Events', cell: ({ events }) => events.join(', ') },
  { head: 'Last error', title: ({ lastError }) => lastError, cell: ({ lastError }) => lastError },
  { head: 'To', place: 'wide', look: 'mono small', title: ({ url }) => url, cell: ({ url }) => url },
  { head: 'Given up', place: 'end', look: 'soft', title: ({ at }) => moment(at), cell: ({ at }) => ago(at) },
];

/** The webhooks that were given up, newest first. */
export function GivenUp(props: {
  readonly path: string;
  readonly count: number;
  /** How many older ones were dropped. */
  readonly dropped: number;
  readonly chosen: string | undefined;
  onOpen(id?: string): void;
  onResent(): void;
}) {
  const { path, count } = props;
  const [asks, setAsks] = useState(false);
  const list = usePages<DeadWebhook, DeadWebhooks>(`${path}/dead`, {}, (page) => page.webhooks);
  const chosen = list.rows.find(({ id }) => id === props.chosen);
  // Later pages stay in place while they are read.
  const isFirst = list.rows.length === (list.first?.webhooks.length ?? 0);
  useEffect(() => {
    if (isFirst) list.reload();
  }, [count]);
  const resend = async (at: string, done: string): Promise<void> => {
    await tried(() => ask('POST', `${path}/${at}`, {}), done);
    props.onOpen();
    list.reload();
    props.onResent();
  };
  return (
    <>
      {props.dropped > 0 && (
        <Note tone="warn">
          {amount(count)} kept, {counted(props.dropped, 'older one')} dropped, which cannot be sent again.
        </Note>
      )}
      {count > 0 && (
        <div class="row">
          <button type="button" class="button" onClick={() => setAsks(true)}>
            <RotateCw size={16} aria-hidden="true" /> Send all again
          </button>
        </div>
      )}
      <List
        label="Given-up webhooks, newest first"
        pages={list}
        nameOf={({ id }) => id}
        chosen={props.chosen}
        onOpen={props.onOpen}
        columns={columns}
        tracks="minmax(0, 1fr) minmax(0, 1.2fr) minmax(0, 1.2fr) 6rem"
        narrow="minmax(0, 1fr) minmax(0, 1fr) 5rem"
        empty={
          <Empty icon={CircleCheck} title="No webhook was given up">
            A webhook is given up when its last attempt fails. It is kept here, to be sent again.
          </Empty>
        }
      >
        {chosen && (
          <Details
            label="Given-up webhook"
            head={<h2 class="break">{chosen.events.join(', ') || 'Webhook'}</h2>}
            onClose={() => props.onOpen()}
          >
            <div class="row">
              <button
                type="button"
                class="button"
                onClick={() => void resend(`${pathOf('dead', chosen.id)}/resend`, 'It is sent again.')}
              >
                <RotateCw size={16} aria-hidden="true" /> Send again
              </button>
            </div>
            <Facts
              value={{
                'Last error': <span class="break">{chosen.lastError}</span>,
                To: <span class="mono small break">{chosen.url}</span>,
                'Given up': moment(chosen.at),
                Id: <span class="mono small break">{chosen.id}</span>,
              }}
            />
            <BodyView body={chosen.body} />
          </Details>
        )}
      </List>
      {asks && (
        <Confirm
          title={`Send ${counted(count, 'webhook')} again?`}
          action="Send all again"
          onConfirm={() => void resend('dead/resend', 'All are sent again.')}
          onClose={() => setAsks(false)}
        >
          Each gets the same attempts as a new webhook. Those that fail again come back to this list.
        </Confirm>
      )}
    </>
  );
}
