import type { Contract } from '../openapi/contract.ts';
import { UserError } from '../util/issue.ts';
import { SAFE_METHODS } from '../util/request-target.ts';
import { joinList } from '../util/text.ts';
import { waitForServer } from './check.ts';
import type { CheckOptions } from './check-options.ts';
import { Client } from './client.ts';
import type { CredentialStore } from './credential-store.ts';
import { CheckStoppedError, createNotCheckedError, type RequestToSend } from './exchange.ts';
import { createSend } from './hook-requests.ts';
import type { HookContext, PactStates } from './hooks.ts';
import type { GetSettings } from './operation-settings.ts';
import type { CheckCommand } from './options.ts';
import type { PactInteraction } from './pact.ts';
import { compareWithPact } from './pact-matching.ts';
import type { RecordedExchange } from './recorded.ts';
import { getCheckedRoutes } from './selection.ts';
import { NoResponseError } from './transport.ts';

interface VerifyOptions extends Pick<CheckOptions, 'signal' | 'access'> {
  readonly environment?: HookContext['environment'] | undefined;
  readonly contract: Contract;
  readonly seed: number;
  readonly credentials: CredentialStore | undefined;
  readonly getSettings: GetSettings;
}

/** The result of `verifyPact`. */
interface VerifiedPact {
  /** The received responses, and the expected ones of interactions that were not sent. */
  readonly exchanges: readonly RecordedExchange[];
  readonly unchecked: readonly string[];
  readonly notes: readonly string[];
}

/** Returns whether a command sends the interactions of a pact to a server. */
export function verifiesPact({ pact, url, states }: CheckCommand): boolean {
  return pact !== undefined && url !== undefined && states !== undefined;
}

/** The maximum number of items in a note. */
const MAX_LISTED = 20;

/**
 * Sends the interactions of a pact to a server, each in its provider states, and compares the responses.
 * With snapshots as states, the interactions are sent to a sandbox of their own.
 * Throws a `UserError` if the server does not respond, if a state cannot be created, or if the check may not write.
 */
export async function verifyPact(
  interactions: readonly PactInteraction[],
  command: CheckCommand,
  options: VerifyOptions,
): Promise<VerifiedPact> {
  const { url = '', states = {}, headers, wait } = command;
  const { signal, credentials, contract } = options;
  const usesSnapshots = Object.values(states).some((state) => typeof state === 'string');
  const sandbox = usesSnapshots ? `pact-${options.seed}` : undefined;
  const own = sandbox === undefined ? headers : { ...headers, 'x-sandbox': sandbox };
  const timeoutMs = command.timeout === undefined ? undefined : command.timeout * 1_000;
  const client = new Client(url, own, { ...options, query: command.query, timeoutMs });
  const selected = getCheckedRoutes({ ...command, contract, mayWrite: true });
  const isSelected = ({ exchange: { request } }: PactInteraction) => {
    const routed = contract.route(request.method, request.target.split('?', 1)[0] ?? '');
    return routed.kind !== 'operation' || selected.includes(routed.route);
  };
  const wanted = interactions.filter(isSelected);
  if (sandbox === undefined) refuseWrites(wanted, command);
  const unchecked: string[] = [];
  const unsupported = new Set<string>();
  const exchanges: RecordedExchange[] = interactions
    .filter((one) => !wanted.includes(one))
    .map(({ exchange }) => exchange);
  try {
    await waitForServer(client, wait, signal);
    await credentials?.open();
    for (const [at, interaction] of wanted.entries()) {
      const problem = findStateProblem(interaction, states);
      if (problem !== undefined) {
        unchecked.push(problem);
        exchanges.push(interaction.exchange);
        continue;
      }
      try {
        await createStates(interaction, { command, client, sandbox, options });
        const { exchange, skipped } = await sendInteraction(interaction, { client, contract, headers: own });
        for (const matcher of skipped) unsupported.add(matcher);
        exchanges.push(exchange);
      } catch (error) {
        if (!(error instanceof CheckStoppedError)) throw error;
        const left = wanted.length - at;
        unchecked.push(`The check stopped early: ${error.message}. Interactions that were not sent: ${left}`);
        exchanges.push(...wanted.slice(at).map((one) => one.exchange));
        break;
      }
    }
  } catch (error) {
    if (signal?.aborted) throw createNotCheckedError(client.url, signal);
    if (!(error instanceof NoResponseError)) throw error;
    throw new UserError(`${client.url} was not checked: no response: ${error.message}`, { cause: error });
  } finally {
    if (sandbox !== undefined) await removeSandbox(command, sandbox, options);
    client.close();
  }
  const list = joinList([...unsupported], MAX_LISTED);
  const notes = unsupported.size > 0 ? [`Values with these matchers of the pact were not compared: ${list}`] : [];
  return { exchanges, unchecked, notes };
}

/** Throws a `UserError` if the interactions or the functions of states can change data, and the check may not. */
function refuseWrites(interactions: readonly PactInteraction[], { url, allowWrites, states = {} }: CheckCommand): void {
  const writing = interactions.filter(({ exchange }) => !SAFE_METHODS.includes(exchange.request.method));
  if (allowWrites || (writing.length === 0 && Object.keys(states).length === 0)) return;
  const requests = writing.map(({ exchange: { request } }) => `${request.method} ${request.target}`);
  const what = requests.length > 0 ? `sends ${joinList(requests, MAX_LISTED)}` : 'creates provider states';
  throw new UserError(`The check changes data on ${url}: it ${what}. To allow this, add --allow-writes.`, {
    reason: 'usage',
  });
}

/** Returns why the states of an interaction cannot be created; undefined if they can. */
function findStateProblem({ description, states }: PactInteraction, known: PactStates): string | undefined {
  const unknown = states.filter(({ name }) => !Object.hasOwn(known, name)).map(({ name }) => JSON.stringify(name));
  if (unknown.length > 0)
    return `${description}: the provider state ${unknown.join(', ')} is missing in check.states of the configuration`;
  const snapshots = new Set(states.map(({ name }) => known[name]).filter((state) => typeof state === 'string'));
  if (snapshots.size <= 1) return undefined;
  return `${description}: its provider states are different snapshots (${[...snapshots].join(', ')}), and a sandbox has one`;
}

interface StateParts {
  readonly command: CheckCommand;
  readonly client: Client;
  readonly sandbox: string | undefined;
  readonly options: VerifyOptions;
}

/** Restores the snapshot of an interaction, or the default data, and calls the functions of its states. */
async function createStates({ states }: PactInteraction, { command, client, sandbox, options }: StateParts) {
  const { states: known = {}, url, headers } = command;
  const { environment = {} } = options;
  const from = states.map(({ name }) => known[name]).find((state) => typeof state === 'string');
  if (sandbox !== undefined) await putSandbox(sandbox, from, { url: client.url, headers, options });
  const own = sandbox === undefined ? {} : { 'x-sandbox': sandbox };
  const send = createSend(url, options);
  const sendInSandbox: typeof send = (request) => send({ ...request, headers: { ...own, ...request.headers } });
  for (const { name, params = {} } of states) {
    const state = known[name];
    if (typeof state !== 'function') continue;
    try {
      await state({ url, environment, send: sendInSandbox, params });
    } catch (cause) {
      const message = `check.states[${JSON.stringify(name)}] of the configuration failed: ${(cause as Error).message}`;
      throw new UserError(message, { cause });
    }
  }
}

/** Creates or replaces a sandbox with the control API of a storefront server. */
async function putSandbox(
  id: string,
  from: string | undefined,
  { url, headers, options }: Pick<Client, 'url' | 'headers'> & Pick<StateParts, 'options'>,
): Promise<void> {
  const control = new Client(new URL(url).origin, headers, options);
  try {
    const { status, body } = await control.send({
      method: 'PUT',
      target: `/_control/sandboxes/${id}`,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(from === undefined ? {} : { from }),
    });
    const { id: created, detail } = Object(body) as { readonly id?: unknown; readonly detail?: unknown };
    // Another server can respond with 200 to each request.
    if (status === 200 && created === id) return;
    throw new UserError(
      typeof detail === 'string'
        ? `The sandbox ${id} cannot be created on ${control.url}: ${detail}`
        : `${control.url} is no storefront server: PUT /_control/sandboxes/${id} responds with ${status}. Use functions in check.states, not names of snapshots.`,
    );
  } finally {
    control.close();
  }
}

async function removeSandbox({ url = '', headers }: CheckCommand, id: string, options: VerifyOptions): Promise<void> {
  const control = new Client(new URL(url).origin, headers, { access: options.access });
  // The sandbox expires if it stays, and the report is more important.
  await control.send({ method: 'DELETE', target: `/_control/sandboxes/${id}` }).catch(() => undefined);
  control.close();
}

interface SendParts {
  readonly client: Client;
  readonly contract: Contract;
  /** The headers of the command. They replace those of the pact, which are examples. */
  readonly headers: Readonly<Record<string, string>>;
}

/** Sends the request of an interaction, and compares the response with the expected one. */
async function sendInteraction(interaction: PactInteraction, { client, contract, headers }: SendParts) {
  const { request: example, response: expected } = interaction.exchange;
  const [path = '', search = ''] = example.target.split(/\?(.*)/s);
  const routed = contract.route(example.method, path);
  const own = routed.kind === 'operation' ? client.getOwnInput(routed.route) : { headers: {}, query: {} };
  const query = new URLSearchParams({ ...client.query, ...own.query }).toString();
  const parts = [search, query].filter((part) => part !== '').join('&');
  const request: RequestToSend = {
    ...example,
    target: parts === '' ? path : `${path}?${parts}`,
    headers: { ...example.headers, ...headers, ...own.headers },
  };
  const response = await client.send(request);
  const { mismatches, unsupported } = compareWithPact(expected, response, interaction);
  const named = mismatches.map(({ title, message }) => ({ title, message: `${message} (${interaction.description})` }));
  const exchange = { origin: client.url, request, response, lacksRequestBody: false, lacksResponseBody: false };
  return { exchange: { ...exchange, mismatches: named }, skipped: unsupported };
}
