import { serverNow } from '../api/server-clock.js';
import { useLocation, useSearchParams } from 'wouter-preact';
import { useAnswer } from '../api/answer.js';
import { pathOf, withQuery } from '../api/ask.js';
import type { Webhooks } from '../api/contract.js';
import { amount, counted } from '../parts/amounts.js';
import { Choice } from '../parts/fields.js';
import { awayFrom } from '../parts/time.js';
import { Failure, Note, PageHead } from '../parts/words.js';
import { useKeys } from '../shell/keys.js';
import type { Kind, PageProps } from '../settings/kinds.js';
import { Attempts } from './attempts.js';
import { GivenUp } from './given-up.js';
import { Endpoints } from './endpoints.js';

const says: Readonly<Record<Kind, string>> = {
  apps: 'Your endpoints, every attempt to deliver webhooks to them, and the webhooks that were given up.',
  instances:
    "Your endpoints, every attempt to deliver webhooks to them and to a publish's webhookUrl, and the webhooks that were given up.",
};

/** A webhook that was tried is due later, however long it has been queued. */
const dueText = (at: number): string =>
  at > serverNow() ? `; the next try is ${awayFrom(at)}` : `; the first was due ${awayFrom(at)}`;

/** The endpoints, every attempt to deliver to them, and the webhooks that were given up. */
export function WebhooksPage({ kind, id, chosen }: PageProps) {
  const path = `${pathOf(kind, id)}/webhooks`;
  const { value, failure, reload } = useAnswer<Webhooks>(path, 2000);
  const [query] = useSearchParams();
  const [, go] = useLocation();
  const given = query.get('show');
  const show = given === 'attempts' || given === 'dead' ? given : 'endpoints';
  const here = (row?: string, next: string = show): void =>
    go(withQuery(`/${path}${row ? `/${pathOf(row)}` : ''}`, { show: next === 'endpoints' ? '' : next }));
  useKeys({ Escape: () => chosen && here(), r: reload });
  return (
    <>
      <PageHead title={kind === 'apps' ? 'Webhooks' : 'Push webhooks'}>{says[kind]}</PageHead>
      <Failure value={failure} />
      {value && value.waiting > 0 && (
        <Note tone={value.firstDueAt !== null && serverNow() - value.firstDueAt > 60_000 ? 'warn' : 'info'}>
          {counted(value.waiting, 'webhook is queued', 'webhooks are queued')}
          {value.firstDueAt !== null && dueText(value.firstDueAt)}.
        </Note>
      )}
      {value && (
        <>
          <Choice
            label="What to show"
            options={{ endpoints: 'Endpoints', attempts: 'Attempts', dead: `Given up (${amount(value.dead)})` }}
            value={show}
            onChange={(next) => here(undefined, next)}
          />
          {show === 'endpoints' && <Endpoints kind={kind} id={id} path={path} value={value} onTested={reload} />}
          {show === 'attempts' && <Attempts value={value.attempts} chosen={chosen} open={here} />}
          {show === 'dead' && <GivenUp path={path} value={value} chosen={chosen} open={here} onResent={reload} />}
        </>
      )}
    </>
  );
}
