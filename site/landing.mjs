/** What the first page shows above its text. */
export const landing = {
  layout: 'home',
  hero: {
    name: 'Rookery',
    text: 'Realtime and push on your own machines',
    tagline:
      'Pusher Channels and Pusher Beams for the SDKs you already use: a server, or modules for your NestJS application.',
    image: { src: '/icon.svg', alt: 'A rook, the logo of Rookery' },
    actions: [
      { theme: 'brand', text: 'Quick start', link: '#quick-start' },
      { theme: 'alt', text: 'Your first private channel', link: '/private-channel' },
      { theme: 'alt', text: 'Source', link: '/source/', target: '_self' },
    ],
  },
  features: [
    { title: 'Channels', details: 'Events to WebSockets, presence, histories without gaps.', link: '/channels' },
    { title: 'Push', details: 'Apple, Android and browsers, with an outcome for each device.', link: '/push' },
    { title: 'Notifications', details: 'Each user once: in an open page, otherwise by push.', link: '/notifications' },
    { title: 'The console', details: 'What happens live, and why a client got an event or did not.', link: '/console' },
  ],
};

/** The landing has the heading; the search needs it. */
export function withoutHeading({ env, tokens }) {
  if (env.isSearched) return;
  if (env.relativePath !== 'docs/index.md' && env.relativePath !== 'index.md') return;
  if (tokens[0]?.tag === 'h1') tokens.splice(0, 3);
}
