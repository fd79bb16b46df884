import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { checkedPublish, type InterestsPublish } from 'rookery/internal/publish';
import { docBlocks } from '../support/doc-blocks.js';
import { documentedPush } from '../support/documented-push.js';
import { instance } from '../support/push-app.js';

// Settings of the server are what blocks.spec.ts looks after, and devices.jsonl is imported by commands.spec.ts.

const pushBlockWith = (field: string): string => {
  const blocks = docBlocks(join(import.meta.dirname, '../..'));
  return blocks.find(({ page, code }) => page === 'docs/push.md' && code.includes(`"${field}"`))?.code ?? '';
};

describe('the combined interests on docs/push.md', () => {
  it('are a publish', () => {
    const body = JSON.parse(pushBlockWith('noneOf')) as InterestsPublish;
    expect(checkedPublish(body)).toMatchObject({ allOf: ['premium'], noneOf: ['muted'] });
    expect(() => checkedPublish({ ...body, none_of: body.noneOf })).toThrow('none_of is not allowed');
  });
});

describe('the state of a publish on docs/push.md', () => {
  const state = pushBlockWith('removedDevices');

  it('has the fields of the OpenAPI document', () => {
    const url = `/publish_api/v1/instances/${instance.id}/publishes/pubid-1`;
    const check = (text: string) =>
      documentedPush.check({ method: 'GET', url, status: 200, type: 'application/json', text });
    check(state);
    expect(() => check(state.replace('retrying', 'waiting'))).toThrow('retrying');
  });

  it('adds up to the audience, as the page says', () => {
    const { audience, sent, failed, retrying } = JSON.parse(state).platforms.fcm;
    const failures = Object.values<number>(failed).reduce((sum, count) => sum + count, 0);
    expect(sent + failures + retrying).toBe(audience);
  });
});
