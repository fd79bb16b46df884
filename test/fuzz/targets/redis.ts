import assert from 'node:assert/strict';
import type { BrokerEvent, BrokerMessage } from 'rookery/channels';
import { headOf, parseMessage } from '../../../libs/redis/src/broker/message-text.js';
import { checkInfo, fieldsOf } from '../../../libs/redis/src/connection/server-checks.js';
import type { Target } from '../target.js';

const topic = { appId: '3', channel: 'news' };

/** Answers of Redis: what one process publishes is what another one reads, and any INFO is accepted or refused. */
export const redis = (): Target => ({
  name: 'redis',
  seeds: [
    'e\n1-2\n1.2\ntrace\n{"event":"a","data":"line\\nline"}',
    'r\n7\nuser-1\n\n',
    't\n8\n\n\n',
    'i\n# Server\r\nredis_version:7.0.15\r\nrole:master\r\nmaxmemory:0\r\nmaxmemory_policy:noeviction\r\n',
    'i\nredis_version:6.2\nrole:slave\nmaxmemory:1\nmaxmemory_policy:allkeys-lru',
  ],
  run(input) {
    const [kind = '', position = '', first = '', second = '', ...rest] = input.toString().split('\n');
    if (kind === 'i') return checkInformation(input.toString('utf8', 2));
    const message = messageOf(kind, first, second, rest.join('\n'));
    const text = message.kind === 'event' ? message.text : '';
    const read = parseMessage(`${position}\n${headOf(message)}\n${text}`, topic);
    assert.deepEqual(read, { message, position });
  },
});

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
