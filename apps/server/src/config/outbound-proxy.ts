import { isProxyUrl } from 'rookery/internal/common';

type Environment = Readonly<Record<string, string | undefined>>;

/** Gateways and webhooks read the variables themselves. @throws Error if one names no proxy that they can use */
export function checkOutboundProxy(given: Environment): void {
  const lowerCase = Object.entries(given).map(([name, text]) => [name.toUpperCase(), text] as const);
  for (const environment of [given, Object.fromEntries(lowerCase)]) {
    check('HTTPS_PROXY', environment['HTTPS_PROXY']);
    check('HTTP_PROXY', environment['HTTP_PROXY']);
    check('ALL_PROXY', environment['ALL_PROXY']);
  }
}

function check(name: string, text: string | undefined): void {
  if (!text || isProxyUrl(text)) return;
  // The value may hold a password.
  throw new Error(`${name} must be the URL of a proxy, such as http://proxy.example:3128`);
}
