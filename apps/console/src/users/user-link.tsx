import { Link } from 'wouter-preact';
import { pathOf } from '../api/ask.js';
import { appPath, useWhereabouts } from '../shell/whereabouts.js';

/** A user's id, as a link to the user's page in this app; on the pages of an instance, in the app used last. */
export function UserLink({ id }: { readonly id: string | null | undefined }) {
  const { app } = useWhereabouts();
  if (!id) return <span class="faint">none</span>;
  return app ? <Link href={appPath(app, pathOf('users', id))}>{id}</Link> : <>{id}</>;
}
