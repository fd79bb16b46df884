import assert from 'node:assert/strict';
import { connectionRequest } from '../../../libs/channels/src/sockets/connection-request.js';
import { httpRequest } from '../../../libs/channels/src/sockets/http-request.js';
import type { Target } from '../target.js';

/** Targets of requests that open connections: read or not ours, with a key that is one segment of the path. */
export const requests = (): Target => ({
  name: 'requests',
  seeds: [
    '/app/key?protocol=7&client=js&version=8.6.0&flash=false',
    '/session/0123456789abcdef/app/key?protocol=5',
    'ws://x.example/app/a%20b/?protocol=99&version=1..2',
    '/pusher/app/key/123/abcdefgh/xhr_streaming?protocol=7&t=1700000000000&n=1',
    '/pusher/app/key/123/abcdefgh/xhr_send?t=1&n=2',
    '/prefix/app/key',
  ],
  run(input) {
    const target = input.toString('latin1');
    for (const prefix of ['', '/prefix'])
      for (const isStrict of [true, false]) {
        const asked = connectionRequest(target, prefix, isStrict);
        const overHttp = httpRequest(target, prefix, isStrict);
        for (const each of [asked, overHttp?.asked]) {
          if (!each) continue;
          assert.notEqual(each.key, '');
          assert.ok(!each.key.includes('/'));
          assert.ok(each.refusal !== undefined || (each.protocol >= 4 && each.protocol <= 7));
          assert.ok(each.refusal !== undefined || each.session === undefined || /^[\w-]{16,64}$/.test(each.session));
        }
        if (overHttp) assert.match(overHttp.id, /^\d{1,3}\/[\w-]{8,64}$/);
      }
  },
});
