import { expect, it } from 'vitest';
import { channelKind } from '@rookery/client';
import { parseChannelName } from '../../libs/channels/src/protocol/channel-name.js';

const limits = { channelNameLength: 200, userIdLength: 200 };

it.each(['', 'private-', 'private-encrypted-', 'presence-'].flatMap((access) => [access, `${access}cache-`]))(
  'reads %sname as the server does',
  (prefix) => {
    for (const name of [`${prefix}name`, `${prefix}private-name`, `my-${prefix}name`, `${prefix}cache`]) {
      const { access, isEncrypted, isCache } = parseChannelName(name, limits)!;
      const [isPrivate, isPresence] = [access === 'private', access === 'presence'];
      expect(channelKind(name)).toEqual({ isPrivate, isPresence, isEncrypted, isCache });
    }
  },
);
