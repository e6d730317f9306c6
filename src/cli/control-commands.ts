import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { toQuery } from '../client/client.ts';
import { parseExactJson } from '../util/limits.ts';
import {
  type ActionCommand,
  type CommandRequest,
  type ControlCommand,
  type ControlOptions,
  createActionCommand,
  createControlCommand,
  type RunRequest,
  rejectArgument,
  setServerAddress,
} from './control-command.ts';
import { COVERAGE_COMMAND } from './coverage-command.ts';
import type { OptionRow } from './option-values.ts';
import {
  createUsageError,
  parseAnyJson,
  parseCount,
  parseDelay,
  parseHeader,
  parseJson,
  parseList,
  parseMs,
  parseProbability,
  parseSeed,
  parseTime,
} from './option-values.ts';

const FAULT_OPTIONS: readonly OptionRow[] = [
  ['--operation <ids>', 'comma-separated operationIds that the fault applies to (default: all operations)', parseList],
  [
    '--where <json>',
    'JSON object that requests must match; its properties can be method, path, query, headers and body',
    parseJson,
  ],
  ['--skip <number>', 'number of matching requests to skip first (default: 0)', parseCount],
  ['--times <number>', 'maximum number of requests that the fault applies to (default: no limit)', parseCount],
  ['--probability <number>', 'probability that the fault applies, from 0 to 1 (default: 1)', parseProbability],
  [
    '--seed <number>',
    'random seed for --probability and for a range of --delay (default: the number in the id of the fault: 3 for f3)',
    parseCount,
  ],
  [
    '--until <time>',
    'time when the fault expires, by the clock of the sandbox: ISO 8601 or milliseconds since 1970',
    parseTime,
  ],
  ['--duration <ms>', 'milliseconds until the fault expires, up to 86400000', parseCount],
  [
    '--phase <phase>',
    'when the fault applies: before or after the operation runs (default: before)',
    ['before', 'after'],
  ],
  ['--status <status>', 'status of the response: 400 or higher, or a status that the contract documents', parseCount],
  ['--example <name>', 'name of the response example in the contract'],
  ['--body <json>', 'response body (requires --status)', parseAnyJson],
  ['--header <header>', "response header, such as 'Retry-After: 1' (requires --status, repeatable)", parseHeader],
  ['--violation', 'allow a --body or a --header that violates the contract'],
  ['--delay <ms>', 'delay of the response: milliseconds or a range (200-800), up to 60000', parseDelay],
  ['--hold', 'hold the request until `faults release` or until the fault is removed'],
  [
    '--connection <mode>',
    'close the connection: reset (without a response) or cut (after half of the body)',
    ['reset', 'cut'],
  ],
  ['--body-duration <ms>', 'duration of sending the response body, in milliseconds, up to 60000', parseCount],
  [
    '--stream <effect>',
    'effect on a stream, such as server-sent events: cut (close the connection), end (end the stream), corrupt or delay (the next item)',
    ['cut', 'end', 'corrupt', 'delay'],
  ],
  ['--after-items <number>', 'number of items that the stream sends before the effect of --stream', parseCount],
  ['--item-delay <ms>', 'delay of an item by --stream delay, in milliseconds, up to 60000', parseCount],
];

/** The command that lists, adds and removes injected faults. */
const FAULTS_COMMAND: ActionCommand = {
  name: 'faults',
  description:
    'List, add, remove or clear faults, or release the requests that they hold. The options from --operation to --item-delay apply only to add.',
  argument: ['[fault]', 'for remove: id of the fault. For release: id of the fault (default: all faults)'],
  options: FAULT_OPTIONS,
  actions: {
    list: { method: 'GET', path: '/faults' },
    add(argument, options) {
      rejectArgument('faults add', argument);
      const { duration: durationMs, bodyDuration: bodyDurationMs, header: headers, body, ...others } = options;
      const { stream: effect, afterItems, itemDelay: delayMs, ...fault } = others;
      const { value } = (body ?? {}) as { readonly value?: unknown };
      if (effect === undefined && (afterItems ?? delayMs) !== undefined)
        throw createUsageError('--after-items and --item-delay require --stream.');
      const stream = effect === undefined ? undefined : { effect, afterItems, delayMs };
      return {
        method: 'POST',
        path: '/faults',
        body: { ...fault, body: value, headers, durationMs, bodyDurationMs, stream },
      };
    },
    remove(id) {
      if (id === undefined)
        throw createUsageError('Missing fault id, such as f1. `storefront faults` lists the faults.');
      return { method: 'DELETE', path: `/faults/${encodeURIComponent(id)}` };
    },
    release: (id) => ({
      method: 'POST',
      path: id === undefined ? '/faults/release' : `/faults/${encodeURIComponent(id)}/release`,
    }),
    clear: { method: 'DELETE', path: '/faults' },
  },
  accepts: { remove: [], release: [] },
};

const FILTER = ['operation', 'where', 'status', 'fault', 'delivery', 'state', 'after'];

/** The command that shows, follows, counts, verifies and clears recorded requests. */
const JOURNAL_COMMAND: ActionCommand = {
  name: 'journal',
  description: 'Show, follow, count, verify or clear the recorded requests of a sandbox.',
  options: [
    ['--operation <ids>', 'only requests of these comma-separated operationIds (default: all operations)', parseList],
    [
      '--where <json>',
      'for count and verify: JSON object that requests must match; its properties can be method, path, query, headers and body',
      parseJson,
    ],
    ['--status <status>', 'for count and verify: only requests with this response status', parseCount],
    ['--fault <id>', 'for count and verify: only requests that this fault applied to'],
    [
      '--delivery <names>',
      'only requests that the server has sent for these comma-separated webhooks and callbacks',
      parseList,
    ],
    [
      '--state <state>',
      'for count and verify: requests that have ended (finished), requests that a fault or a delay holds back (waiting), or both (any) (default: finished)',
      ['finished', 'waiting', 'any'],
    ],
    ['--after <id>', 'only requests with a higher id', parseCount],
    ['--limit <number>', 'for show: number of newest requests to show (default: all)', parseCount],
    ['--times <number>', 'for verify: exact number of requests', parseCount],
    ['--at-least <number>', 'for verify: minimum number of requests (default: 1, or 0 with --at-most)', parseCount],
    ['--at-most <number>', 'for verify: maximum number of requests (default: no limit)', parseCount],
    [
      '--within <ms>',
      'for verify: maximum time to wait for the requests, in milliseconds, up to 60000 (default: 0)',
      parseCount,
    ],
  ],
  actions: {
    show: (_, query) => ({ ...createListRequest(query), format: 'journal' }),
    follow: (_, query) => ({ ...createListRequest(query), format: 'stream' }),
    count: (_, body) => ({ method: 'POST', path: '/requests/count', body }),
    verify: (_, { within: withinMs, ...filter }) => ({
      method: 'POST',
      path: '/requests/verify',
      body: { ...filter, withinMs },
      format: 'verification',
    }),
    clear: { method: 'DELETE', path: '/requests' },
  },
  accepts: {
    show: ['operation', 'delivery', 'after', 'limit'],
    follow: ['operation', 'delivery', 'after'],
    count: FILTER,
    verify: [...FILTER, 'times', 'atLeast', 'atMost', 'within'],
  },
};

/** The command that lists and sends webhooks, and shows and repeats their deliveries. */
const WEBHOOK_COMMAND: ActionCommand = {
  name: 'webhook',
  description:
    'List the webhooks and callbacks of the contract, send one, list the deliveries of a sandbox, or send a delivery again.',
  argument: ['[name]', 'for send: name of the webhook or the callback. For retry: id of the delivery'],
  options: [
    ['--data <json>', 'for send: payload (default: the newest entry, or the example of the contract)', parseAnyJson],
    ['--to <url>', 'for send: URL of the receiver (default: the URLs of the sandbox)'],
    ['--status <status>', 'for deliveries: only those with this status', ['pending', 'delivered', 'failed']],
    ['--limit <number>', 'for deliveries: number of newest deliveries to list (default: all)', parseCount],
    ['--after <id>', 'for deliveries: only those after the delivery with this id'],
  ],
  actions: {
    list: { method: 'GET', path: '/webhooks' },
    send(name, { data, to }) {
      if (name === undefined)
        throw createUsageError('Missing name of a webhook. `storefront webhook list` lists the webhooks.');
      const { value } = (data ?? {}) as { readonly value?: unknown };
      return { method: 'POST', path: `/webhooks/${encodeURIComponent(name)}/send`, body: { data: value, url: to } };
    },
    deliveries(name, query) {
      rejectArgument('webhook deliveries', name);
      return { method: 'GET', path: `/deliveries${toQuery(query)}` };
    },
    retry(id) {
      if (id === undefined)
        throw createUsageError('Missing id of a delivery. `storefront webhook deliveries` lists the deliveries.');
      return { method: 'POST', path: `/deliveries/${encodeURIComponent(id)}/retry` };
    },
  },
  accepts: { send: ['data', 'to'], deliveries: ['status', 'limit', 'after'], retry: [] },
};

function createListRequest(query: Readonly<Record<string, unknown>>): CommandRequest {
  return { method: 'GET', path: `/requests${toQuery(query)}` };
}

/**
 * Creates the commands that send requests to the control API of a running server.
 * Calls `onCommand` with the parsed command.
 */
export function createControlCommands(
  environment: Readonly<Record<string, string | undefined>>,
  onCommand: (command: ControlCommand) => void,
): readonly Command[] {
  const { STOREFRONT_CONTROL_TOKEN, GITHUB_STEP_SUMMARY: summary } = environment;
  const run: RunRequest = ({ path, serverPath, coverage, ...request }, { url, token, sandbox }) => {
    const sandboxPath = path === undefined ? 'sandboxes' : `sandboxes/${encodeURIComponent(sandbox)}${path}`;
    onCommand({
      url,
      token: token ?? STOREFRONT_CONTROL_TOKEN,
      path: serverPath ?? sandboxPath,
      ...request,
      ...(coverage && { coverage: { ...(summary && { summary }), ...coverage } }),
    });
  };
  const commands = [
    createControlCommand('reset', 'Restore the default data of a sandbox.').action((options: ControlOptions) =>
      run({ method: 'POST', path: '/reset' }, options),
    ),
    createControlCommand(
      'flush',
      'Write all changes of the write-ahead log to the data file now, so that another program can read or edit it.',
    ).action((options: ControlOptions) => run({ method: 'POST', path: '/flush' }, options)),
    createSnapshotCommand(run),
    createControlCommand('restore', 'Replace the state of a sandbox with a snapshot.')
      .argument('<name>', 'name of the snapshot')
      .action((name: string, options: ControlOptions) =>
        run({ method: 'POST', path: `/snapshots/${encodeURIComponent(name)}/restore` }, options),
      ),
    ...ACTION_COMMANDS.map((command) => createActionCommand(command, run)),
  ];
  return commands.map((command) => command.hook('preAction', () => setServerAddress(command, environment)));
}

const ACTION_COMMANDS: readonly ActionCommand[] = [
  {
    name: 'clock',
    description:
      'Show or change the clock of a sandbox. Actions: set, freeze, advance, run (unfreeze the clock: it continues from the frozen time), and follow (unfreeze the clock and use the system time).',
    argument: [
      '[value]',
      'for set and freeze: a time, such as 2025-06-01T12:00:00Z, or milliseconds since 1970 (default for freeze: the current time of the sandbox). For advance: a number of milliseconds, which can be negative',
    ],
    actions: {
      show: { method: 'GET', path: '/clock' },
      set: (time) => ({ method: 'PUT', path: '/clock', body: { now: parseTime(time) } }),
      freeze: (time) => ({
        method: 'PUT',
        path: '/clock',
        body: { now: time === undefined ? undefined : parseTime(time), frozen: true },
      }),
      run: { method: 'PUT', path: '/clock', body: { frozen: false } },
      advance: (ms) => ({ method: 'POST', path: '/clock/advance', body: { ms: parseMs(ms) } }),
      follow: { method: 'DELETE', path: '/clock' },
    },
  },
  {
    name: 'ids',
    description: 'Show or set the seed of the id generator of a sandbox, or return to random ids.',
    argument: ['[seed]', 'for the action seed: an integer'],
    actions: {
      show: { method: 'GET', path: '/ids' },
      seed: (seed) => ({ method: 'PUT', path: '/ids', body: { seed: parseSeed(seed) } }),
      random: { method: 'DELETE', path: '/ids' },
    },
  },
  {
    name: 'state',
    description: 'Print the state of a sandbox as JSON, or replace it.',
    argument: ['[file]', 'for put: JSON file with the whole state, or with the collections to replace'],
    actions: {
      show: { method: 'GET', path: '/state' },
      put: (file) => ({ method: 'PUT', path: '/state', body: readState(file) }),
    },
  },
  {
    name: 'sandboxes',
    description: 'List the sandboxes, or show, create or remove a sandbox.',
    options: [['--from <snapshot>', 'for create: name of the snapshot to start from (default: the default data)']],
    actions: {
      list: { method: 'GET' },
      show: { method: 'GET', path: '' },
      create: (_, { from }) => ({ method: 'PUT', path: '', body: { from } }),
      remove: { method: 'DELETE', path: '' },
    },
    requireSandbox: ['create', 'remove'],
  },
  FAULTS_COMMAND,
  JOURNAL_COMMAND,
  WEBHOOK_COMMAND,
  COVERAGE_COMMAND,
];

function createSnapshotCommand(run: RunRequest): Command {
  return createControlCommand(
    'snapshot',
    'Save the state of a sandbox as a snapshot, list the snapshots, or delete a snapshot.',
  )
    .argument('[name]', 'name of the snapshot (default: list the snapshots)')
    .option('--delete', 'delete the snapshot')
    .action((name: string | undefined, options: ControlOptions & { readonly delete?: true }) => {
      if (name === undefined) {
        rejectArgument('snapshot without a name', options.delete && '--delete');
        return run({ method: 'GET', path: '/snapshots' }, options);
      }
      run({ method: options.delete ? 'DELETE' : 'PUT', path: `/snapshots/${encodeURIComponent(name)}` }, options);
    });
}

/** Returns whether a file has the output of `storefront state --json`. */
function isStateOutput(content: unknown): content is { readonly data: unknown } {
  const { schemaVersion, command } = (content ?? {}) as Record<string, unknown>;
  return typeof schemaVersion === 'number' && command === 'state';
}

function readState(file: string | undefined): unknown {
  if (file === undefined) throw createUsageError('Missing file. Create one with `storefront state > FILE`.');
  try {
    const content = parseExactJson(readFileSync(file, 'utf8'));
    return isStateOutput(content) ? content.data : content;
  } catch (error) {
    throw createUsageError(`Can't read a state from ${file}: ${(error as Error).message}`);
  }
}
