import { Send, Webhook } from 'lucide-preact';
import { Link } from 'wouter-preact';
import { useAction } from '../api/answer.js';
import { ask, withQuery } from '../api/ask.js';
import type { EndpointHealth, WebhookEndpoint, Webhooks, WebhookTest } from '../api/contract.js';
import { counted } from '../parts/amounts.js';
import { Button, LinkButton } from '../parts/button.js';
import { ago, moment } from '../parts/time.js';
import { Badge, Empty, Facts, Note, Payload } from '../parts/words.js';
import type { Kind } from '../settings/kinds.js';
import { overview } from '../shell/whereabouts.js';

/** The endpoints, each with a test. */
export function Endpoints(props: {
  readonly kind: Kind;
  readonly id: string;
  readonly path: string;
  readonly value: Webhooks;
  onTested(): void;
}) {
  const { endpoints } = props.value;
  const settings = withQuery('/settings', { kind: props.kind, id: props.id });
  if (endpoints.length === 0) return <NoEndpoints kind={props.kind} settings={settings} />;
  return (
    <>
      <div class="halves">
        {endpoints.map((endpoint, position) => (
          <Endpoint
            key={`${position} ${endpoint.url}`}
            value={endpoint}
            health={props.value.health.find(({ url }) => url === endpoint.url)}
            path={`${props.path}/${position}/test`}
            onTested={props.onTested}
          />
        ))}
      </div>
      <div class="row">
        <LinkButton to={settings}>Add or change webhooks</LinkButton>
      </div>
    </>
  );
}

function Endpoint(props: {
  readonly value: WebhookEndpoint;
  readonly health: EndpointHealth | undefined;
  readonly path: string;
  onTested(): void;
}) {
  const { url, events, filter, headers } = props.value;
  const test = useAction(() => ask<WebhookTest>('POST', props.path, { url }).finally(props.onTested));
  return (
    <section class="card stack" aria-label={`Endpoint ${url}`}>
      <h2 class="mono small break">{url}</h2>
      <HealthNote value={props.health} />
      <Facts
        value={{
          Events: events.length === 0 ? 'all' : events.join(', '),
          Channels: channelsOf(filter),
          Headers: headers.join(', '),
        }}
      />
      <div class="row">
        <Button disabled={test.isRunning} onClick={test.run}>
          <Send size={16} aria-hidden="true" /> Send a test
        </Button>
        {test.isRunning && <span class="faint">Waiting for the answer</span>}
      </div>
      {test.failure && <Note tone="bad">{test.failure.message}</Note>}
      {test.value && <Tested value={test.value} />}
    </section>
  );
}

/** How it has answered lately. */
export function HealthNote({ value: health }: { readonly value: EndpointHealth | undefined }) {
  if (!health) return <Note>No delivery was attempted yet, as far as the processes know.</Note>;
  const { at, status, error, failingSince, failures, undeliveredSince } = health;
  const lately = failures === 0 ? '' : ` ${counted(failures, 'attempt')} failed in the last ten minutes.`;
  if (failingSince === null)
    return (
      <Note tone={failures === 0 ? 'good' : 'warn'}>
        It accepted the last webhook {ago(at)}
        {status === null ? '' : `, with ${status}`}.{lately}
      </Note>
    );
  return (
    <Note tone="bad">
      It has failed since {moment(failingSince)}, last {ago(at)}: {error}.{lately}
      {undeliveredSince !== null && ` The oldest undelivered webhook is from ${moment(undeliveredSince)}.`}
    </Note>
  );
}

const Tested = ({ value: test }: { readonly value: WebhookTest }) => (
  <>
    <Note tone={test.isAccepted ? 'good' : 'bad'}>
      {test.isAccepted ? 'The endpoint accepted the test' : `The test failed: ${test.error}`}, after {test.durationMs}{' '}
      ms. {test.status !== null && <Badge>{test.status}</Badge>}
      {test.answer !== null && <pre class="wraps">{test.answer}</pre>}
    </Note>
    <Payload title="Payload" label="Payload of the webhook" value={test.body} />
  </>
);

function channelsOf(filter: WebhookEndpoint['filter']): string | null {
  if (!filter) return null;
  const { channelNameStartsWith: start, channelNameEndsWith: end, encryptedChannels = true } = filter;
  const parts = [
    start && `that start with ${start}`,
    end && `that end with ${end}`,
    !encryptedChannels && 'that are not encrypted',
  ];
  return parts.filter(Boolean).join(', ') || null;
}

const none: Readonly<Record<Kind, { readonly title: string; readonly says: string; readonly code: string }>> = {
  apps: {
    title: 'This app has no webhooks',
    says: 'Webhooks report occupied and vacated channels, members that join and leave, and client events to your own endpoints',
    code: `{
  "apps": [
    {
      "id": "1", "key": "…", "secret": "…",
      "webhooks": [{ "url": "https://example.com/webhooks" }]
    }
  ]
}`,
  },
  instances: {
    title: 'This instance has no webhooks',
    says: 'Webhooks report publishes to users, and notifications that users received and opened, to your own endpoints',
    code: `{
  "instances": [
    {
      "id": "…", "secretKey": "…",
      "webhooks": [
        { "url": "https://example.com/webhooks", "secret": "…", "events": ["v1.UserNotificationOpen"] }
      ]
    }
  ]
}`,
  },
};

function NoEndpoints({ kind, settings }: { readonly kind: Kind; readonly settings: string }) {
  const { title, says, code } = none[kind];
  return overview.value?.editable ? (
    <Empty icon={Webhook} title={title}>
      {says}. <Link href={settings}>Add a webhook</Link>
    </Empty>
  ) : (
    <Empty icon={Webhook} title={title} code={code}>
      {says}, which you set in the configuration file:
    </Empty>
  );
}
