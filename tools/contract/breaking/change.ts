/** A change from one version of a document to the next. */
export interface Change {
  readonly isBreaking: boolean;
  readonly direction: Direction | 'both';
  /** The JSON Pointer in the newer document; for a removal, in the older document. */
  readonly pointer: string;
  /** Method and path, such as "POST /api/orders"; undefined if the change concerns several operations. */
  readonly operation: string | undefined;
  /** A sentence with the change, and the reason why it is breaking or not. */
  readonly message: string;
}

/** The direction of an HTTP message: a request to the server, or a response. */
export type Direction = 'request' | 'response';

/**
 * The effect of a change on the set of valid requests or responses. `reinterpreted`: a missing value has another meaning. `neutral`: the set does not change.
 */
export type Effect = 'narrower' | 'wider' | 'different' | 'reinterpreted' | 'removed' | 'added' | 'neutral';

/** A change at a place in a request or a response. `toChange` decides whether it is breaking. */
export interface Delta {
  readonly effect: Effect;
  readonly pointer: string;
  /** The first part of a sentence, which starts with the place: "quantity of the request can be at most 10 instead of 20". */
  readonly message: string;
}

/**
 * For each effect of a change: whether it is breaking in requests and in responses, and why. Old clients must be able to send their requests and to read the
 * responses.
 */
const VERDICTS: Readonly<Record<Effect, Readonly<Record<Direction, { isBreaking: boolean; because: string }>>>> = {
  narrower: {
    request: { isBreaking: true, because: 'requests that were valid are rejected' },
    response: { isBreaking: false, because: 'responses guarantee more than before' },
  },
  wider: {
    request: { isBreaking: false, because: 'all requests that were valid stay valid' },
    response: { isBreaking: true, because: 'responses may contain values that clients do not expect' },
  },
  // The older and the newer set of valid values overlap, or can't be compared.
  different: {
    request: { isBreaking: true, because: 'requests that were valid may be rejected' },
    response: { isBreaking: true, because: 'responses may contain values that clients do not expect' },
  },
  reinterpreted: {
    request: { isBreaking: true, because: 'requests that omit it have a different meaning' },
    response: { isBreaking: false, because: 'responses do not change' },
  },
  removed: {
    request: { isBreaking: true, because: 'the server ignores this part of requests' },
    response: { isBreaking: true, because: 'clients that read it get no value' },
  },
  added: {
    request: { isBreaking: false, because: 'requests may omit it' },
    response: { isBreaking: false, because: 'clients may ignore it' },
  },
  neutral: {
    request: { isBreaking: false, because: 'the validation of requests does not change' },
    response: { isBreaking: false, because: 'responses do not change' },
  },
};

/** Adds an operation and a verdict (breaking or not) to a change. */
export function toChange({ effect, pointer, message }: Delta, direction: Direction, operation: string): Change {
  const { isBreaking, because } = VERDICTS[effect][direction];
  return { isBreaking, direction, pointer, operation, message: `${operation}: ${message}: ${because}` };
}
