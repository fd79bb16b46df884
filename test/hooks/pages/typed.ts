import type { events } from '../server/events';
import { typedHooks } from '@rookery/client/react';

export const { useChannel, useEvent, usePresence, useChannelState } = typedHooks<typeof events>();
