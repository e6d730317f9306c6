/** A change from one version of a document to the next. */
export interface Change {
  readonly isBreaking: boolean;
  readonly direction: Direction | 'both';
  /** JSON Pointer in the newer document; in the older one if something was removed. */
  readonly pointer: string;
  /** Method and path, such as "POST /api/orders"; undefined if the change is not of one operation. */
  readonly operation: string | undefined;
  /** The change and whether it is breaking, in words. */
  readonly message: string;
}

/** The direction of a message: a request to the server, or a response. */
export type Direction = 'request' | 'response';

/** The effect of a change on the valid messages. */
export type Effect = 'narrowed' | 'widened' | 'reshaped' | 'reread' | 'gone' | 'gained' | 'noted';

/** A change at a place in a message, not yet classified as breaking. */
export interface Delta {
  readonly effect: Effect;
  readonly pointer: string;
  /** The change in words, starting with the place: "quantity of the request may be 10 at most instead of 20". */
  readonly message: string;
}

/** Whether each effect is breaking in each direction, and why: clients must be able to send the same requests and to read the responses. */
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
  // A request without the value changes its meaning.
  reread: {
    request: { isBreaking: true, because: 'requests that omit it have a different meaning' },
    response: { isBreaking: false, because: 'responses do not change' },
  },
  // Clients don't notice that the server ignores the value in a request, and find nothing in a response.
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

/** Returns a delta as a change of the messages of an operation in one direction. */
export function changeOf({ effect, pointer, message }: Delta, direction: Direction, operation: string): Change {
  const { isBreaking, because } = VERDICTS[effect][direction];
  return { isBreaking, direction, pointer, operation, message: `${operation}: ${message}: ${because}` };
}
