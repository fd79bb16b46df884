import { CircleCheck, RotateCw } from 'lucide-preact';
import { useEffect } from 'preact/hooks';
import { ask, pathOf } from '../api/ask.js';
import type { DeadWebhook, DeadWebhooks, Webhooks } from '../api/contract.js';
import type { ListPage } from '../api/list-page.js';
import { usePages } from '../api/pages.js';
import { amount, counted } from '../parts/amounts.js';
import { Button } from '../parts/button.js';
import { ConfirmButton } from '../parts/dialog.js';
import { type Column, List } from '../parts/list.js';
import { moment } from '../parts/time.js';
import { tried } from '../parts/toasts.js';
import { Ago, Details, Empty, Facts, Note, Payload } from '../parts/words.js';

const columns: readonly Column<DeadWebhook>[] = [
  { head: 'Events', cell: ({ events }) => events.join(', ') },
  { head: 'Last error', cell: ({ lastError }) => lastError },
  { head: 'To', place: 'wide', look: 'mono small', cell: ({ url }) => url },
  { head: 'Given up', place: 'end', cell: ({ at }) => <Ago at={at} /> },
];

/** The webhooks that were given up, newest first. */
export function GivenUp(
  props: Pick<ListPage<DeadWebhook, DeadWebhooks>, 'chosen' | 'open'> & {
    readonly path: string;
    readonly value: Webhooks;
    onResent(): void;
  },
) {
  const { path, open } = props;
  const { dead: count, dropped } = props.value;
  const list = usePages<DeadWebhook, DeadWebhooks>(`${path}/dead`, {}, (page) => page.webhooks);
  const chosen = list.rows.find(({ id }) => id === props.chosen);
  // Later pages stay in place while they are read.
  const isFirst = list.rows.length === (list.first?.webhooks.length ?? 0);
  useEffect(() => {
    if (isFirst) list.reload();
    // Once as many are kept as may be, only the number of dropped ones changes.
  }, [count, dropped]);
  const resend = async (at: string, done: string): Promise<void> => {
    await tried(() => ask('POST', `${path}/${at}`, {}), done);
    open();
    list.reload();
    props.onResent();
  };
  return (
    <>
      {dropped > 0 && (
        <Note tone="warn">
          The latest {amount(count)} are kept; {counted(dropped, 'older one')} {dropped === 1 ? 'was' : 'were'} dropped
          and cannot be sent again.
        </Note>
      )}
      {count > 0 && (
        <div class="row">
          <ConfirmButton
            title={`Send ${counted(count, 'webhook')} again?`}
            label={
              <>
                <RotateCw size={16} aria-hidden="true" /> Send all again
              </>
            }
            look=""
            action="Send all again"
            onConfirm={() => void resend('dead/resend', 'All are sent again.')}
          >
            Each gets the same attempts as a new webhook. Those that fail again come back to this list.
          </ConfirmButton>
        </div>
      )}
      <List
        label="Given-up webhooks, newest first"
        page={{ ...props, list }}
        nameOf={({ id }) => id}
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
          <Details label="Given-up webhook" title={chosen.events.join(', ') || 'Webhook'} onClose={() => open()}>
            <div class="row">
              <Button onClick={() => void resend(`${pathOf('dead', chosen.id)}/resend`, 'It is sent again.')}>
                <RotateCw size={16} aria-hidden="true" /> Send again
              </Button>
            </div>
            <Facts
              value={{
                'Last error': <span class="break">{chosen.lastError}</span>,
                To: <span class="mono small break">{chosen.url}</span>,
                'Given up': moment(chosen.at),
                Id: <span class="mono small break">{chosen.id}</span>,
              }}
            />
            <Payload title="Payload" label="Payload of the webhook" value={chosen.body} />
          </Details>
        )}
      </List>
    </>
  );
}
