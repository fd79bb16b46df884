import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { RookeryChatTransport } from '@rookery/client/ai';
import { AnsweringHost, ChatPage, recitedText } from '../support/ai-chat.js';
import { type ChannelsServer, startChannels, testApp } from '../support/channels-server.js';
import { Link, LinkedBroker } from '../support/linked.broker.js';
import { until } from '../support/until.js';

const app = { ...testApp, clientEvents: true, history: [{ channels: 'private-chat-*', streams: true }] };

/** Two processes behind one address: pages are at the second one, and answers come from the first. */
let servers: ChannelsServer[];
let host: AnsweringHost;
let pages: ChatPage[];
beforeEach(async () => {
  const link = new Link();
  servers = [];
  for (let n = 0; n < 2; n++) servers.push(await startChannels({ apps: [app], broker: new LinkedBroker(link) }));
  host = new AnsweringHost(servers[0]!);
  pages = [];
});
afterEach(async () => {
  for (const page of pages) page.close();
  for (const server of servers) await server.close();
});

const open = (messages?: UIMessage[]): ChatPage => {
  const page = new ChatPage(servers[1]!.port, host, 'seven', messages);
  pages.push(page);
  return page;
};
const says = ({ chat }: ChatPage, isSaid: (text: string) => boolean) =>
  until(() => isSaid(chat.text), 'the page shows the answer');
const isIdle = ({ chat }: ChatPage) => until(() => chat.status === 'ready', 'the answer is whole');

/** All chunks of a stream. */
async function chunksOf(stream: ReadableStream<UIMessageChunk>): Promise<UIMessageChunk[]> {
  const chunks: UIMessageChunk[] = [];
  for await (const chunk of stream as AsyncIterable<UIMessageChunk> & typeof stream) chunks.push(chunk);
  return chunks;
}

describe('an answer of the AI SDK', () => {
  it('brings the chunks as the AI SDK made them, each once and in order', async () => {
    const { transport } = open();
    const messages: UIMessage[] = [{ id: 'q', role: 'user', parts: [{ type: 'text', text: 'look' }] }];
    const stream = await (transport satisfies ChatTransport<UIMessage>).sendMessages({
      trigger: 'submit-message',
      chatId: 'seven',
      messageId: undefined,
      messages,
      abortSignal: undefined,
    });
    const chunks = await chunksOf(stream);
    const [said] = host.said.values();
    expect(chunks.map((chunk) => JSON.stringify(chunk))).toEqual(said!.map((chunk) => JSON.stringify(chunk)));
    const types = new Set(chunks.map(({ type }) => type));
    for (const type of ['start', 'tool-input-delta', 'tool-output-available', 'text-delta', 'finish'])
      expect(types).toContain(type);
  });

  it('is read in mid-sentence by a page that was reloaded, and by one that was open already', async () => {
    const [alice, idle] = [open(), open()];
    const resumed: Promise<void>[] = [];
    idle.transport.onAnswer('seven', () => {
      idle.chat.messages = host.chats.get('seven')!;
      resumed.push(idle.chat.resumeStream());
    });
    expect(await idle.transport.reconnectToStream({ chatId: 'seven' })).toBeNull();
    host.speechLimit = 100;
    const sent = alice.chat.sendMessage({ text: 'How are nests built?' });
    await says(alice, (text) => text.length > 60);
    alice.close();
    const reloaded = open();
    const resuming = reloaded.chat.resumeStream();
    await says(reloaded, (text) => text.length > 60 && text.length < recitedText.length);
    host.speechLimit = Infinity;
    await resuming;
    await until(() => idle.chat.text === recitedText, 'the other page has all');
    await Promise.all(resumed);
    expect(resumed).toHaveLength(1);
    for (const { chat } of [reloaded, idle]) {
      expect(chat.status).toBe('ready');
      expect(chat.text).toBe(recitedText);
      expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
      expect(chat.lastMessage).toEqual(host.chats.get('seven')!.at(-1));
    }
    expect(await reloaded.transport.reconnectToStream({ chatId: 'seven' })).toBeNull();
    alice.pusher.connect();
    await sent;
    expect(alice.chat.text).toBe(recitedText);
  });

  it('goes on where it was when the connection is cut', async () => {
    const alice = open();
    const sent = alice.chat.sendMessage({ text: 'How are nests built?' });
    for (const length of [40, 100, 200]) {
      await says(alice, (text) => text.length > length);
      alice.cut();
    }
    await sent;
    expect(alice.chat.text).toBe(recitedText);
  });
});

describe('stop', () => {
  it('ends the call of the model in the process that answers, and tells other pages', async () => {
    const [alice, bob] = [open(), open()];
    host.speechLimit = 100;
    void alice.chat.sendMessage({ text: 'How are nests built?' });
    await says(alice, (text) => text.length > 40);
    const resuming = bob.chat.resumeStream();
    await says(bob, (text) => text.length > 40);
    await alice.chat.stop();
    await resuming;
    expect(host.aborted).toBe(1);
    expect([...host.said.values()][0]!.at(-1)).toMatchObject({ type: 'abort' });
    expect(bob.chat.text.length).toBeLessThan(recitedText.length);
    expect(host.streams[0]!.signal.aborted).toBe(true);
  });

  it('works in a page that joined, but a page that joins again or leaves stops nothing', async () => {
    const alice = open();
    host.speechLimit = 40;
    const sent = alice.chat.sendMessage({ text: 'How are nests built?' });
    await says(alice, (text) => text.length > 20);
    const bob = open();
    const begun: unknown[] = [];
    bob.transport.onAnswer('seven', () => begun.push('an answer'));
    await until(() => begun.length > 0, 'he knows of the answer');
    // As React does in development.
    const joined = [bob.chat.resumeStream(), bob.chat.resumeStream()];
    host.speechLimit = 150;
    await says(bob, (text) => text.length > 60);
    open().close();
    await says(bob, (text) => text.length > 120);
    expect(host.aborted).toBe(0);
    await bob.chat.stop();
    await until(() => host.aborted === 1, 'the call of the model has ended');
    await Promise.all([sent, ...joined]);
    expect(alice.chat.text.length).toBeLessThan(recitedText.length);
  });

  it('arrives when it is asked for while the connection is broken', async () => {
    const alice = open();
    host.speechLimit = 100;
    void alice.chat.sendMessage({ text: 'How are nests built?' });
    await says(alice, (text) => text.length > 20);
    alice.pusher.disconnect();
    await alice.chat.stop();
    expect(host.aborted).toBe(0);
    alice.pusher.connect();
    await until(() => host.aborted === 1, 'the call of the model has ended');
  });

  it.each(['private-chat-eight', 'private-chat-seven'])('of another stream on %s changes nothing', async (channel) => {
    const [alice, mallory] = [open(), open()];
    const sent = alice.chat.sendMessage({ text: 'How are nests built?' });
    await says(alice, (text) => text.length > 20);
    const joined = mallory.pusher.subscribe(channel);
    await until(() => joined.subscribed, 'she is on the channel');
    const { id } = host.streams[0]!;
    joined.trigger('client-stop', channel.endsWith('eight') ? { stream: id } : { stream: 'another' });
    joined.trigger('client-stop', 'no object');
    joined.trigger('client-stop', { stream: 7 });
    await sent;
    expect(alice.chat.text).toBe(recitedText);
  });
});

describe('steer', () => {
  it('reaches the answer in progress, and every page sees it', async () => {
    const alice = open();
    let isSeen!: () => void;
    const looking = new Promise<void>((resolve) => (isSeen = resolve));
    host.look = () => looking;
    const sent = alice.chat.sendMessage({ text: 'Please look' });
    await until(() => (alice.chat.lastMessage?.parts.length ?? 0) > 1, 'the tool is called');
    expect(alice.transport.steer('seven', 'shorter')).toBe(true);
    await until(() => alice.chat.lastMessage!.parts.some(({ type }) => type === 'data-steered'), 'the host is told');
    isSeen();
    await sent;
    expect(alice.chat.lastMessage!.parts).toContainEqual({ type: 'data-steered', data: 'shorter' });
    expect(alice.chat.text).toBe('Short.');
    expect(alice.transport.steer('seven', 'too late')).toBe(false);
  });
});

describe('a tool that needs approval', () => {
  const toolOf = ({ chat }: ChatPage) => chat.lastMessage?.parts.find(({ type }) => type === 'tool-deleteFile') as any;

  it('runs once it is approved in a second tab, and a third one joins the rest', async () => {
    const alice = open();
    await alice.chat.sendMessage({ text: 'Please delete my notes' });
    expect(toolOf(alice)).toMatchObject({ state: 'approval-requested', input: { path: 'notes.txt' } });
    expect(host.deleted).toEqual([]);
    const bob = open();
    const carol = open();
    carol.transport.onAnswer('seven', () => void carol.chat.resumeStream());
    expect(await carol.transport.reconnectToStream({ chatId: 'seven' })).toBeNull();
    expect(toolOf(bob)).toMatchObject({ state: 'approval-requested' });
    await bob.chat.addToolApprovalResponse({ id: toolOf(bob).approval.id, approved: true });
    await until(() => bob.chat.text === 'It is gone.', 'the tool has run');
    await isIdle(bob);
    expect(host.deleted).toEqual(['notes.txt']);
    expect(toolOf(bob)).toMatchObject({ state: 'output-available', output: { isDeleted: true } });
    await until(() => carol.chat.text === 'It is gone.', 'the third tab has it');
    expect(carol.chat.lastMessage!.id).toBe(bob.chat.lastMessage!.id);
    expect(carol.chat.messages).toHaveLength(2);
    expect(host.errors).toEqual([]);
  });

  it('does not run when it is denied', async () => {
    const alice = open();
    await alice.chat.sendMessage({ text: 'Please delete my notes' });
    await alice.chat.addToolApprovalResponse({ id: toolOf(alice).approval.id, approved: false });
    await until(() => alice.chat.text === 'I see.', 'the model knows');
    expect(host.deleted).toEqual([]);
  });
});

describe('what goes wrong', () => {
  it('is an error of the chat when the process that answers dies', async () => {
    const [first] = servers as [ChannelsServer];
    const alice = open();
    const sent = alice.chat.sendMessage({ text: 'How are nests built?' });
    await says(alice, (text) => text.length > 40);
    await first.close();
    servers.shift();
    await sent;
    expect(alice.chat.error?.message).toBe('The answer was cut off: error');
    expect(recitedText.startsWith(alice.chat.text)).toBe(true);
  });

  it('is an error of the chat when the host refuses the question, or the channel the page', async () => {
    const page = open();
    const refusing = new RookeryChatTransport({
      pusher: page.pusher,
      fetch: async () => new Response('Too many questions', { status: 429 }),
    });
    const question = { trigger: 'submit-message', chatId: 'seven', messageId: undefined, messages: [] } as const;
    const ask = (transport: RookeryChatTransport) =>
      transport.sendMessages({ ...question, messages: [], abortSignal: undefined });
    await expect(ask(refusing)).rejects.toThrow('Too many questions');
    const odd = new RookeryChatTransport({ pusher: page.pusher, fetch: async () => Response.json({ id: 7 }) });
    await expect(ask(odd)).rejects.toThrow('/api/chat must answer {"stream":"<id>"}, got {"id":7}');
    const elsewhere = new RookeryChatTransport({
      pusher: page.pusher,
      channel: () => 'private-of-others',
      fetch: async () => Response.json({ stream: '7' }),
    });
    await expect(elsewhere.reconnectToStream({ chatId: 'x' })).rejects.toThrow(
      'The channel of the chat refuses: Not your chat',
    );
    await expect(chunksOf(await ask(elsewhere))).rejects.toThrow('The channel of the chat refuses: Not your chat');
  });

  it('is told to the developer when the page subscribed first', async () => {
    const page = open();
    const channel = page.pusher.subscribe('private-chat-seven');
    await until(() => channel.subscribed, 'the page is on the channel');
    await expect(page.transport.reconnectToStream({ chatId: 'seven' })).rejects.toThrow(
      "Write pusher.unsubscribe('private-chat-seven')",
    );
  });
});
