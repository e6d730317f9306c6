import { UserError } from '../util/issue.ts';
import type { Access } from './access.ts';
import { waitForServer } from './check.ts';
import { Client } from './client.ts';
import { isHeader } from './header-syntax.ts';
import { createSend } from './hook-requests.ts';
import type { HookContext } from './hooks.ts';
import { type SettingsBySelector, validateSettings } from './operation-settings.ts';
import type { CheckCommand } from './options.ts';

/** What the hook `before` of a configuration can return. */
interface Prepared {
  readonly headers?: Readonly<Record<string, string>>;
  /** The values of parameters, such as the id of an entry that the hook has created. */
  readonly parameters?: Readonly<Record<string, unknown>>;
  /** Settings of single operations. */
  readonly operations?: SettingsBySelector;
}

/**
 * Called before a check, for example to create data and to log in.
 * Can return headers for all requests, values of parameters, and settings of operations.
 * If it rejects, the check does not start.
 */
export type BeforeHook = (context: HookContext) => Promise<Prepared | undefined> | Promise<void>;

/** Options of `callBefore`. */
interface BeforeOptions extends Pick<HookContext, 'environment'> {
  readonly signal: AbortSignal;
  readonly access?: Access | undefined;
}

/**
 * Waits for the server as the command says, and calls a hook.
 * Returns the command with the headers that the hook returns.
 * Rejects with a `UserError` if the hook fails or returns something else.
 */
export async function callBefore(
  before: BeforeHook,
  command: CheckCommand,
  { environment, signal, access }: BeforeOptions,
): Promise<CheckCommand> {
  const { url, wait, headers } = command;
  if (url !== undefined && wait > 0) {
    const client = new Client(url, headers, { signal, access });
    await waitForServer(client, wait, signal).finally(() => client.close());
  }
  let prepared: unknown;
  try {
    prepared = await before({ url, environment, send: createSend(url, { signal, access }) });
  } catch (cause) {
    throw new UserError(`check.before of the configuration failed: ${describeReason(cause)}`, { cause });
  }
  const own = readPrepared(prepared);
  return {
    ...command,
    headers: { ...own.headers, ...headers },
    parameters: { ...command.parameters, ...own.parameters },
    operations: { ...command.operations, ...own.operations },
  };
}

/** Returns the message of an error and that of its cause, such as `fetch failed: connect ECONNREFUSED`. */
function describeReason(reason: unknown): string {
  if (!(reason instanceof Error)) return String(reason);
  const { message, cause } = reason;
  return cause instanceof Error && cause.message !== '' ? `${message}: ${cause.message}` : message;
}

/** Returns the result of a hook, with headers by lower-case name. Throws a `UserError` for any other result. */
function readPrepared(prepared: unknown): Prepared {
  if (prepared === undefined) return {};
  const { headers = {}, parameters = {}, operations = {}, ...rest } = Object(prepared) as Record<string, unknown>;
  const entries: readonly [string, unknown][] =
    headers instanceof Headers ? [...headers] : Object.entries(Object(headers));
  const isObject =
    typeof prepared === 'object' && prepared !== null && typeof headers === 'object' && Object.keys(rest).length === 0;
  if (!isObject || !entries.every(([name, value]) => isHeader(name, value)))
    throw new UserError(
      'check.before of the configuration must return nothing, or an object such as { headers: { authorization: "…" } }.',
    );
  if (typeof parameters !== 'object' || parameters === null || Array.isArray(parameters))
    throw new UserError('check.before of the configuration must return parameters as an object.');
  validateSettings('operations of the result of check.before', operations);
  const named = entries.map(([name, value]) => [name.toLowerCase(), String(value)] as const);
  return { headers: Object.fromEntries(named), parameters: { ...parameters }, operations };
}
