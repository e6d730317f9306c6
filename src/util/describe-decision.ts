/** What determined a response, as in the journal. `faults`: the ids of the faults that applied. */
interface Decision {
  readonly source: keyof typeof ORIGINS;
  readonly example?: string | undefined;
  readonly faults?: readonly string[] | undefined;
}

/**
 * The words for what determines a response.
 * The log, the console and `storefront explain` use them.
 */
const ORIGINS = {
  handler: 'real',
  'user-handler': 'your handler',
  mock: 'mocked',
  stored: 'mocked: stored entry',
  preference: 'mocked: Prefer header',
  fault: 'fault',
  cache: 'real: cached',
  replay: 'repeated: idempotency key',
  refusal: 'refused',
} as const;

/** Describes in a few words what determined a response, such as `real` or `mocked: example emptyList, fault f1`. */
export function describeDecision({ source, example, faults = [] }: Decision): string {
  const origin = ORIGINS[source];
  const ids = faults.join(', ');
  if (source === 'fault') return ids === '' ? origin : `${origin} ${ids}`;
  const withExample =
    example === undefined ? origin : `${origin}${origin.includes(':') ? ',' : ':'} example ${example}`;
  return ids === '' ? withExample : `${withExample}, fault ${ids}`;
}

/**
 * Describes how the server handles an operation, such as `real: lists pets`, `mocked: by the option mock` or
 * `your handler`.
 * `explanation`: what the handler does, or why the operation is mocked.
 */
export function describeHandling(isMocked: boolean, explanation: string): string {
  if (isMocked) return `${ORIGINS.mock}: ${explanation}`;
  return explanation === YOUR_HANDLER ? explanation : `${ORIGINS.handler}: ${explanation}`;
}

/** The explanation of an operation with a handler of the user. */
export const YOUR_HANDLER = ORIGINS['user-handler'];
