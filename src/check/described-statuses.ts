import type { Contract } from '../openapi/contract.ts';
import { getNode, toNode } from '../openapi/document.ts';
import { findJsonMedia } from '../openapi/responses.ts';
import type { Route } from '../openapi/routes.ts';
import { ALL_PARTS, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { joinWords, toSingular } from '../util/names.ts';
import { documents } from './life-cycle-rules.ts';

/** The status of a request that contradicts the state of a resource (RFC 9110, section 15.5.10). */
export const CONFLICT = 409;

/** Matches a status that a resource does not leave. */
const FINAL = /cancel|reject|declin|refund|void|delet|archiv|expir|terminat|revok|abort|withdrawn/i;

/** Matches an action that leaves a final status on purpose. */
const REVERSING =
  /^un|^re(?!ject|fund|voke|move|ceive|deem|ply|port|quest|serve|turn)|restor|undo|reset|reviv|recover|retr(?:y|ies)|revert|rollback|reinstate/i;

/** Returns the summary and the description of an operation. */
export function describe({ normalized }: Contract, { pointer }: Route): string {
  const { summary, description } = toNode(getNode(normalized, pointer));
  return [summary, description].filter((text) => typeof text === 'string').join('\n');
}

/** Returns the description of the 409 response of an operation. */
export function describeConflict({ normalized }: Contract, { responses }: Route): string {
  const documented = responses.find(({ name }) => name === String(CONFLICT));
  return String(toNode(getNode(normalized, documented?.pointer ?? '')).description ?? '');
}

/** Words of a description that only repeats the meaning of 409. */
const GENERIC =
  /^(?:the|a|an|is|in|of|with|for|this|to|request|operation|action|conflicts?|conflicting|current|state|status|resource|target|error|response|problem|cannot|can|not|be|performed|done|possible|allowed|completed)$/;

/** Returns whether the description of a 409 response says only what the status means: `Conflict`. */
export function isGenericConflict(description: string, path: string): boolean {
  const words = joinWords(description)
    .split(' ')
    .filter((word) => word !== '');
  const resource = joinWords(path).split(' ').map(toSingular);
  return words.every((word) => GENERIC.test(word) || resource.includes(toSingular(word)));
}

/** Words of the description of an action, and what it can name. */
interface Description {
  readonly text: string;
  /** The path of the action, such as `/jobs/{jobId}/start`. */
  readonly path: string;
  readonly statuses: readonly string[];
}

/**
 * Returns the statuses in which a resource must be for an action, by the first words of a sentence in its description:
 * `Start an open job.`, `Finish a job that is in progress.`
 * The noun must be that of the resource: `Assign a free driver to a job` says nothing about the status of the job.
 */
export function findDescribedStatuses({ text, path, statuses }: Description): readonly string[] {
  const collection = joinWords(path.split('/{').at(-2)?.split('/').at(-1) ?? '');
  const last = collection.split(' ').at(-1) ?? '';
  if (last === '' || statuses.length === 0) return [];
  const noun = `(?:${collection.replace(/\S+$/, '')})?(?:${last}|${toSingular(last)})`;
  const status = `(?:${statuses.map((one) => joinWords(one)).join('|')})`;
  const list = `(${status}(?: (?:or |and )?(?:an? )?${status})*)`;
  const before = new RegExp(`^[a-z]+ (?:an?|any|one) ${list} ${noun}\\b`);
  const after = new RegExp(
    `^[a-z]+ (?:an?|any|one|the) ${noun} (?:that|which) (?:is|are) (?:still |currently )?${list}$`,
  );
  return text.split(/[.;\n]/).flatMap((sentence) => {
    const words = joinWords(sentence);
    const found = (before.exec(words) ?? after.exec(words))?.[1];
    return found === undefined ? [] : statuses.filter((one) => ` ${found} `.includes(` ${joinWords(one)} `));
  });
}

/**
 * Returns why an action must be refused in the current status; undefined if nothing says so.
 * `status`: the name of the property with the status.
 * `isCreated`: whether no action has been sent before, so that the status is the first one, and not final.
 * `reached`: the status after the action; undefined if the action did not change it.
 */
export function findReason(
  contract: Contract,
  read: Route,
  {
    action,
    status,
    current,
    isCreated,
    reached,
  }: {
    readonly action: Route;
    readonly status: string;
    readonly current: string;
    readonly isCreated: boolean;
    readonly reached: string | undefined;
  },
): { readonly text: string; readonly isDocumented: boolean } | undefined {
  if (!documents(action, CONFLICT)) return undefined;
  const description = describeConflict(contract, action);
  const text = ` ${normalizeWords(description)
    .replaceAll(/[^a-z ]/g, ' ')
    .replaceAll(/ +/g, ' ')} `;
  const statuses = [...new Set([current, ...findStatuses(contract, read, status)])];
  const named = statuses.filter((one) => isNamed(text, one));
  const allowed = named.filter((one) => isOnly(text, one));
  const isRefused = allowed.length > 0 ? !named.includes(current) : named.includes(current) && !ONLY.test(text);
  if (isRefused) return { text: `describes it with "${description}"`, isDocumented: true };
  const operation = toNode(getNode(contract.normalized, action.pointer));
  const name = action.path.split('/').at(-1) ?? '';
  const isReverse = REVERSING.test(name) || REVERSING.test(String(operation.operationId ?? ''));
  const summary = describe(contract, action);
  // `Cancel a booking. Returns a cancelled booking.` names the status that the action sets.
  const required = findDescribedStatuses({ text: summary, path: action.path, statuses }).filter(
    (one) => one !== reached,
  );
  if (required.length > 0 && !isNamed(`${text}${joinWords(summary)} `, current))
    return { text: `is described as "${summary.replaceAll('\n', ' ')}"`, isDocumented: false };
  return FINAL.test(current) && !isReverse && !isCreated
    ? { text: `${JSON.stringify(current)} is a final status`, isDocumented: false }
    : undefined;
}

/** Returns whether a value can be a status. */
export function isWord(value: unknown): value is string {
  return typeof value === 'string' && /^[a-z_-]{2,40}$/i.test(value);
}

/** Returns the values that the contract allows for the status of a resource. */
export function findStatuses({ normalized }: Contract, read: Route, status: string): readonly string[] {
  const media = findJsonMedia(read.responses, read.successStatus);
  return findProperties(normalized, media?.schema ?? '', status).flatMap((schema) =>
    getSchemaParts(normalized, schema, ALL_PARTS).flatMap(({ node }) =>
      Array.isArray(node.enum) ? node.enum.filter(isWord) : [],
    ),
  );
}

/** Returns the schemas of a property in an object, and in the objects within it, such as an envelope. */
function findProperties(document: Contract['normalized'], schema: string, name: string, depth = 0): readonly string[] {
  const properties = getPartProperties(getSchemaParts(document, schema, ALL_PARTS));
  const own = properties.get(name);
  if (own !== undefined || depth > MAX_ENVELOPES) return own === undefined ? [] : [own];
  return [...properties.values()].flatMap((inner) => findProperties(document, inner, name, depth + 1));
}

/** The maximum number of objects around a resource in a response. */
const MAX_ENVELOPES = 2;

/** Matches a text that says in which statuses an action is allowed. */
const ONLY = /\b(?:only|unless|must be|not)\b/;

/** Returns whether a text names a status as one in which an action is allowed: `only pending`, `is not yet paid`. */
function isOnly(text: string, status: string): boolean {
  const between = '(?: (?!for |of |to |with |by |enough )[a-z]+){0,4}';
  return new RegExp(` (?:only|unless|must be|not|no longer)${between} ${normalizeWords(status)} `).test(text);
}

function normalizeWords(text: string): string {
  return text.toLowerCase().replaceAll(/[_-]/g, ' ');
}

/** Returns whether a text has a status as a word. */
export function isNamed(text: string, status: string): boolean {
  return text.includes(` ${normalizeWords(status)} `);
}
