import { History, SendHorizontal } from 'lucide-preact';
import { useState } from 'preact/hooks';
import { Link, useSearchParams } from 'wouter-preact';
import { ask, pathOf, refusalOf, withQuery } from '../api/ask.js';
import type { SentEvent } from '../api/contract.js';
import { session } from '../api/session.js';
import { counted } from '../parts/amounts.js';
import { Button, Form, Submit } from '../parts/button.js';
import { prettyText } from '../parts/json-view.js';
import { clock } from '../parts/time.js';
import { Field, jsonFault, namesIn } from '../parts/fields.js';
import { Badge, Empty, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { appPath } from '../shell/whereabouts.js';

/** Sample data. */
const templates: Readonly<Record<string, { readonly name: string; readonly data: string }>> = {
  'Hello world': { name: 'my-event', data: '{\n  "hello": "world"\n}' },
  'Chat message': {
    name: 'message',
    data: '{\n  "id": 1,\n  "from": { "id": "alice", "name": "Alice" },\n  "text": "Is anybody there?"\n}',
  },
  'Order changed': {
    name: 'order.updated',
    data: '{\n  "orderId": 1042,\n  "status": "shipped",\n  "items": [{ "sku": "A-7", "count": 2 }]\n}',
  },
  'Plain text': { name: 'notice', data: 'We are back at ten.' },
  Nothing: { name: 'refresh', data: '{}' },
};

interface Sent {
  readonly at: number;
  readonly channels: readonly string[];
  readonly name: string;
  readonly answer?: SentEvent;
  readonly failure?: string;
}

/** Triggers events by hand. */
export function EventsPage({ id: app }: PageProps) {
  const [query] = useSearchParams();
  const [channels, setChannels] = useState(query.get('channel') ?? 'my-channel');
  const [name, setName] = useState('my-event');
  const [data, setData] = useState(templates['Hello world']!.data);
  const [socketId, setSocketId] = useState('');
  const [sending, setSending] = useState(false);
  const [sent, setSent] = useState<readonly Sent[]>([]);
  const fault = /^\s*[[{]/.test(data) ? jsonFault(data) : undefined;

  const send = async (): Promise<void> => {
    setSending(true);
    const body = { channels: namesIn(channels), name, data, ...(socketId ? { socketId } : {}) };
    const note = (how: Pick<Sent, 'answer' | 'failure'>): void =>
      setSent((before) => [{ at: Date.now(), channels: body.channels, name, ...how }, ...before].slice(0, 50));
    try {
      note({ answer: await ask<SentEvent>('POST', `${pathOf('apps', app)}/events`, body) });
    } catch (error) {
      note({ failure: refusalOf(error).message });
    }
    setSending(false);
  };

  return (
    <>
      <PageHead title="Event creator">Sends an event to subscribers, as your server would.</PageHead>
      <div class="halves">
        <Form class="card stack" onSubmit={() => fault === undefined && void send()}>
          <Field label="Template">
            <select
              onChange={(event) => {
                const template = templates[event.currentTarget.value];
                if (!template) return;
                setName(template.name);
                setData(template.data);
              }}
            >
              {Object.keys(templates).map((each) => (
                <option key={each}>{each}</option>
              ))}
            </select>
          </Field>
          <Field label="Channels" hint="Up to 100, separated by commas or spaces.">
            <input required value={channels} onInput={(event) => setChannels(event.currentTarget.value)} />
          </Field>
          <Field label="Event">
            <input required maxLength={200} value={name} onInput={(event) => setName(event.currentTarget.value)} />
          </Field>
          <Field label="Data" fault={fault} hint="JSON, or any text; at most 10 KB.">
            <textarea
              spellcheck={false}
              value={data}
              aria-invalid={fault !== undefined}
              onInput={(event) => setData(event.currentTarget.value)}
            />
          </Field>
          <Field label="Exclude socket" hint="If empty, all subscribers get the event.">
            <input
              class="mono"
              placeholder="123.456"
              value={socketId}
              onInput={(event) => setSocketId(event.currentTarget.value.trim())}
            />
          </Field>
          <div class="row">
            <Submit disabled={sending || fault !== undefined}>
              <SendHorizontal size={16} aria-hidden="true" /> Send event
            </Submit>
            {fault !== undefined && (
              <Button disabled={sending} onClick={() => void send()}>
                Send as text
              </Button>
            )}
            <Button disabled={fault !== undefined} onClick={() => setData(prettyText(data))}>
              Indent
            </Button>
          </div>
        </Form>
        <section class="card stack" aria-label="Sent events" aria-live="polite">
          <h2>Sent events</h2>
          {sent.length === 0 ? (
            <Empty icon={History} title="No events sent from here">
              {session.value?.hidesPayloads
                ? 'Each event is listed with its outcome; its data is not shown, because payloads are hidden.'
                : 'Each event is listed with its outcome, and a link that shows which connections got it.'}
            </Empty>
          ) : (
            <ul class="sent">
              {sent.map((each) => (
                <SentRow key={`${each.at} ${each.answer?.id}`} app={app} {...each} />
              ))}
            </ul>
          )}
        </section>
      </div>
    </>
  );
}

const reached = ({ subscriptions }: SentEvent): string =>
  subscriptions === 0 ? 'No connection was subscribed.' : `${counted(subscriptions, 'connection')} subscribed.`;

const SentRow = ({ app, at, channels, name, answer, failure }: Sent & { readonly app: string }) => (
  <li>
    <span class="mono small faint">{clock(at)}</span>
    <div class="break">
      <b>{name}</b> to {channels.join(', ')}
      {failure && <div class="soft">{failure}</div>}
      {answer && <div class="soft">{reached(answer)}</div>}
    </div>
    {answer === undefined ? (
      <Badge tone="bad">refused</Badge>
    ) : (
      <span class="row">
        <Badge tone="good">sent</Badge>
        <Link href={withQuery(appPath(app, 'why'), { event: answer.id })}>Why?</Link>
      </span>
    )}
  </li>
);
