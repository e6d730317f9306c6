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
  skill: ['storefront skill install'],
  mcp: ['storefront mcp'],
  start: ['storefront start --background', 'storefront start --background --name pets --port 0 pets.yaml'],
  status: ['storefront status', 'storefront status --json'],
  stop: ['storefront stop', 'storefront stop --name pets'],
  restart: ['storefront restart'],
  logs: ['storefront logs --lines 20', 'storefront logs --follow'],
  repair: ['storefront repair --data db.json', 'storefront repair --contract openapi.yaml'],
  migrate: ['storefront migrate --database postgres://storefront@localhost:5432/storefront'],
  explain: ['storefront explain openapi.yaml', 'storefront explain openapi.yaml --json'],
  diff: [
    'storefront diff git:main:openapi.yaml openapi.yaml',
    'storefront diff openapi.yaml http://localhost:3000 --fail-on any',
  ],
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
  webhook: ['storefront webhook', 'storefront webhook send task.created', 'storefront webhook deliveries'],
  coverage: [
    'storefront coverage',
    'storefront coverage --min 80 --fail-on untouched-operation',
    'storefront coverage --min operations=60,statuses=20 --ignore resetData',
    'storefront coverage reset',
  ],
};

const COMMON_EXIT_CODES = { 0: 'success', 1: 'failed', 2: 'invalid command line' };

/** The exit codes of each command whose meaning differs from `COMMON_EXIT_CODES`. */
const EXIT_CODES: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  storefront: { 0: 'stopped by a signal', 1: 'failed to start or to stop' },
  start: {
    0: 'the server is ready, or it was already running; without --background, stopped by a signal',
    1: 'the start failed',
  },
  status: { 0: 'a server runs', 1: 'no server runs' },
  stop: { 0: 'the server has ended, or was not running', 1: 'failed, or only servers with other names run' },
  check: {
    0: 'passed',
    1: 'failed: the server violates the contract',
    2: 'invalid command line, or --allow-writes is missing',
    3: 'incomplete: the check could not run, or a required part was not checked',
  },
  diff: {
    0: 'no breaking changes (with --fail-on any: no changes)',
    1: 'breaking changes (with --fail-on any: changes)',
    3: 'a version could not be read',
  },
  journal: { 1: 'the command failed, or the verification failed' },
  coverage: { 1: 'the command failed, or the coverage is too low' },
};

/** The commands that use options of the configuration file. */
const CONFIGURED: readonly string[] = ['storefront', 'start', 'repair', 'migrate', 'check', 'explain'];

const CONFIGURATION = [
  'Options can also be in storefront.config.mjs, storefront.config.js or',
  'storefront.config.json in the current folder, or in the property storefront',
  'of package.json. --no-config ignores them.',
];

/** Returns example command lines for a command. */
export function getExamples(command: string): readonly string[] {
  return EXAMPLES[command] ?? [];
}

/** Returns the exit codes of a command in ascending order, each with its meaning. */
export function getExitCodes(command: string): readonly (readonly [code: string, meaning: string])[] {
  return Object.entries({ ...COMMON_EXIT_CODES, ...EXIT_CODES[command] });
}

/** Returns the configuration file, the exit codes and the examples of a command, for the end of its help. */
export function formatHelpFooter(command: string): string {
  const exitCodes = getExitCodes(command).map(([code, meaning]) => `${code}  ${meaning}`);
  const configuration = CONFIGURED.includes(command) ? [formatSection('Configuration file', CONFIGURATION)] : [];
  return [
    ...configuration,
    formatSection('Exit codes', exitCodes),
    formatSection('Examples', getExamples(command)),
  ].join('\n');
}

function formatSection(title: string, lines: readonly string[]): string {
  return [`\n${title}:`, ...lines].join('\n  ');
}
