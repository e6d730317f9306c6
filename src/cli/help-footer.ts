/** The examples at the end of the help, by command. */
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
  sandboxes: ['storefront sandboxes', 'storefront sandboxes create --from full-cart'],
  faults: [
    'storefront faults',
    'storefront faults add --operation createOrder --status 503 --times 1',
    'storefront faults clear',
  ],
  journal: ['storefront journal follow', 'storefront journal verify --operation createOrder --times 1'],
};

/** Returns the examples of a command as text for its help; empty if it has none. */
export function formatExamples(command: string): string {
  const examples = EXAMPLES[command] ?? [];
  return examples.length === 0 ? '' : `\nExamples:\n${examples.map((example) => `  ${example}`).join('\n')}`;
}
