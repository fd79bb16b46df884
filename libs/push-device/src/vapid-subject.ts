import { isIP } from 'node:net';
import { rule } from '#common';

/**
 * Whether a text is a valid contact for a VAPID token: `mailto:` with an address, or an https URL (RFC 8292 §2.1). Not
 * one at localhost, to which Apple answers every push with 403 (beams-wire §11.3).
 */
export function isVapidSubject(subject: unknown): boolean {
  const host = typeof subject === 'string' ? hostOf(subject) : undefined;
  return host !== undefined && !isHere(host);
}

/** A rule of settings: see {@link isVapidSubject}. */
export const IsVapidSubject = (): PropertyDecorator =>
  rule('isVapidSubject', 'must be a mailto: or https: address of yours, not at localhost', isVapidSubject, {
    context: { shown: 'string' },
  });

function hostOf(subject: string): string | undefined {
  const [, mailHost] = /^mailto:\s*[^\s@]+@([^\s@?]+)/i.exec(subject) ?? [];
  if (mailHost !== undefined) return mailHost.toLowerCase();
  return /^https:\/\//i.test(subject) && URL.canParse(subject) ? new URL(subject).hostname : undefined;
}

function isHere(host: string): boolean {
  const address = host.replace(/^\[|\]$/g, '');
  if (isIP(address)) return address === '::1' || address === '0.0.0.0' || address.startsWith('127.');
  return /(^|\.)localhost(\.localdomain)?\.?$/.test(host);
}
