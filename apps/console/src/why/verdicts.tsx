import { Link } from 'wouter-preact';
import { pathOf } from '../api/ask.js';
import type { Why } from '../api/contract.js';
import { JsonView } from '../parts/json-view.js';
import { clock } from '../parts/time.js';
import { Badge, Facts, Note } from '../parts/words.js';
import { appPath } from '../shell/whereabouts.js';

const verdicts = {
  delivered: ['delivered', 'good'],
  not_delivered: ['not delivered', 'bad'],
  unknown: ['not known', 'warn'],
} as const;

/** The answer: for each socket a verdict, its reason, and the timeline. */
export const Verdicts = ({ app, of: { event, sockets } }: { readonly app: string; readonly of: Why }) => (
  <>
    {!event && (
      <Note tone="warn">
        This event is not in the trace: it was sent before the console was opened, or too many followed it.
      </Note>
    )}
    {sockets.map((socket) => {
      const [word, tone] = verdicts[socket.verdict];
      return (
        <section class="card verdict" key={socket.socketId}>
          <div class="row">
            <Badge tone={tone}>{word}</Badge>
            {socket.socketId && (
              <Link class="mono small" href={appPath(app, pathOf('connections', socket.socketId))}>
                {socket.socketId}
              </Link>
            )}
            {socket.userId && <span class="small soft">{socket.userId}</span>}
          </div>
          <p class="break">{socket.text}</p>
          <ol class="timeline">
            {socket.timeline.map((step) => (
              <li key={`${step.at} ${step.text}`}>
                <time>{clock(step.at)}</time>
                <span class="break">{step.text}</span>
              </li>
            ))}
          </ol>
        </section>
      );
    })}
    {event && (
      <section class="card stack">
        <h2 class="break">{event.name}</h2>
        <Facts of={{ Channel: event.channel, At: clock(event.at), Reached: event.reached, Excluded: event.excluded }} />
        {event.data !== undefined && <JsonView value={event.data} label="Data of the event" />}
      </section>
    )}
  </>
);
