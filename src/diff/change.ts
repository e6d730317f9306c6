/** A change from one version of a document to the next. */
export interface Change {
  readonly isBreaking: boolean;
  /** The HTTP message that changes; `both` for a change of a whole operation or server. */
  readonly direction: Direction | 'both';
  /** Method and path, such as "POST /pets"; undefined if the change concerns the whole document. */
  readonly operation: string | undefined;
  /** What changes: "quantity of the request can be at most 10 instead of 20". */
  readonly message: string;
  /** Why the change is breaking, or why it is not. */
  readonly reason: string;
  /** The JSON Pointer in the older document; for an addition, the place that lacks the value. */
  readonly before: string;
  /** The JSON Pointer in the newer document; for a removal, the place that lacks the value. */
  readonly after: string;
}

/**
 * Who sends a message: `request` for messages from clients to the server, and `response` for messages to clients.
 * The request of a webhook or callback is a message to clients, so its direction is `response`.
 */
export type Direction = 'request' | 'response';

/**
 * The effect of a change on the set of valid messages.
 * `reinterpreted`: a missing value has another meaning.
 * `neutral`: the set does not change.
 */
export type Effect = 'narrower' | 'wider' | 'different' | 'reinterpreted' | 'removed' | 'added' | 'neutral';

/** A change at a place in a request or a response. `toChange` decides whether it is breaking. */
export interface Delta extends Pick<Change, 'message' | 'before' | 'after'> {
  readonly effect: Effect;
}

/** The direction of the messages in which a change is breaking, and the reason for each direction. */
interface Verdict {
  readonly breaks: readonly Direction[];
  readonly request: string;
  readonly response: string;
}

/**
 * The verdict about each effect of a change.
 * Older clients must be able to send their messages, and to read the messages of the server.
 * `MESSAGES`: `requests` or `responses`.
 */
const VERDICTS: Readonly<Record<Effect, Verdict>> = {
  narrower: {
    breaks: ['request'],
    request: 'MESSAGES that were valid are rejected',
    response: 'MESSAGES guarantee more than before',
  },
  wider: {
    breaks: ['response'],
    request: 'all MESSAGES that were valid stay valid',
    response: 'MESSAGES may contain values that clients do not expect',
  },
  // The older and the newer set of valid values overlap, or can't be compared.
  different: {
    breaks: ['request', 'response'],
    request: 'MESSAGES that were valid may be rejected',
    response: 'MESSAGES may contain values that clients do not expect',
  },
  reinterpreted: {
    breaks: ['request'],
    request: 'MESSAGES that omit it have a different meaning',
    response: 'MESSAGES do not change',
  },
  removed: {
    breaks: ['request', 'response'],
    request: 'the server ignores or rejects this part of MESSAGES',
    response: 'clients that read it get no value',
  },
  added: { breaks: [], request: 'MESSAGES without it stay valid', response: 'clients may ignore it' },
  neutral: { breaks: [], request: 'the validation of MESSAGES does not change', response: 'MESSAGES do not change' },
};

/** The message of an operation that changes. */
interface ChangedMessage {
  readonly operation: string;
  /** The kind of HTTP message. It differs from the direction in webhooks and callbacks. */
  readonly kind: Direction;
  readonly direction: Direction;
}

/** Adds an operation and a verdict (breaking or not) to a change. */
export function toChange({ effect, ...delta }: Delta, { operation, kind, direction }: ChangedMessage): Change {
  const { breaks, [direction]: reason } = VERDICTS[effect];
  return {
    isBreaking: breaks.includes(direction),
    direction: kind,
    operation,
    ...delta,
    reason: reason.replace('MESSAGES', `${kind}s`),
  };
}

/** Describes a change in one sentence, with its operation and without the reason. */
export function describeChange({
  operation,
  direction,
  message,
}: Pick<Change, 'operation' | 'direction' | 'message'>): string {
  if (operation === undefined) return message;
  return direction === 'both' ? `${operation} ${message}` : `${operation}: ${message}`;
}
