import assert from 'node:assert/strict';
import type { BrokerEvent, BrokerMessage } from 'rookery/channels';
import { headOf, parseMessage, positionOf } from 'rookery/internal/channels';
import { checkInfo, fieldsOf } from '../../../libs/redis/src/connection/server-checks.js';
import type { Target } from '../target.js';

const topic = { appId: '3', channel: 'news' };

/**
 * Messages through Redis: what one process publishes is what another one reads, any other text is read or dropped, and
 * any INFO is accepted or refused.
 */
export const redis = (): Target => ({
  name: 'redis',
  seeds: [
    'e\n1700000000000001\n1.2\ntrace\n{"event":"a","data":"line\\nline"}',
    'r\n1700000000000002\nuser-1\n\n',
    't\n1700000000000003\n\n\n',
    'm\n1700000000000004\n{"except":"1.2","change":{"userId":"u","isPresent":true,"version":7,"previous":6}}\n{"event":"a"}',
    'm\n1700000000000005\n{"history":{"events":1,"seconds":2,"bytes":3},"acceptedAt":1.5,"asks":"a","traceparent":"b"}\n{}',
    'm\n1700000000000006\n{"kind":"revoke","userId":"u"}\n',
    'm\n1700000000000007\n"reconnect"\n',
    'i\n# Server\r\nredis_version:7.0.15\r\nrole:master\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n',
    'i\nredis_version:6.2\nrole:slave\nmaxmemory:1\nmaxmemory_policy:allkeys-lru',
  ],
  run(input) {
    const [kind = '', position = '', first = '', second = '', ...rest] = input.toString().split('\n');
    if (kind === 'i') return checkInformation(input.toString('utf8', 2));
    if (kind === 'm') return checkPayload(input.toString('utf8', 2));
    const message = messageOf(kind, first, second, rest.join('\n'));
    const text = message.kind === 'event' ? message.text : '';
    const read = parseMessage(`${position}\n${headOf(message)}\n${text}`, topic);
    assert.deepEqual(read, positionOf(`${position}\n`) === undefined ? undefined : { message, position });
  },
});

/** What is read goes to the topic, and means the same when it is written again. */
function checkPayload(payload: string): void {
  const read = parseMessage(payload, topic);
  if (!read) return;
  const { message, position } = read;
  assert.deepEqual({ appId: message.appId, channel: message.channel }, topic);
  const written = `${position}\n${headOf(message)}\n${message.kind === 'event' ? message.text : ''}`;
  const again = parseMessage(written, topic);
  assert.equal(again?.message.kind, message.kind);
  assert.equal(headOf(again.message), headOf(message));
}

function messageOf(kind: string, first: string, second: string, text: string): BrokerMessage {
  if (kind === 'r') return { kind: 'revoke', ...topic, userId: first };
  if (kind === 't') return { kind: 'terminate', ...topic };
  const event: BrokerEvent = { kind: 'event', ...topic, text };
  if (first === '' && second === '') return event;
  return {
    ...event,
    ...(first !== '' && { except: first, asks: first }),
    ...(second !== '' && { traceparent: second }),
  };
}

function checkInformation(text: string): void {
  try {
    checkInfo(fieldsOf(text));
  } catch (error) {
    assert.match(
      (error as Error).message,
      /^Redis 7 or Valkey is needed|^maxmemory-policy is|^This Redis is a replica/,
    );
  }
}
