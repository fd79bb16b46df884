import { createContext, createElement, type ReactElement, type ReactNode, useContext } from 'react';
import type { PageClient } from '../hooks/index.mjs';

/** Null without a provider. */
const ClientContext = createContext<PageClient | undefined | null>(null);

export interface ChannelsProviderProps {
  /** One for all of the page, created outside of components; undefined where pages are rendered on a server. */
  readonly client: PageClient | undefined;
  readonly children?: ReactNode;
}

/** Gives all hooks below it their client: pusher-js, `sharedPusher` or Laravel Echo. */
export const ChannelsProvider = ({ client, children }: ChannelsProviderProps): ReactElement =>
  createElement(ClientContext.Provider, { value: client }, children);

/** @throws Error outside of a provider */
export function useClient(): PageClient | undefined {
  const client = useContext(ClientContext);
  if (client === null)
    throw new Error('Hooks of @rookery/client/react need a <ChannelsProvider client={pusher}> above');
  return client;
}
