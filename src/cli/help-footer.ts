/** The examples by command. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  storefront: [
    'storefront',
    'storefront --port 4000 --data shop.json',
    'storefront --contract openapi.yaml --mock',
    'storefront --static dist',
    'storefront reset --sandbox w3',
    'storefront faults add --operation createOrder --status 503 --times 1',
    'storefront check http://localhost:3000 --allow-writes',
    'storefront types openapi.yaml --output src/api.d.ts',
  ],
  repair: ['storefront repair --data db.json'],
  types: ['storefront types openapi.yaml --output src/api.d.ts', 'storefront types openapi.yaml > api.d.ts'],
  check: [
    'storefront check',
    'storefront check http://localhost:3000 --allow-writes',
    'storefront check http://localhost:8080 --contract openapi.yaml --only listProducts',
  ],
  reset: ['storefront reset', 'storefront reset --sandbox w3 --url http://localhost:4000'],
  snapshot: ['storefront snapshot', 'storefront snapshot before-checkout'],
  restore: ['storefront restore full-cart'],
  clock: ['storefront clock freeze 2025-06-01T12:00:00Z', 'storefront clock advance 86400000'],
  ids: ['storefront ids seed 7', 'storefront ids random'],
  state: ['storefront state > state.json', 'storefront state put state.json'],
  sandboxes: ['storefront sandboxes', 'storefront sandboxes create --sandbox w1 --from full-cart'],
  faults: [
    'storefront faults',
    'storefront faults add --operation createOrder --status 503 --times 1',
    'storefront faults clear',
  ],
  journal: ['storefront journal follow', 'storefront journal verify --operation createOrder --times 1'],
};

/** An exit code and its meaning. */
type ExitCode = readonly [code: number, meaning: string];

const INVALID_COMMAND_LINE: ExitCode = [2, 'invalid command line'];

/** The exit codes of commands for which they mean more than that the command succeeded or failed. */
const OWN_EXIT_CODES: Readonly<Record<string, readonly ExitCode[]>> = {
  storefront: [[0, 'stopped by a signal'], [1, 'failed to start or to stop'], INVALID_COMMAND_LINE],
  check: [[0, 'passed'], [1, 'failed: the server violates the contract'], INVALID_COMMAND_LINE, [3, 'no verdict']],
  journal: [[0, 'success'], [1, 'failed, or the verification failed'], INVALID_COMMAND_LINE],
};

/** Returns the examples of a command: command lines. */
export function getExamples(command: string): readonly string[] {
  return EXAMPLES[command] ?? [];
}

/** Returns the exit codes of a command with their meanings. */
export function getExitCodes(command: string): readonly ExitCode[] {
  return OWN_EXIT_CODES[command] ?? [[0, 'success'], [1, 'failed'], INVALID_COMMAND_LINE];
}

/** Returns the end of the help of a command: exit codes and examples. */
export function formatHelpFooter(command: string): string {
  const exitCodes = getExitCodes(command).map(([code, meaning]) => `${code}  ${meaning}`);
  return [formatSection('Exit codes', exitCodes), formatSection('Examples', getExamples(command))].join('\n');
}

function formatSection(title: string, lines: readonly string[]): string {
  return [`\n${title}:`, ...lines].join('\n  ');
}
