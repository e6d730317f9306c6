import { formatBody, toContentType } from '../mock/media-types.ts';
import type { Mock } from '../mock/mock.ts';
import type { Contract } from '../openapi/contract.ts';
import { isNode, type Node, toNode } from '../openapi/document.ts';
import { formatForm, toContentType as toFormType } from '../openapi/format-form.ts';
import { isFormBody, isJsonType } from '../openapi/media-types.ts';
import type { OutgoingRequest } from '../openapi/outgoing-requests.ts';
import type { DocumentedMedia } from '../openapi/responses.ts';
import { getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { toIsoTime } from '../util/iso-time.ts';
import { normalizeName, toSingular } from '../util/names.ts';
import { toSeed } from '../util/random.ts';
import { tryOrUndefined } from '../util/try-or-undefined.ts';

/** The contract, and what completes values. */
export interface PayloadSource {
  readonly contract: Contract;
  readonly mock: Mock;
}

/**
 * The entry that a payload reports, as responses show it, and its collection.
 * `path`: the property names that lead to it in the payload; undefined if the payload has no schema of it.
 */
interface ReportedEntry {
  readonly value: unknown;
  readonly collection: string;
  readonly path: readonly string[] | undefined;
}

/** What a payload reports. */
export interface PayloadFacts {
  /** The id of the delivery. */
  readonly id: string;
  /** The time by the clock of the sandbox, in ms since 1970. */
  readonly nowMs: number;
  readonly entry?: ReportedEntry | undefined;
  /** The whole payload. It takes precedence. */
  readonly data?: unknown;
  /** A value with known properties, such as the response of the operation of a callback. */
  readonly known?: unknown;
}

/** The body of a delivery. `notes`: how it violates the contract. */
export interface Payload {
  readonly contentType: string;
  readonly content: string;
  readonly notes: readonly string[];
}

/** Creates the payload of a webhook or a callback, and validates it against the contract. */
export function createPayload(source: PayloadSource, request: OutgoingRequest, facts: PayloadFacts): Payload {
  const media = Object.entries(request.route.bodyMedia);
  const [type, chosen] = media.find(([name]) => isJsonType(name)) ?? media[0] ?? [];
  if (type === undefined || !chosen) {
    const content = facts.data === undefined ? '' : JSON.stringify(facts.data);
    return { contentType: 'application/json', content, notes: [] };
  }
  const schema = chosen.schema ?? chosen.itemSchema;
  const value =
    facts.data !== undefined
      ? facts.data
      : schema === undefined
        ? (facts.entry?.value ?? chosen.examples[0]?.value ?? {})
        : createValue(source, request, { schema, example: chosen.examples[0]?.value }, facts);
  const errors = schema === undefined ? [] : source.contract.getErrors(schema, value);
  const notes = errors.map(
    ({ instancePath, message }) => `the payload violates the contract: body${instancePath} ${message}`,
  );
  return { ...formatPayload(source, { type, ...chosen, schema }, value), notes: notes.slice(0, MAX_NOTES) };
}

function formatPayload(
  { contract }: PayloadSource,
  { type, schema, items }: DocumentedMedia & { readonly type: string },
  value: unknown,
): Pick<Payload, 'contentType' | 'content'> {
  if (isFormBody(type) && isNode(value))
    return { contentType: toFormType(type), content: formatForm(contract.normalized, { type, schema }, value) };
  const contentType = toContentType(type);
  const body = tryOrUndefined(() => formatBody(contentType, value, { contract, schema, items })) ?? value;
  return { contentType, content: typeof body === 'string' && !isJsonType(contentType) ? body : JSON.stringify(body) };
}

/** The maximum number of violations that are noted. */
const MAX_NOTES = 3;

function createValue(
  { contract, mock }: PayloadSource,
  { name }: OutgoingRequest,
  { schema, example }: { readonly schema: string; readonly example: unknown },
  { entry, known, id, nowMs }: PayloadFacts,
): unknown {
  const properties = getPartProperties(getSchemaParts(contract.normalized, schema));
  // A payload that can't be completed is sent as it is.
  const complete = (value: unknown) =>
    tryOrUndefined(() => mock.completeValue(schema, value, toSeed(name)).value) ?? value;
  if (entry?.path?.length === 0) return complete(entry.value);
  if (entry === undefined && contract.isValid(schema, known) && known !== undefined) return known;
  const isValid = (property: string, value: unknown) => contract.isValid(properties.get(property) ?? '', value);
  const own = [...properties.keys()].flatMap((property) => {
    const values = listValues(property, { name, id, nowMs, entry, known, isEnvelope: entry?.path !== undefined });
    const value = values.find((one) => one !== undefined && isValid(property, one));
    return value === undefined ? [] : [[property, value]];
  });
  const base = isNode(example) ? example : {};
  const values = { ...base, ...Object.fromEntries(own) };
  const whole = entry?.path ? setInner(values, entry.path, entry.value) : values;
  if (properties.size === 0 && example !== undefined) return example;
  return complete(whole);
}

const TYPE_NAMES = ['type', 'event', 'eventtype', 'eventname', 'topic', 'webhook'];
const TIME_NAMES = ['timestamp', 'time', 'createdat', 'occurredat', 'sentat', 'eventtime', 'created', 'date'];
const ID_NAMES = ['id', 'eventid', 'webhookid', 'deliveryid', 'messageid'];

/**
 * Returns the possible values of a property of a payload, or of a header, by its name, the best first.
 * `isEnvelope`: whether it describes the delivery, and not the entry.
 */
export function listValues(
  property: string,
  { name, id, nowMs, entry, known, isEnvelope }: PayloadFacts & { readonly name: string; readonly isEnvelope: boolean },
): readonly unknown[] {
  const own = normalizeName(property);
  const value = toNode(entry?.value);
  const idOfEntry = entry && own === `${normalizeName(toSingular(entry.collection))}id` ? value.id : undefined;
  const fromEntry = isEnvelope ? [] : [findProperty(value, own), idOfEntry];
  return [
    ...fromEntry,
    findProperty(toNode(known), own),
    ...(TYPE_NAMES.includes(own) ? [name] : []),
    ...(TIME_NAMES.includes(own) ? [toIsoTime(nowMs), Math.floor(nowMs / 1_000), nowMs] : []),
    ...(ID_NAMES.includes(own) && isEnvelope ? [id, id.slice(id.indexOf('_') + 1)] : []),
  ];
}

function findProperty(value: Node, normalized: string): unknown {
  const name = Object.keys(value).find((key) => normalizeName(key) === normalized);
  return name === undefined ? undefined : value[name];
}

function setInner(value: Node, [name = '', ...rest]: readonly string[], inner: unknown): Node {
  return { ...value, [name]: rest.length === 0 ? inner : setInner(toNode(value[name]), rest, inner) };
}
