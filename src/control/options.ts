import { Argument, Command, CommanderError, InvalidArgumentError } from 'commander';

/** A request to the control of a running server, as a command asks for it. */
export interface SteeringCommand {
  /** The server's address. */
  readonly url: string;
  /** What it wants as a bearer token; undefined where it wants none. */
  readonly token: string | undefined;
  readonly method: 'GET' | 'PUT' | 'POST' | 'DELETE';
  /** Below /_control/sandboxes/. */
  readonly path: string;
  readonly body?: object;
}

/** What of a command is the same for all. */
interface Flags {
  readonly url: string;
  readonly sandbox: string;
  readonly token?: string;
}

type Asked = Pick<SteeringCommand, 'method' | 'path' | 'body'>;
type Steer = (request: Asked, flags: Flags) => void;

/** The subcommands by which a running server is steered. `onSteer` is told what is asked for. */
export function steeringCommands(
  environment: Readonly<Record<string, string | undefined>>,
  onSteer: (command: SteeringCommand) => void,
): readonly Command[] {
  const steer: Steer = ({ method, path, body }, { url, token = environment.STOREFRONT_CONTROL_TOKEN, sandbox }) =>
    onSteer({ url, token, method, path: `${sandbox}${path}`, ...(body ? { body } : {}) });
  return [
    steering('reset', 'Restores the default data of a running shop.').action((flags: Flags) =>
      steer({ method: 'POST', path: '/reset' }, flags),
    ),
    steering('snapshot', 'Saves the state of a running shop under a name; without one, lists the snapshots.')
      .argument('[name]', 'name of the snapshot')
      .action((name: string | undefined, flags: Flags) =>
        steer(
          name === undefined
            ? { method: 'GET', path: '/snapshots' }
            : { method: 'PUT', path: `/snapshots/${encodeURIComponent(name)}` },
          flags,
        ),
      ),
    steering('restore', 'Restores a snapshot in a running shop.')
      .argument('<name>', 'name of the snapshot')
      .action((name: string, flags: Flags) =>
        steer({ method: 'POST', path: `/snapshots/${encodeURIComponent(name)}/restore` }, flags),
      ),
    clockCommand(steer),
  ];
}

function clockCommand(steer: Steer): Command {
  return steering('clock', 'Shows the clock of a running shop, or steers it.')
    .addArgument(new Argument('[what]', 'what is to be done').choices(Object.keys(CLOCK)).default('show'))
    .argument('[value]', 'a moment (2025-06-01T12:00:00Z, or ms since 1970) for set and freeze, ms for advance')
    .action((what: string, value: string | undefined, flags: Flags) => {
      const request = CLOCK[what as keyof typeof CLOCK];
      steer(request(value), flags);
    });
}

/** What can be done with a clock, and the request that does it. */
const CLOCK = {
  show: () => ({ method: 'GET', path: '/clock' }),
  set: (value) => ({ method: 'PUT', path: '/clock', body: { now: momentOf(value) } }),
  freeze: (value) => ({
    method: 'PUT',
    path: '/clock',
    body: { ...(value === undefined ? {} : { now: momentOf(value) }), frozen: true },
  }),
  run: () => ({ method: 'PUT', path: '/clock', body: { frozen: false } }),
  advance: (value) => ({ method: 'POST', path: '/clock/advance', body: { ms: wholeMs(value) } }),
  follow: () => ({ method: 'DELETE', path: '/clock' }),
} as const satisfies Record<string, (value: string | undefined) => Asked>;

function steering(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .option('--url <address>', 'address of the server', address, 'http://localhost:3000')
    .option('--sandbox <id>', 'the sandbox that is meant', 'default')
    .option('--token <token>', 'what the server wants; STOREFRONT_CONTROL_TOKEN in the environment does the same')
    .allowExcessArguments(false)
    .allowUnknownOption(false)
    .exitOverride();
}

function address(text: string): string {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return text.replace(/\/+$/, '');
  throw new InvalidArgumentError('Give an address such as http://localhost:3000.');
}

function momentOf(text: string | undefined): string | number {
  if (text !== undefined && /^\d+$/.test(text)) return Number(text);
  if (text !== undefined && ISO.test(text) && !Number.isNaN(Date.parse(text))) return text;
  throw misused(`${text ?? 'no moment'} is none: give one such as 2025-06-01T12:00:00Z, or ms since 1970`);
}

const ISO = /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:\d\d)$/;

function wholeMs(text: string | undefined): number {
  if (text !== undefined && /^[+-]?\d{1,16}$/.test(text)) return Number(text);
  throw misused(`${text ?? 'no time'} is none to advance by: give whole milliseconds, such as 86400000 or -3600000`);
}

function misused(said: string): CommanderError {
  return new CommanderError(2, 'storefront.misused', said);
}
