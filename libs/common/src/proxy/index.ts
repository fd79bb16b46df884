export { ProxyFailed } from './proxy-failed.js';
export { isProxyUrl, proxyOf } from './proxy-of.js';
export { tunnelTo } from './tunnel.js';
