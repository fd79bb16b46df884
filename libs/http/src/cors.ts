/**
 * Lets web pages of any origin call an API that uses no cookies (beams-wire §2.13). `false` removes a header that a
 * host's own CORS may have set.
 */
export const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-allow-credentials': false,
  'access-control-expose-headers': false,
} as const;

/** The same for a preflight. A browser may remember the answer for a day. */
export const preflightHeaders = {
  ...corsHeaders,
  'access-control-allow-methods': 'GET, POST, PUT, DELETE',
  'access-control-allow-headers': 'Content-Type, Authorization, X-Pusher-Library',
  'access-control-max-age': '86400',
} as const;
