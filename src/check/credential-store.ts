import type { Contract } from '../openapi/contract.ts';
import { toNode } from '../openapi/document.ts';
import type { Route } from '../openapi/routes.ts';
import type { Credential } from '../openapi/security.ts';
import { UserError } from '../util/issue.ts';
import { suggestOneOf } from '../util/names.ts';
import type { CommonInput } from './credentials.ts';
import { CheckStoppedError, isSuccess, type ReceivedResponse, type RequestToSend } from './exchange.ts';
import { isHeader } from './header-syntax.ts';
import type { CredentialSources, HookContext } from './hooks.ts';

/** The status of a response to a request without valid credentials (RFC 9110, section 15.5.2). */
const UNAUTHORIZED = 401;

/** An operation that refuses this many consecutive new credentials has another reason. */
const MAX_REFUSALS = 3;

type Input = Pick<CommonInput, 'headers' | 'query'>;

/** The credentials of the configuration. Replaces one that the server no longer accepts. */
export class CredentialStore {
  readonly #sources: CredentialSources;
  readonly #context: HookContext;
  readonly #contract: Contract;
  /** The values of each security scheme, the current one last. */
  readonly #values = new Map<string, readonly string[]>();
  /** The current values that the server has accepted. */
  readonly #accepted = new Set<string>();
  /** The number of consecutive new credentials that an operation has refused, by operationId. */
  readonly #refusals = new Map<string, number>();
  readonly #renewals = new Map<string, Promise<void>>();

  /** Throws a `UserError` if the contract has no security scheme with a name of `sources`. */
  constructor(contract: Contract, sources: CredentialSources, context: HookContext) {
    this.#contract = contract;
    this.#sources = sources;
    this.#context = context;
    const names = Object.keys(toNode(toNode(contract.document.components).securitySchemes));
    for (const name of Object.keys(sources))
      if (!names.includes(name)) {
        const remedy = names.length > 0 ? suggestOneOf(name, names, 'security schemes') : 'it has none';
        throw new UserError(`check.credentials.${name}: ${contract.path} has no such security scheme: ${remedy}.`);
      }
  }

  /** All values that the check has sent. Reports must not show them. */
  get secrets(): readonly string[] {
    return [...this.#values.values()].flat();
  }

  /** Gets the first value of each credential. Throws a `UserError` if a function fails or returns no text. */
  async open(): Promise<void> {
    for (const name of Object.keys(this.#sources)) await this.#load(name);
  }

  /** Returns the headers and query parameters with the credentials of an operation. */
  getInput(route: Route): Input {
    return this.#toInput(route, (name) => this.#values.get(name)?.at(-1));
  }

  /**
   * Returns a refused request with a new credential, to send again.
   * Returns undefined if the response is no refusal, if the request has no credential of this store, or if the server
   * has accepted no request with it: another one would not help.
   */
  async renew(route: Route, request: RequestToSend, response: ReceivedResponse): Promise<RequestToSend | undefined> {
    const names = getNames(route).filter((name) => this.#values.has(name));
    if (isSuccess(response)) for (const name of names) this.#accepted.add(name);
    if (response.status !== UNAUTHORIZED || request.isAnonymous === true) return undefined;
    const used = new Map(names.map((name) => [name, this.#findUsed(route, name, request)]));
    for (const name of names) {
      const isCurrent = used.get(name) !== undefined && used.get(name) === this.#values.get(name)?.at(-1);
      const refusals = this.#refusals.get(route.operationId) ?? 0;
      if (isCurrent && this.#accepted.has(name) && refusals < MAX_REFUSALS) await this.#renewOnce(name);
    }
    const before = this.#toInput(route, (name) => used.get(name));
    const replaced = replaceInput(request, before, this.getInput(route));
    const isSame = JSON.stringify(replaced.headers) === JSON.stringify(request.headers ?? {});
    return isSame && replaced.target === request.target ? undefined : replaced;
  }

  /** Records the response to a request that `renew` has returned. */
  recordRenewed({ operationId }: Route, { status }: ReceivedResponse): void {
    this.#refusals.set(operationId, status === UNAUTHORIZED ? (this.#refusals.get(operationId) ?? 0) + 1 : 0);
  }

  async #renewOnce(name: string): Promise<void> {
    const load = () =>
      this.#load(name)
        .catch((error: Error) => {
          throw new CheckStoppedError(error.message, 'interrupted');
        })
        .finally(() => this.#renewals.delete(name));
    const renewal = this.#renewals.get(name) ?? load();
    this.#renewals.set(name, renewal);
    await renewal;
  }

  async #load(name: string): Promise<void> {
    const source = this.#sources[name];
    const all = this.#contract.routes.flatMap(({ security }) => security.flat());
    const scopes = [...new Set(all.flatMap((one) => (one.schemeName === name ? one.scopes : [])))];
    let value: unknown = source;
    try {
      if (typeof source === 'function') value = await source({ ...this.#context, scopes });
    } catch (cause) {
      throw new UserError(
        `check.credentials.${name} of the configuration failed: ${(cause as Error).message ?? cause}`,
        {
          cause,
        },
      );
    }
    if (typeof value !== 'string' || value === '' || !isHeader('authorization', value))
      throw new UserError(
        `check.credentials.${name} of the configuration must be or return a string: a token, an API key, or user:password.`,
      );
    const known = this.#values.get(name) ?? [];
    this.#accepted.delete(name);
    this.#values.set(name, [...known.filter((one) => one !== value), value]);
  }

  /** Returns the value of a credential in a request; undefined if the request has none of this store. */
  #findUsed(route: Route, name: string, request: RequestToSend): string | undefined {
    return this.#values.get(name)?.findLast((value) => {
      const { headers, query } = this.#toInput(route, (one) => (one === name ? value : undefined));
      const isSent = ([header, text]: readonly [string, string]) => request.headers?.[header]?.includes(text) === true;
      return (
        Object.entries(headers).some(isSent) ||
        Object.entries(query).some(([parameter, text]) => request.target.includes(toPair(parameter, text)))
      );
    });
  }

  #toInput(route: Route, getValue: (name: string) => string | undefined): Input {
    const headers: Record<string, string> = {};
    const query: Record<string, string> = {};
    for (const credential of route.security.flat()) {
      const value = getValue(credential.schemeName);
      if (value === undefined) continue;
      if (credential.in === 'query') query[credential.name] = value;
      else if (credential.in === 'header') headers[credential.name] = toHeader(credential, value);
      else headers.cookie = [headers.cookie ?? [], `${credential.name}=${value}`].flat().join('; ');
    }
    return { headers, query };
  }
}

function getNames({ security }: Route): readonly string[] {
  return [...new Set(security.flat().map(({ schemeName }) => schemeName))];
}

/** Returns the value of a header with a credential: an API key, or the scheme and a token. */
function toHeader({ scheme }: Credential, value: string): string {
  if (scheme === undefined || value.toLowerCase().startsWith(`${scheme} `)) return value;
  if (scheme === 'basic') return `Basic ${value.includes(':') ? Buffer.from(value).toString('base64') : value}`;
  return `${scheme === 'bearer' ? 'Bearer' : scheme} ${value}`;
}

function toPair(name: string, value: string): string {
  return `${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

/** Replaces headers and query parameters of a request that have the values of `before` with those of `after`. */
function replaceInput(request: RequestToSend, before: Input, after: Input): RequestToSend {
  let { target, headers = {} } = request;
  for (const [name, value] of Object.entries(before.query))
    if (after.query[name] !== value)
      target = target.replace(toPair(name, value), toPair(name, after.query[name] ?? ''));
  for (const [name, value] of Object.entries(before.headers))
    if (after.headers[name] !== value && headers[name]?.includes(value))
      headers = { ...headers, [name]: headers[name].replace(value, () => after.headers[name] ?? '') };
  return { ...request, target, headers };
}
