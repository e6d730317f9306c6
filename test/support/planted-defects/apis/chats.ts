import { Ajv2020 } from 'ajv/dist/2020.js';
import { createObject, type OperationParts, type Paths, type Schema } from '../../fixtures/api-document.ts';
import type { ReceivedRequest, SentResponse } from '../../harness/check-api.ts';

/** The planted defects of the server, with the rule that each violates. */
export const CHAT_DEFECTS = {
  'a chat can be archived twice': 'action-refused',
  'a chat that is not archived can be unarchived': 'action-refused',
  'unarchive keeps the time of archive': 'action-undone',
  'unarchive keeps the flag of archive': 'action-undone',
  'unpin keeps the pinned message': 'action-undone',
  'unpin keeps the pinned message of a new chat': 'action-undone',
  'mute does nothing': 'action-effect',
  'removing the lock keeps its time': 'action-undone',
  'mute stores nothing': 'stored-change',
  'mute removes the description': 'action-keeps',
  'a change of the title reopens the chat': 'status-kept',
} as const;

/** What correct servers do. */
export const CHAT_HABITS = [
  'archives a chat again, and documents another conflict',
  'counts how often a chat was pinned',
  'keeps the reason and the time of the last archive',
  'keeps the time of archive, as documented',
  'returns no content for actions',
  'archives later',
  'archives with PUT, which can be repeated',
  'refuses a message that it does not know',
  'mutes a chat later, as documented',
] as const;

export type ChatVariant = keyof typeof CHAT_DEFECTS | (typeof CHAT_HABITS)[number] | undefined;

const TEXT = { type: 'string', minLength: 1, maxLength: 40 };
const TIME_OR_NULL = { type: ['string', 'null'], format: 'date-time' };

const INPUT = { 'title!': TEXT, description: TEXT };
const PINNED = { pinnedMessage: { ...TEXT, type: ['string', 'null'] } };

const CHAT = createObject({
  'id!': { type: 'string', readOnly: true },
  ...INPUT,
  'status!': { enum: ['open', 'closed'] },
  'archived!': { type: 'boolean' },
  'archivedAt!': TIME_OR_NULL,
  ...PINNED,
  'isMuted!': { type: 'boolean' },
  'lockedUntil!': TIME_OR_NULL,
  lastArchivedAt: TIME_OR_NULL,
  archiveReason: { type: ['string', 'null'] },
  pinCount: { type: 'integer' },
});

const isInput = new Ajv2020({ strict: false }).compile(createObject({ ...INPUT, ...PINNED }));
const isPatch = new Ajv2020({ strict: false }).compile(createObject({ title: TEXT, description: TEXT }));
const isPin = new Ajv2020({ strict: false }).compile(createObject({ 'text!': TEXT }));

/** Returns the parts of the OpenAPI document of a variant: the operations, and the descriptions of their 409 responses. */
export function describeChats(variant: ChatVariant): { readonly paths: Paths; readonly conflicts: Schema } {
  const isEmpty = variant === 'returns no content for actions';
  const action = (parts: OperationParts = {}): { readonly post: OperationParts } => ({
    post: {
      ...(isEmpty ? { status: 204 } : { response: CHAT }),
      ...(variant === 'archives later' && { status: 202 }),
      errors: [400, 404, 409],
      ...parts,
    },
  });
  const keeps = variant === 'keeps the time of archive, as documented';
  const isNew = variant === 'unpin keeps the pinned message of a new chat';
  const mutesLater = variant === 'mutes a chat later, as documented';
  const isPut = variant === 'archives with PUT, which can be repeated';
  const errors = [400, 404];
  const paths: Paths = {
    '/chats': {
      post: { status: 201, request: createObject({ ...INPUT, ...(isNew ? PINNED : {}) }), response: CHAT, errors },
    },
    '/chats/{id}': {
      get: { response: CHAT, errors },
      patch: { request: createObject({ title: TEXT, description: TEXT }), response: CHAT, errors },
    },
    '/chats/{id}/close': action(),
    '/chats/{id}/archive': isPut ? { put: action().post } : action(),
    '/chats/{id}/unarchive': action(keeps ? { description: 'Keeps the time of the archive.' } : {}),
    ...(isNew ? {} : { '/chats/{id}/pin': action({ request: createObject({ 'text!': TEXT }) }) }),
    '/chats/{id}/unpin': action(),
    '/chats/{id}/lock': { put: action({ errors }).post, delete: { status: 204, errors } },
    '/chats/{id}/mute': action(mutesLater ? { errors, description: 'Mutes the chat some minutes later.' } : { errors }),
    '/chats/{id}/unmute': action({ errors }),
  };
  const other = variant === 'archives a chat again, and documents another conflict';
  const conflicts = {
    '/chats/{id}/archive': other ? 'A chat with a running call cannot be archived' : 'The chat is already archived',
    '/chats/{id}/unarchive': 'Conflict',
    '/chats/{id}/pin': 'An archived chat cannot be pinned',
    '/chats/{id}/unpin': 'Nothing is pinned',
    '/chats/{id}/close': 'The chat is closed',
  };
  return { paths, conflicts };
}

type Chat = Readonly<Record<string, unknown>>;

const fail = (status: number): SentResponse => ({
  status,
  body: {},
  headers: { 'content-type': 'application/problem+json' },
});

const toChat = ({ title, description, pinnedMessage }: Chat): Chat => ({
  title,
  ...(description !== undefined && { description }),
  ...(pinnedMessage !== undefined && { pinnedMessage }),
});

/** Returns the function that responds to the requests of a server for chats. */
export function createChats(variant: ChatVariant): (request: ReceivedRequest) => SentResponse {
  const chats = new Map<string, Chat>();
  const is = (one: NonNullable<ChatVariant>) => one === variant;
  const act = (chat: Chat, action: string, text: unknown): Chat | undefined => {
    const now = new Date().toISOString();
    switch (action) {
      case 'close':
        return chat.status === 'closed' ? undefined : { ...chat, status: 'closed' };
      case 'archive': {
        const isRepeatable =
          is('a chat can be archived twice') ||
          is('archives a chat again, and documents another conflict') ||
          is('archives with PUT, which can be repeated');
        if (chat.archived && !isRepeatable) return undefined;
        const last = is('keeps the reason and the time of the last archive');
        const extra = last ? { lastArchivedAt: now, archiveReason: 'unused' } : {};
        return { ...chat, archived: true, archivedAt: chat.archivedAt ?? now, ...extra };
      }
      case 'unarchive': {
        if (!chat.archived && !is('a chat that is not archived can be unarchived')) return undefined;
        const keepsTime = is('unarchive keeps the time of archive') || is('keeps the time of archive, as documented');
        const time = keepsTime ? chat.archivedAt : null;
        return { ...chat, archived: is('unarchive keeps the flag of archive'), archivedAt: time };
      }
      case 'lock':
        return { ...chat, lockedUntil: now };
      case 'pin': {
        const count = is('counts how often a chat was pinned') ? { pinCount: Number(chat.pinCount ?? 0) + 1 } : {};
        return chat.archived ? undefined : { ...chat, pinnedMessage: text, ...count };
      }
      case 'unpin': {
        const keeps = is('unpin keeps the pinned message') || is('unpin keeps the pinned message of a new chat');
        if (typeof chat.pinnedMessage !== 'string') return undefined;
        return keeps ? chat : { ...chat, pinnedMessage: null };
      }
      default: {
        if (action === 'mute' && (is('mute does nothing') || is('mutes a chat later, as documented'))) return chat;
        const { description: _, ...others } = chat;
        return { ...(is('mute removes the description') ? others : chat), isMuted: action === 'mute' };
      }
    }
  };
  return ({ method, path, json }) => {
    const [, , id = '', action] = path.split('/');
    const chat = chats.get(id);
    if (id === '') {
      if (!isInput(json)) return fail(400);
      const added: Chat = {
        id: `c${chats.size + 1}`,
        ...toChat(json as Chat),
        status: 'open',
        archived: false,
        archivedAt: null,
        isMuted: false,
        lockedUntil: null,
      };
      chats.set(String(added.id), added);
      return { status: 201, body: added };
    }
    if (!chat) return fail(404);
    if (method === 'PATCH') {
      if (!isPatch(json)) return fail(400);
      const reopens = is('a change of the title reopens the chat') ? { status: 'open' } : {};
      const { title = chat.title, description = chat.description } = json as Chat;
      chats.set(id, { ...chat, ...toChat({ ...chat, title, description }), ...reopens });
      return { status: 200, body: chats.get(id) };
    }
    if (action === undefined) return { status: 200, body: chat };
    if (action === 'lock' && method === 'DELETE') {
      if (!is('removing the lock keeps its time')) chats.set(id, { ...chat, lockedUntil: null });
      return { status: 204 };
    }
    if (action === 'pin' && !isPin(json)) return fail(400);
    if (action === 'pin' && is('refuses a message that it does not know')) return fail(404);
    const changed = act(chat, action, (json as Chat | undefined)?.text);
    if (!changed) return fail(409);
    const isStored = !(action === 'mute' && is('mute stores nothing'));
    if (is('archives later') && action === 'archive') return { status: 202, body: chat };
    if (isStored) chats.set(id, changed);
    if (is('returns no content for actions')) return { status: 204 };
    return { status: is('archives later') ? 202 : 200, body: changed };
  };
}
