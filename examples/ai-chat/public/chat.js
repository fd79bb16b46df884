import { AbstractChat, lastAssistantMessageIsCompleteWithApprovalResponses } from 'ai';
import Pusher from 'pusher-js';
import { RookeryChatTransport } from '@rookery/client/ai';

const id = new URLSearchParams(location.search).get('chat') ?? 'rooks';
const { hostname: wsHost, port, protocol } = location;
const pusher = new Pusher('chats-key', {
  cluster: 'self',
  wsHost,
  wsPort: Number(port) || 80,
  wssPort: Number(port) || 443,
  forceTLS: protocol === 'https:',
  enabledTransports: ['ws', 'wss'],
  channelAuthorization: { endpoint: '/pusher/auth', transport: 'ajax' },
});
const transport = new RookeryChatTransport({ pusher });

/** What `useChat` is with React. */
class Chat extends AbstractChat {
  constructor(init) {
    const values = { status: 'ready', error: undefined, messages: [] };
    const state = {
      pushMessage: (message) => (state.messages = [...state.messages, message]),
      popMessage: () => (state.messages = state.messages.slice(0, -1)),
      replaceMessage: (at, message) => (state.messages = state.messages.with(at, message)),
      snapshot: (thing) => structuredClone(thing),
    };
    for (const name of Object.keys(values))
      Object.defineProperty(state, name, {
        get: () => values[name],
        set(value) {
          values[name] = value;
          queueMicrotask(show);
        },
      });
    super({ ...init, state });
  }
}

const chat = new Chat({
  id,
  transport,
  sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
});

const form = document.querySelector('form');
form.addEventListener('submit', (event) => {
  event.preventDefault();
  const text = form.elements.text.value;
  form.reset();
  // While an answer comes, the model takes the message into account at its next step.
  if (chat.status === 'streaming' && transport.steer(id, text)) return;
  void chat.sendMessage({ text });
});
document.querySelector('#stop').addEventListener('click', () => void chat.stop());

const load = async () => void (chat.messages = await (await fetch(`/api/chat/${id}`)).json());
await load();
// An answer that another page asked for, or this one before it was loaded again.
transport.onAnswer(id, async () => {
  await load();
  await chat.resumeStream();
});

function show() {
  document.body.dataset.status = chat.status;
  document.querySelector('#stop').hidden = chat.status === 'ready' || chat.status === 'error';
  document.querySelector('#error').textContent = chat.error?.message ?? '';
  document.getElementById('said').replaceChildren(...chat.messages.map(articleOf));
}

function articleOf({ role, parts }) {
  const article = document.createElement('article');
  article.className = role;
  article.append(...parts.flatMap(nodesOf));
  return article;
}

function nodesOf(part) {
  if (part.type === 'text') return [part.text];
  if (part.type === 'data-steered') return [labelled('em', `You: ${part.data}`)];
  const { type, state, input, approval } = part;
  if (type === 'tool-readBook') return [labelled('em', `Reads “${input?.title}” …`)];
  if (type !== 'tool-takeTwig') return [];
  if (state !== 'approval-requested') return [labelled('em', `A twig of ${input?.neighbour}: ${state}`)];
  return [
    labelled('em', `May I take a twig of ${input.neighbour}?`),
    ...[true, false].map((approved) => {
      const button = labelled('button', approved ? 'Approve' : 'Deny');
      button.addEventListener('click', () => void chat.addToolApprovalResponse({ id: approval.id, approved }));
      return button;
    }),
  ];
}

function labelled(tag, textContent) {
  return Object.assign(document.createElement(tag), { textContent });
}
