import { expect, it } from 'vitest';
import { isVapidSubject } from 'rookery/internal/push-device';

it.each([
  'mailto:you@example.com',
  'mailto: you@example.com',
  'mailto:you@example.com?subject=push',
  'MAILTO:you@example.com',
  'mailto:you@localhost.example.com',
  'https://example.com',
  'https://example.com/contact?of=push',
  'https://intranet',
])('accepts %s as the contact in a VAPID token', (subject) => expect(isVapidSubject(subject)).toBe(true));

it.each([
  '',
  'you@example.com',
  'mailto:',
  'mailto:you',
  'mailto:you@',
  'mailto:you@localhost',
  'mailto:you@LOCALHOST',
  'mailto:you@mail.localhost',
  'mailto:root@localhost.localdomain',
  'mailto:you@[127.0.0.1]',
  'http://example.com',
  'https://',
  'https:example.com',
  'https://localhost',
  'https://localhost:6001/contact',
  'https://127.0.0.1',
  'https://2130706433/',
  'https://[::1]/',
  'tel:+123456',
  7,
  undefined,
])('rejects %j', (subject) => expect(isVapidSubject(subject)).toBe(false));
