import { describing } from '#http';

const { inPath, text } = describing;

/** The channel in the path of an endpoint. */
export const channelName = inPath('channelName', 'The name of the channel', text, 'my-channel');
