import type { AbstractChat, ChatInit, UIMessage } from 'ai';
import { type ChatClient, RookeryChatTransport } from '@rookery/client/ai';

/** The part of `useChat` of @ai-sdk/react in use. */
type UseChat = (init: ChatInit<UIMessage>) => Pick<AbstractChat<UIMessage>, 'resumeStream'> & {
  setMessages(messages: UIMessage[]): void;
};

/** What docs/ai.md shows of a page. */
export function chatOf(
  useChat: UseChat,
  pusher: ChatClient,
  load: (chat: string) => Promise<UIMessage[]>,
  messages: UIMessage[] = [],
): ReturnType<UseChat> {
  const transport = new RookeryChatTransport({ pusher });
  const chat = useChat({ id: '7', messages, transport });
  // An answer that another page asked for, or this one before a reload.
  transport.onAnswer('7', async () => {
    chat.setMessages(await load('7'));
    await chat.resumeStream();
  });
  return chat;
}
