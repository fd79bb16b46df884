import { Link } from 'wouter-preact';
import { pathOf } from '../api/ask.js';
import type { Why, WhySocket } from '../api/contract.js';
import { JsonView } from '../parts/json-view.js';
import { clock } from '../parts/time.js';
import { Timeline } from '../parts/timeline.js';
import { Badge, Facts, Note } from '../parts/words.js';
import { appPath } from '../shell/whereabouts.js';
import { UserLink } from '../users/user-link.js';
import { endedText, folded } from './ended-words.js';
import { notKept, sentenceOf, verdictWords } from './verdict-words.js';

/** The answer: for each socket a verdict, its reason, and the timeline. */
export function Verdicts({ app, value: why }: { readonly app: string; readonly value: Why }) {
  const { shown, ended } = folded(why);
  return (
    <>
      {!why.event && <Note tone="warn">{notKept(why)}</Note>}
      {shown.map((socket) => (
        <OfSocket key={socket.socketId ?? ''} app={app} value={socket} />
      ))}
      {ended.length > 0 && (
        <details class="folded">
          <summary>{endedText(ended)}</summary>
          {ended.map((socket) => (
            <OfSocket key={socket.socketId} app={app} value={socket} />
          ))}
        </details>
      )}
      {why.event && <OfEvent value={why.event} />}
    </>
  );
}

function OfSocket({ app, value: socket }: { readonly app: string; readonly value: WhySocket }) {
  const [word, tone] = verdictWords[socket.verdict];
  return (
    <section class="card stack">
      <div class="row">
        <Badge tone={tone}>{word}</Badge>
        {socket.socketId && (
          <Link class="mono small" href={appPath(app, pathOf('connections', socket.socketId))}>
            {socket.socketId}
          </Link>
        )}
        {socket.userId && (
          <span class="small">
            <UserLink id={socket.userId} />
          </span>
        )}
      </div>
      <p class="break">{sentenceOf(socket)}</p>
      <Timeline value={socket.timeline} />
    </section>
  );
}

const OfEvent = ({ value: event }: { readonly value: NonNullable<Why['event']> }) => (
  <section class="card stack">
    <h2 class="break">{event.name}</h2>
    <Facts value={{ Channel: event.channel, At: clock(event.at), Reached: event.reached, Excluded: event.excluded }} />
    {event.data !== undefined && <JsonView value={event.data} label="Data of the event" />}
  </section>
);
