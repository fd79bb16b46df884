import assert from 'node:assert/strict';
import { parseClientMessage } from '../../../libs/channels/src/protocol/client-message.js';
import { readSeen } from '../../../libs/channels/src/wings/receipts/seen.message.js';
import { jsonFields, jsonItems } from '../../../libs/channels/src/protocol/json-fields.js';
import { ProtocolError } from '../../../libs/channels/src/protocol/protocol-error.js';
import type { Target } from '../target.js';

const features = new Map([['rookery:seen', { read: readSeen }]]);

/** Messages of clients: refused with an error of the protocol or read, with the data that was sent, digit by digit. */
export const messages = (): Target => ({
  name: 'messages',
  seeds: [
    '{"event":"pusher:ping","data":{}}',
    '{"event":"pusher:pong"}',
    '{"event":"pusher:subscribe","data":{"channel":"presence-a","auth":"k:s","channel_data":"{\\"user_id\\":1}"}}',
    '{"event":"pusher:unsubscribe","data":"{\\"channel\\":\\"a\\"}"}',
    '{"event":"pusher:signin","data":{"auth":"k:s","user_data":"{\\"id\\":\\"7\\"}"}}',
    '{"event":"rookery:seen","channel":"presence-a","data":{"receipts":["a","b"]}}',
    '{"event":"client-x","channel":"private-a","data":{"n":12345678901234567890, "s":"\\u00e9\\"}", "a":[1, {"b":null}]}}',
    '[1,"two",{"three":[3.0]}]',
  ],
  run(input) {
    const text = input.toString();
    checkFields(text);
    try {
      const message = parseClientMessage(text, features);
      if (message.event !== 'client') return;
      const { data } = JSON.parse(text) as { data: unknown };
      assert.equal(
        JSON.stringify(typeof data === 'string' ? message.data : JSON.parse(message.data)),
        JSON.stringify(data),
      );
    } catch (error) {
      if (!(error instanceof ProtocolError)) throw error;
      assert.ok(error.code === null || (error.code >= 4000 && error.code < 4400), `the code ${error.code}`);
    }
  },
});

/** Our own readers of fields and items, against JSON.parse. */
function checkFields(text: string): void {
  const value = parsed(text);
  const fields = jsonFields(text);
  const items = jsonItems(text);
  assert.equal(items !== undefined, Array.isArray(value));
  assert.equal(fields !== undefined, typeof value === 'object' && value !== null && !Array.isArray(value));
  if (items) assert.equal(JSON.stringify(items.map(parsed)), JSON.stringify(value));
  // Entries: as a property, `__proto__` is none.
  if (fields)
    assert.deepEqual(
      sorted([...fields].map(([name, json]) => [name, parsed(json)])),
      sorted(Object.entries(value as object)),
    );
}

const sorted = (entries: readonly (readonly [string, unknown])[]): string[] =>
  entries.map((each) => JSON.stringify(each)).sort();

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
