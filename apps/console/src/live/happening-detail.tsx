import { X } from 'lucide-preact';
import { Link } from 'wouter-preact';
import { pathOf, withQuery } from '../api/ask.js';
import type { Happening } from '../api/contract.js';
import { CopyButton } from '../parts/copy.js';
import { JsonView } from '../parts/json-view.js';
import { moment, clock } from '../parts/time.js';
import { Badge, Facts, Note } from '../parts/words.js';
import { isEvent, kindNames } from './happening-words.js';

/** All that is known of what happened. */
export function HappeningDetail(props: { readonly app: string; readonly of: Happening; onClose?(): void }) {
  const { app, of: happening } = props;
  const [name, tone] = kindNames[happening.kind] ?? [happening.kind, ''];
  const { webhook, channel, socketId } = happening;
  return (
    <aside class="detail" aria-label="What happened">
      <div class="detail-head">
        <div class="stack">
          <Badge tone={tone}>{name}</Badge>
          {happening.name && <h2 class="break">{happening.name}</h2>}
        </div>
        {props.onClose && (
          <button
            type="button"
            class="button plain icon"
            aria-label="Close"
            title="Close (Esc)"
            onClick={props.onClose}
          >
            <X size={16} />
          </button>
        )}
      </div>
      {isEvent(happening) && (
        <Link class="button" href={withQuery(`/${pathOf('apps', app, 'why')}`, { event: happening.id })}>
          Why did it arrive, or not?
        </Link>
      )}
      <Facts
        of={{
          At: <time title={moment(happening.at)}>{clock(happening.at)}</time>,
          Channel: channel && <Link href={`/${pathOf('apps', app, 'channels', channel)}`}>{channel}</Link>,
          Socket: socketId && <Link href={`/${pathOf('apps', app, 'connections', socketId)}`}>{socketId}</Link>,
          User: happening.userId,
          'Not sent to': happening.excluded,
          Reached: happening.reached,
          Code: happening.code,
          Message: happening.message,
          To: webhook?.url,
          Events: webhook?.events.join(', '),
          Attempt: webhook?.attempt,
          Answer: webhook?.status ?? webhook?.error,
          'Next attempt': webhook?.nextAt && clock(webhook.nextAt),
          Node: <span class="mono">{happening.node}</span>,
          Id: <span class="mono">{happening.id}</span>,
        }}
      />
      {happening.data !== undefined && (
        <section class="stack">
          <div class="card-head">
            <h3>Data</h3>
            <CopyButton text={happening.data} label="Copy the data" />
          </div>
          <JsonView value={happening.data} label="Data of the event" />
        </section>
      )}
      {isEvent(happening) && happening.data === undefined && <Note>Payloads are hidden on this server.</Note>}
    </aside>
  );
}
