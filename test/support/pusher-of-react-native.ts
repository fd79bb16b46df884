import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { PusherJs } from './pusher-js.js';

const file = createRequire(import.meta.url).resolve('pusher-js/dist/react-native/pusher.js');

/** Says that there is a network, as `@react-native-community/netinfo` does. */
const netinfo = { fetch: async () => ({ type: 'wifi' }), addEventListener: () => () => undefined };

/**
 * What `pusher-js/react-native` exports. React Native's own `WebSocket` and `XMLHttpRequest` are those that pusher-js has
 * for Node.
 */
export function pusherOfReactNative(): object {
  const { Runtime } = PusherJs as any;
  const required = (name: string): object => {
    if (name !== '@react-native-community/netinfo') throw new Error(`It asks for ${name}`);
    return netinfo;
  };
  const module = { exports: {} };
  const names = ['module', 'require', 'WebSocket', 'XMLHttpRequest'];
  compileFunction(readFileSync(file, 'utf8'), names, { filename: file })(
    module,
    required,
    Runtime.getWebSocketAPI(),
    Runtime.getXHRAPI(),
  );
  return module.exports;
}
