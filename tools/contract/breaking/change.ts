/** A change from one version of a document to the next. */
export interface Change {
  readonly isBreaking: boolean;
  readonly direction: Direction | 'both';
  /** JSON Pointer in the newer document, or in the older one for what was removed. */
  readonly pointer: string;
  /** Method and path, such as "POST /api/orders"; undefined where it is of no one operation. */
  readonly operation: string | undefined;
  /** The verdict in words. */
  readonly message: string;
}

/** Which way a message goes: a request from a client to the server, a response back. */
export type Direction = 'request' | 'response';

/** What a change does to what messages may hold. */
export type Effect = 'narrowed' | 'widened' | 'reshaped' | 'reread' | 'gone' | 'gained' | 'noted';

/** A change at a place of one message, before it is known for whom it breaks. */
export interface Delta {
  readonly effect: Effect;
  readonly pointer: string;
  /** What is otherwise now, beginning with the place: "quantity of the request may be 10 at most instead of 20". */
  readonly message: string;
}

/** For whom each effect breaks, and why: the client has to be able to send what it sent, and to read what it gets. */
const VERDICTS: Readonly<Record<Effect, Readonly<Record<Direction, { isBreaking: boolean; because: string }>>>> = {
  narrowed: {
    request: { isBreaking: true, because: 'requests that were valid are rejected' },
    response: { isBreaking: false, because: 'responses guarantee more than before' },
  },
  widened: {
    request: { isBreaking: false, because: 'all requests that were valid stay valid' },
    response: { isBreaking: true, because: 'responses may contain what clients do not expect' },
  },
  // Neither includes the other, or they can't be compared: it may break clients.
  reshaped: {
    request: { isBreaking: true, because: 'requests that were valid may be rejected' },
    response: { isBreaking: true, because: 'responses may contain what clients do not expect' },
  },
  // A request that leaves it out means something else.
  reread: {
    request: { isBreaking: true, because: 'requests that omit it have a different meaning' },
    response: { isBreaking: false, because: 'responses do not change' },
  },
  // A request that still says it isn't heeded, which clients don't notice; a client that reads it finds nothing.
  gone: {
    request: { isBreaking: true, because: 'the server ignores what requests contain there' },
    response: { isBreaking: true, because: 'clients that read it find nothing' },
  },
  gained: {
    request: { isBreaking: false, because: 'requests may omit it' },
    response: { isBreaking: false, because: 'clients may ignore it' },
  },
  noted: {
    request: { isBreaking: false, because: 'the validation of requests does not change' },
    response: { isBreaking: false, because: 'responses do not change' },
  },
};

/** A delta as the change that it is for the messages of an operation that go one way. */
export function changeOf({ effect, pointer, message }: Delta, direction: Direction, operation: string): Change {
  const { isBreaking, because } = VERDICTS[effect][direction];
  return { isBreaking, direction, pointer, operation, message: `${operation}: ${message}: ${because}` };
}
