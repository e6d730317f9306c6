import { closeSchemas } from '../openapi/close-schemas.ts';
import { type Contract, loadContract } from '../openapi/contract.ts';
import { type Document, isNode, toNode } from '../openapi/document.ts';
import { getDocumentTag } from '../openapi/document-tag.ts';
import { UserError } from '../util/issue.ts';
import { waitForServer } from './check.ts';
import { Client } from './client.ts';
import { type CheckEnvironment, type LoadedCommand, readRemoteContract } from './command.ts';
import { createNotCheckedError, type ReceivedResponse, type RequestToSend } from './exchange.ts';
import { isRecorded } from './options.ts';
import { NoResponseError } from './transport.ts';

/**
 * The response of a storefront server to a request for its contract.
 * Its status is 304 if the server serves the contract of the check. The body of a large contract needs much memory.
 */
type Served = Pick<ReceivedResponse, 'status' | 'body'>;

async function requestContract(client: Client, { document }: Contract): Promise<Served> {
  const headers = { 'if-none-match': getDocumentTag(document) };
  return client.send({ method: 'GET', target: '/openapi.json', headers });
}

/** The header that selects a sandbox of a storefront server. */
const SANDBOX_HEADER = 'x-sandbox';

/** Options of `selectSandboxes`. */
interface SandboxOptions extends Pick<CheckEnvironment, 'model' | 'contract' | 'seed' | 'print' | 'signal' | 'access'> {
  /** Prints a line about progress. */
  readonly printProgress: (text: string) => void;
}

/**
 * The number of sandboxes that the check uses at the same time, if a behaviour model describes the contract.
 * Different parts of the check run in different sandboxes.
 */
const SANDBOX_COUNT = 8;

/**
 * Creates sandboxes (isolated states of the server) for a check, so that the check does not change the sandbox
 * `default`.
 * Returns the command with headers that select the new sandboxes.
 * Returns the command unchanged if the server is not a storefront server, or if the command already selects a sandbox.
 * Throws `UserError` if the server does not respond, or if the signal stops the check.
 */
export async function selectSandboxes(
  command: LoadedCommand,
  { model, contract: defaultContract, seed, print, printProgress, signal, access }: SandboxOptions,
): Promise<LoadedCommand> {
  const { url, headers, wait, timeout } = command;
  if (url === undefined || isRecorded(command) || headers[SANDBOX_HEADER] !== undefined) return command;
  const contract = await loadContract({
    path: command.contract ?? defaultContract,
    source: command.source,
    allowRefs: command.allowRefs,
    strict: false,
  });
  const hasModel = model.applies(contract);
  const probePath = hasModel ? model.probePath : findProbePath(contract);
  if (probePath === undefined) return command;
  const timeoutMs = timeout === undefined ? undefined : timeout * 1_000;
  const client = new Client(url, headers, { signal, timeoutMs, access });
  try {
    if (wait > 0) printProgress(`Waiting for ${url}, at most ${wait} s …\n`);
    await waitForServer(client, wait, signal);
    const id = `check-${seed}`;
    const served = await requestContract(client, contract);
    if (command.contract === undefined && servesOthers(served, contract)) {
      const path = `${client.url}/openapi.json`;
      const selected = await selectServedContract({ ...command, contract: path }, { client, id, signal, access });
      if (!selected) return command;
      print(`Without --contract, the check uses the contract that the server serves: ${path}\n`);
      return await selectSandboxes(selected, { model, contract: path, seed, print, printProgress, signal, access });
    }
    if (!(await isStorefrontServer(client, probePath, id))) return command;
    const others = await createSandboxes(client, probePath, id, hasModel ? SANDBOX_COUNT : 1);
    print(describeSandboxes(url, id, others.length));
    const sandboxHeaders = others.map((other) => ({ ...headers, [SANDBOX_HEADER]: other }));
    const firstHeaders = { ...headers, [SANDBOX_HEADER]: id };
    const strict = isStrict(served, contract);
    return { ...command, headers: firstHeaders, sandboxHeaders, allowWrites: true, isFresh: true, strict };
  } catch (error) {
    if (signal?.aborted) throw createNotCheckedError(client.url, signal);
    if (!(error instanceof NoResponseError)) throw error;
    const message = `${client.url} was not checked: no response to GET ${probePath}: ${error.message}`;
    throw new UserError(message, { cause: error });
  } finally {
    client.close();
  }
}

/**
 * Returns a command with the contract that a server serves.
 * Returns undefined if the server is not a storefront server: its contract can be that of another API.
 */
async function selectServedContract(
  command: LoadedCommand & { readonly contract: string },
  { client, id, signal, access }: Pick<SandboxOptions, 'signal' | 'access'> & ServerToProbe,
): Promise<LoadedCommand | undefined> {
  try {
    const selected = await readRemoteContract(command, { signal, access });
    const { contract: path, allowRefs } = command;
    // Only operations of the served contract respond with the id of the sandbox.
    const probePath = findProbePath(await loadContract({ path, source: selected.source, allowRefs, strict: false }));
    const isKnown = probePath !== undefined && (await isStorefrontServer(client, probePath, id));
    return isKnown ? selected : undefined;
  } catch (error) {
    // Another server can serve an invalid document.
    if (!(error instanceof UserError) || signal?.aborted) throw error;
    return undefined;
  }
}

/** A server that can be a storefront server. */
interface ServerToProbe {
  readonly client: Client;
  /** The id of a sandbox that the server can create. */
  readonly id: string;
}

/**
 * Returns whether a storefront server serves a contract in its strict form, which forbids undocumented query parameters
 * and properties.
 */
function isStrict({ status, body }: Served, { document }: Contract): boolean {
  return status === 200 && isNode(body) && getDocumentTag(body as Document) === getDocumentTag(closeSchemas(document));
}

/**
 * Returns the path of the first GET operation without path parameters, or else of another operation without them, whose
 * response to GET is an error. Returns undefined if every path has parameters.
 */
function findProbePath({ routes }: Contract): string | undefined {
  const fixed = routes.filter(({ pathNames }) => pathNames.length === 0);
  return (fixed.find(({ method }) => method === 'GET') ?? fixed[0])?.path;
}

/** Returns whether a server serves other operations than those of a contract. */
function servesOthers({ status, body }: Served, { document }: Contract): boolean {
  const list = (paths: unknown) =>
    Object.entries(toNode(paths)).flatMap(([path, item]) => Object.keys(toNode(item)).map((key) => `${key} ${path}`));
  return status === 200 && String(list(toNode(body).paths).sort()) !== String(list(document.paths).sort());
}

/**
 * Creates further sandboxes, so that the check has `count`, with the ids `id-2`, `id-3` and so on.
 * Returns the ids of the created sandboxes.
 */
async function createSandboxes(
  client: Client,
  probePath: string,
  id: string,
  count: number,
): Promise<readonly string[]> {
  const others = Array.from({ length: count - 1 }, (_, index) => `${id}-${index + 2}`);
  const areUsable = await Promise.all(others.map((other) => canUseSandbox(client, probePath, other)));
  return others.filter((_, index) => areUsable[index]);
}

function describeSandboxes(url: string, id: string, others: number): string {
  const sandboxes = others > 0 ? `${others + 1} new sandboxes (${id} and ${others} more)` : `the new sandbox ${id}`;
  return `${url} is a storefront server: the check runs in ${sandboxes} and does not change the default sandbox.\n`;
}

/** An id that no sandbox can have. */
const INVALID_ID = '-';

/**
 * Returns whether a server is a storefront server.
 * It repeats the id of a sandbox in the response header `x-sandbox`, but refuses an invalid id.
 * Other servers can repeat each request header.
 */
async function isStorefrontServer(client: Client, target: string, id: string): Promise<boolean> {
  if (!(await canUseSandbox(client, target, id))) return false;
  const { status, headers } = await client.send(createProbe(target, INVALID_ID));
  return status >= 400 && headers[SANDBOX_HEADER] === undefined;
}

/** Requests `target` in the sandbox `id`. Returns whether the response is from this sandbox. */
async function canUseSandbox(client: Client, target: string, id: string): Promise<boolean> {
  const { headers } = await client.send(createProbe(target, id));
  // The response can have any status, because the request may lack a required parameter or a credential.
  return headers[SANDBOX_HEADER] === id;
}

function createProbe(target: string, id: string): RequestToSend {
  return { method: 'GET', target, headers: { [SANDBOX_HEADER]: id } };
}
