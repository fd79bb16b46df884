export { ProxyFailed } from './proxy-failed.js';
export { proxyOf } from './proxy-of.js';
export { isProxyUrl } from './proxy-url.js';
export { tunnelTo } from './tunnel.js';
