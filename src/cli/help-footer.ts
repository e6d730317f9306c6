/** An example of `storefront faults`, for the help of the program and of the command. */
const FAULT_EXAMPLE = 'storefront faults add --operation createOrder --status 503 --times 1';

/** An example of `storefront check`, for the help of the program and of the command. */
const CHECK_EXAMPLE = 'storefront check http://localhost:8080 --contract openapi.yaml --allow-writes';

/** The examples of each command, by the name of the command. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  storefront: [
    'storefront',
    'storefront --port 4000 --data shop.json',
    'storefront --contract openapi.yaml',
    'storefront --static dist',
    'storefront reset --sandbox w3',
    FAULT_EXAMPLE,
    CHECK_EXAMPLE,
  ],
  repair: ['storefront repair --data db.json', 'storefront repair --contract openapi.yaml'],
  migrate: ['storefront migrate --database postgres://storefront@localhost:5432/storefront'],
  explain: ['storefront explain openapi.yaml', 'storefront explain openapi.yaml --json'],
  check: ['storefront check', CHECK_EXAMPLE, 'storefront check http://localhost:3000 --only listProducts'],
  reset: ['storefront reset', 'storefront reset --sandbox w3 --url http://localhost:4000'],
  flush: ['storefront flush', 'storefront flush --url http://localhost:4000'],
  snapshot: ['storefront snapshot', 'storefront snapshot before-checkout'],
  restore: ['storefront restore full-cart'],
  clock: ['storefront clock freeze 2025-06-01T12:00:00Z', 'storefront clock advance 86400000'],
  ids: ['storefront ids seed 7', 'storefront ids random'],
  state: ['storefront state > state.json', 'storefront state put state.json'],
  sandboxes: ['storefront sandboxes', 'storefront sandboxes create --sandbox w1 --from full-cart'],
  faults: ['storefront faults', FAULT_EXAMPLE, 'storefront faults clear'],
  journal: ['storefront journal follow', 'storefront journal verify --operation createOrder --times 1'],
};

const COMMON_EXIT_CODES = { 0: 'success', 1: 'failed', 2: 'invalid command line' };

/** The exit codes of each command whose meaning differs from `COMMON_EXIT_CODES`. */
const EXIT_CODES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  storefront: { 0: 'stopped by a signal', 1: 'failed to start or to stop' },
  check: {
    0: 'passed',
    1: 'failed: the server violates the contract',
    2: 'invalid command line, or --allow-writes is missing',
    3: 'incomplete: not everything could be checked',
  },
  journal: { 1: 'the command failed, or the verification failed' },
};

/** Returns example command lines for a command. */
export function getExamples(command: string): readonly string[] {
  return EXAMPLES[command] ?? [];
}

/** Returns the exit codes of a command in ascending order, each with its meaning. */
export function getExitCodes(command: string): readonly (readonly [code: string, meaning: string])[] {
  return Object.entries({ ...COMMON_EXIT_CODES, ...EXIT_CODES[command] });
}

/** Returns the exit codes and the examples of a command, for the end of its help. */
export function formatHelpFooter(command: string): string {
  const exitCodes = getExitCodes(command).map(([code, meaning]) => `${code}  ${meaning}`);
  return [formatSection('Exit codes', exitCodes), formatSection('Examples', getExamples(command))].join('\n');
}

function formatSection(title: string, lines: readonly string[]): string {
  return [`\n${title}:`, ...lines].join('\n  ');
}
