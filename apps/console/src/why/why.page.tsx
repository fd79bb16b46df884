import { CircleQuestionMark } from 'lucide-preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf, withQuery } from '../api/ask.js';
import type { Activity, Recent, Why } from '../api/contract.js';
import { summaryOf } from '../live/summary-words.js';
import { Form, Submit } from '../parts/button.js';
import { Field, SearchInput } from '../parts/fields.js';
import { clock } from '../parts/time.js';
import { Empty, Failure, PageHead } from '../parts/words.js';
import type { PageProps } from '../settings/kinds.js';
import { RefusedConnections } from './refused-connections.js';
import { Verdicts } from './verdicts.js';

/** How many recent events are offered. */
const offered = 30;

/** Whether an event reached a connection or user, and if not, why. */
export function WhyPage({ id: app }: PageProps) {
  const [query, setQuery] = useSearchParams();
  const event = query.get('event') ?? '';
  const user = query.get('user') ?? '';
  const socket = query.get('socket') ?? '';
  const [id, setId] = useState(user || socket);

  const path = event && (user || socket) ? withQuery(`${pathOf('apps', app)}/why`, { event, user, socket }) : null;
  const answer = useAnswer<Why>(path);
  const answers = useRef<HTMLDivElement>(null);
  const answered = answer.value && path;
  // The list is long: without it, the answer for an event far down would be out of sight.
  useEffect(() => {
    if (answered) answers.current?.firstElementChild?.scrollIntoView({ block: 'nearest' });
  }, [answered]);
  const asked = (about: { event: string; id: string }): void => {
    const who = isSocketId(about.id) ? 'socket' : 'user';
    setQuery(new URLSearchParams(Object.entries({ event: about.event, [who]: about.id }).filter(([, value]) => value)));
  };

  return (
    <>
      <PageHead title="Why?">
        Shows whether an event of the last minutes reached a user or a socket, and if not, why.
      </PageHead>
      <div class="why">
        <div class="halves">
          <Form class="card stack" onSubmit={() => (asked({ event, id }), answer.reload())}>
            <Field
              label="Event"
              hint="The id of an event, as shown by Live and the event creator; or select one below."
            >
              <input
                class="mono"
                required
                value={event}
                onInput={({ currentTarget }) =>
                  setQuery(
                    { event: currentTarget.value.trim(), ...(user && { user }), ...(socket && { socket }) },
                    { replace: true },
                  )
                }
              />
            </Field>
            <Field
              label="User or socket id"
              hint="A user who signed in or is on a presence channel, or a socket such as 123.456."
            >
              <input
                class="mono"
                required
                data-search
                placeholder="alice"
                value={id}
                onInput={({ currentTarget }) => setId(currentTarget.value.trim())}
              />
            </Field>
            <Submit>Ask</Submit>
          </Form>
          <div class="stack answer" aria-live="polite" ref={answers}>
            <Failure value={answer.failure} />
            {answer.value && <Verdicts app={app} value={answer.value} />}
            {!answer.value && !answer.failure && (
              <Empty icon={CircleQuestionMark} title={event ? 'Who should have received it?' : 'Which event?'}>
                {event
                  ? 'Enter a socket or a user. The answer is one sentence, with a timeline.'
                  : 'Select an event, then enter who should have received it. The answer is one sentence, with a timeline.'}
              </Empty>
            )}
          </div>
          <div class="stack">
            <RecentEvents app={app} chosen={event} onChoose={(chosen) => asked({ event: chosen.id, id })} />
            <RefusedConnections app={app} />
          </div>
        </div>
      </div>
    </>
  );
}

const isSocketId = (id: string): boolean => /^\d+\.\d+$/.test(id);

/** The events of the last minutes. They stand still while you point at one: on a busy server it would move away. */
function RecentEvents(props: { readonly app: string; readonly chosen: string; onChoose(event: Activity): void }) {
  const [channel, setChannel] = useState('');
  const list = useRef<HTMLUListElement>(null);
  const path = withQuery(`${pathOf('apps', props.app)}/recent`, { kinds: 'event,client_event', channel });
  const { value } = useAnswer<Recent>(path, 2000);
  const shown = useRef<{ readonly path: string; readonly events: readonly Activity[] }>();
  const isChoosing = list.current?.matches(':hover, :focus-within') ?? false;
  if (value && !(isChoosing && shown.current?.path === path))
    shown.current = { path, events: value.activities.slice(0, offered) };
  const events = shown.current?.events ?? [];
  return (
    <section class="card stack" aria-label="Recent events">
      <h2>Recent events</h2>
      <SearchInput
        aria-label="Channel of the events"
        placeholder="Part of a channel"
        value={channel}
        onChange={(text) => setChannel(text.trim())}
      />
      {value && events.length === 0 && (
        <p class="soft">
          {channel ? 'No event of such a channel' : 'None'} in the last minutes. Send one, and it appears here.
        </p>
      )}
      <ul class="choices" ref={list}>
        {events.map((event) => (
          <li key={event.id}>
            <button
              type="button"
              class="nav-link"
              aria-pressed={event.id === props.chosen}
              onClick={() => props.onChoose(event)}
            >
              <span class="mono small faint">{clock(event.at)}</span>
              <span class="cut">
                <b>{event.channel}</b> {summaryOf(event)}
              </span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
