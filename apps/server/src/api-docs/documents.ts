import type { ModuleRef } from '@nestjs/core';
import { version } from 'rookery/internal/common';
import { withRookeryRoutes } from 'rookery/internal/http';

/** The OpenAPI documents of a server, as JSON. */
export interface ApiDocuments {
  readonly channels: object;
  readonly push: object;
}

const about = {
  channels:
    'The Channels HTTP API. Every request is signed with the secret of the app; server SDKs do it. With the setting ' +
    '`channels.path`, such as `/ws`, it answers under `/ws/apps/…` too.',
  push: 'The Beams APIs: devices register, servers publish with the secret key of the instance.',
};

/** Describes what the server serves, from the descriptions of its modules. */
export async function apiDocuments(modules: Pick<ModuleRef, 'get'>): Promise<ApiDocuments> {
  // Imported on demand: it is large and rarely used.
  const { DocumentBuilder } = await import('@nestjs/swagger');
  const of = (title: string, description: string, isOf: (path: string) => boolean): object => {
    const base = new DocumentBuilder()
      .setOpenAPIVersion('3.1.0')
      .setTitle(title)
      .setDescription(description)
      .setVersion(version)
      .build();
    const document = withRookeryRoutes({ ...base, paths: {} }, modules);
    const paths = Object.entries(document.paths).filter(([path]) => isOf(path));
    return { ...document, paths: Object.fromEntries(paths), components: schemesOf(document, JSON.stringify(paths)) };
  };
  return {
    channels: of('Rookery Channels', about.channels, (path) => path.startsWith('/apps/')),
    push: of('Rookery Push', about.push, (path) => /^\/(device|publish|customer|user|reporting)_api\//.test(path)),
  };
}

/** The security schemes that operations use. */
const schemesOf = ({ components }: { readonly components?: { securitySchemes?: object } }, paths: string): object => ({
  securitySchemes: Object.fromEntries(
    Object.entries(components?.securitySchemes ?? {}).filter(([name]) => paths.includes(`"${name}":[]`)),
  ),
});
