import { CircleQuestionMark } from 'lucide-preact';
import { useEffect, useState } from 'preact/hooks';
import { useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf, withQuery } from '../api/ask.js';
import type { Activity, Why } from '../api/contract.js';
import { isEvent, summaryOf } from '../live/activity-words.js';
import { feedOf } from '../live/live-feed.js';
import { Choice, Field } from '../parts/fields.js';
import { clock } from '../parts/time.js';
import { Empty, Failure, PageHead } from '../parts/words.js';
import { Verdicts } from './verdicts.js';

/** How many recent events are offered. */
const offered = 30;

/** Whether an event reached a connection or user, and if not, why. */
export function WhyPage({ app }: { readonly app: string }) {
  const [query, setQuery] = useSearchParams();
  const event = query.get('event') ?? '';
  const user = query.get('user') ?? '';
  const socket = query.get('socket') ?? '';
  const [who, setWho] = useState<'socket' | 'user'>(user ? 'user' : 'socket');
  const [id, setId] = useState(user || socket);

  const path = event && (user || socket) ? withQuery(`${pathOf('apps', app)}/why`, { event, user, socket }) : null;
  const answer = useAnswer<Why>(path);
  const asked = (to: { event: string; who: string; id: string }): void =>
    setQuery(new URLSearchParams(Object.entries({ event: to.event, [to.who]: to.id }).filter(([, value]) => value)));

  return (
    <>
      <PageHead title="Why?">
        Shows whether an event reached a user or a socket, and if not, why. Recent events are traced while the console
        is open.
      </PageHead>
      <div class="halves">
        <div class="stack">
          <form
            class="card stack"
            onSubmit={(submitted) => {
              submitted.preventDefault();
              asked({ event, who, id });
              answer.reload();
            }}
          >
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
            <Choice label="Whom" of={{ socket: 'A socket', user: 'A user' }} value={who} onChange={setWho} />
            <Field label={who === 'socket' ? 'Socket id' : 'User id'}>
              <input
                class="mono"
                required
                data-search
                placeholder={who === 'socket' ? '123.456' : 'alice'}
                value={id}
                onInput={({ currentTarget }) => setId(currentTarget.value.trim())}
              />
            </Field>
            <button class="button main">Ask</button>
          </form>
          <RecentEvents app={app} chosen={event} onChoose={(chosen) => asked({ event: chosen.id, who, id })} />
        </div>
        <div class="stack" aria-live="polite">
          <Failure of={answer.failure} />
          {answer.value && <Verdicts app={app} of={answer.value} />}
          {!answer.value && !answer.failure && (
            <Empty icon={CircleQuestionMark} title={event ? 'Who should have received it?' : 'Which event?'}>
              {event
                ? 'Enter a socket or a user. The answer is one sentence, with a timeline.'
                : 'Select an event, then enter who should have received it. The answer is one sentence, with a timeline.'}
            </Empty>
          )}
        </div>
      </div>
    </>
  );
}

/** The events since this page was opened; while it is open, the server traces more. */
function RecentEvents(props: { readonly app: string; readonly chosen: string; onChoose(event: Activity): void }) {
  const feed = feedOf(props.app);
  useEffect(() => feed.watch(), [feed]);
  void feed.turn.value;
  const events = feed.buffer.shown.filter(isEvent).slice(-offered).toReversed();
  return (
    <section class="card stack" aria-label="Recent events">
      <h2>Recent events</h2>
      {events.length === 0 && <p class="soft">None since you opened this page. Send one, and it appears here.</p>}
      <ul class="choices">
        {events.map((event) => (
          <li key={event.id}>
            <button type="button" aria-pressed={event.id === props.chosen} onClick={() => props.onChoose(event)}>
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
