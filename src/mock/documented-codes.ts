import type { Contract } from '../openapi/contract.ts';
import { type Document, isNode, resolvePointer } from '../openapi/document.ts';
import type { DocumentedResponse } from '../openapi/responses.ts';
import { ALL_PARTS, getPartItems, getPartProperties, getSchemaParts } from '../openapi/schema-parts.ts';
import { memoizeByObject } from '../util/memoize-by-object.ts';
import { splitWords } from '../util/names.ts';
import {
  type DocumentedCodes,
  findCommonStatuses,
  getPhrases,
  isCodeName,
  type RequestError,
  STYLES,
  toPlainName,
} from './error-fields.ts';

/** A code in an example or a schema. `name`: the name of its field. */
interface Code {
  readonly name: string;
  readonly value: unknown;
  readonly isInList: boolean;
}

/** Matches a text that is a code, and not a message, such as `not_found` or `NOT_FOUND`. */
const CODE_TEXT = /^[a-z\d]+(?:[_-][a-z\d]+)+$|^[A-Z\d]+(?:_[A-Z\d]+)*$|^[A-Z]?[a-z\d]+(?:[A-Z][a-z\d]+)+$/;

/** The maximum number of objects around a code: 2 for `error.code`. */
const MAX_DEPTH = 4;

/**
 * Returns the codes that a document has for an error: those in the examples of the response, and the values of an
 * `enum` that name the error. Without them, the codes that other responses with the status have, if they say no more
 * than the status. Without these, a common code of the status, if the document has codes in one style.
 * The codes with the most words of the error are first.
 */
export function findDocumentedCodes(
  contract: CodedContract,
  response: DocumentedResponse | undefined,
  error: RequestError,
): DocumentedCodes | undefined {
  const { status } = error;
  const known = getCodeCache(contract);
  const byStatus = known.get(response) ?? new Map<number, StatusCodes | undefined>();
  known.set(response, byStatus);
  const codes = byStatus.has(status) ? byStatus.get(status) : collectCodes(contract, response, status);
  byStatus.set(status, codes);
  if (!codes) return undefined;
  const words = new Set(splitWords(`${error.code} ${error.detail}`));
  const ranked = [...codes.byName].map(([name, values]) => [name, rank(values, words)] as const);
  return { isInList: codes.isInList, byName: new Map(ranked) };
}

/** A code, and the words of which it consists. */
interface CodeWords {
  readonly value: unknown;
  readonly words: readonly string[];
}

/** The codes of the errors with a status, by the name of their field. */
interface StatusCodes {
  readonly isInList: boolean;
  readonly byName: ReadonlyMap<string, readonly CodeWords[]>;
}

type CodedContract = Pick<Contract, 'routes' | 'normalized'>;

/** Returns the codes of a contract that were already collected, by response and status. */
const getCodeCache = memoizeByObject(
  (_: CodedContract) => new Map<DocumentedResponse | undefined, Map<number, StatusCodes | undefined>>(),
);

function collectCodes(
  contract: CodedContract,
  response: DocumentedResponse | undefined,
  status: number,
): StatusCodes | undefined {
  const own = response ? readCodes(response) : [];
  const listed = response
    ? readEnumCodes(contract)(response).filter(({ value }) => namesError(value, status) && !isOfOther(value, status))
    : [];
  const hasExamples = Object.values(response?.media ?? {}).some(({ examples }) => examples.length > 0);
  const others = hasExamples || listed.length > 0 ? [] : findCommonCodes(contract, status);
  const codes = [...own, ...listed, ...others];
  if (codes.length === 0) return undefined;
  const names = [...new Set(codes.map(({ name }) => toPlainName(name)))];
  const pick = (name: string) => codes.filter((code) => toPlainName(code.name) === name).map(({ value }) => value);
  const addWords = (value: unknown) => ({ value, words: splitWords(String(value)) });
  return {
    isInList: codes.every(({ isInList }) => isInList),
    byName: new Map(names.map((name) => [name, [...new Set(pick(name))].map(addWords)])),
  };
}

/** Sorts codes: those with the most words of an error are first. */
function rank(codes: readonly CodeWords[], words: ReadonlySet<string>): readonly unknown[] {
  if (codes.length < 2) return codes.map(({ value }) => value);
  const count = (code: CodeWords) => code.words.filter((word) => words.has(word)).length;
  return codes
    .map((code) => [count(code), code.value] as const)
    .sort(([a], [b]) => b - a)
    .map(([, value]) => value);
}

/** Words in codes for a violated rule, beside its name. */
const RULE_WORDS: Readonly<Record<string, string>> = { required: 'missing field', type: 'type field', enum: 'field' };

/**
 * Returns how well a code of a document fits an error: 0 if it names another status or none, else 1 and the number of
 * words that it has in common with the error.
 */
export function rateCode(value: unknown, { status, code, detail, violations }: RequestError): number {
  if (!namesError(value, status) || isOfOther(value, status)) return 0;
  // The detail of a violation has the name of the value, which is no part of a general code.
  const rules = violations.map(({ rule }) => `${rule} ${RULE_WORDS[rule] ?? ''}`).join(' ');
  const said = violations.length === 0 ? detail : rules;
  const words = new Set(splitWords(`${code} ${said}`));
  return 1 + splitWords(String(value)).filter((word) => words.has(word)).length;
}

/** Returns whether a code has all words of a common code for the status of an error: `PROJECT_NOT_FOUND` for 404. */
function namesError(code: unknown, status: number): boolean {
  const words = splitWords(String(code));
  return getPhrases(status).some((phrase) => phrase.split(' ').every((word) => words.includes(word)));
}

/** Returns whether a code is a common one of other statuses only: `invalid_credentials` is none of 400. */
function isOfOther(code: unknown, status: number): boolean {
  const statuses = findCommonStatuses(splitWords(String(code)).join(' '));
  return statuses.length > 0 && !statuses.includes(status === 422 ? 400 : status);
}

/** Returns the codes in the examples of a response. */
const readCodes = memoizeByObject(({ media }: DocumentedResponse): readonly Code[] =>
  Object.values(media).flatMap(({ examples }) => examples.flatMap(({ value }) => findCodes(value))),
);

/** Returns the codes in an error body: those in the outermost object or list that has some. */
function findCodes(body: unknown): readonly Code[] {
  let level = [{ value: body, isInList: false }];
  for (let depth = 0; depth < MAX_DEPTH; depth++) {
    const objects = level.flatMap(({ value, isInList }) =>
      Array.isArray(value)
        ? value.filter(isNode).map((one) => ({ node: one, isInList: true }))
        : isNode(value)
          ? [{ node: value, isInList }]
          : [],
    );
    const found = objects.flatMap(({ node, isInList }) =>
      Object.entries(node).flatMap(([name, value]) => (isCode(name, value) ? [{ name, value, isInList }] : [])),
    );
    if (found.length > 0) return found;
    level = objects.flatMap(({ node, isInList }) => Object.values(node).map((value) => ({ value, isInList })));
  }
  return [];
}

/** Returns whether a field has an error code, and not the URI of one. The field `error` can also have a message. */
function isCode(name: string, value: unknown): boolean {
  if (toPlainName(name) === 'error') return typeof value === 'string' && CODE_TEXT.test(value);
  if (toPlainName(name) === 'status') return typeof value === 'string' && /^[a-z]+$/i.test(value);
  return isCodeName(name) && (typeof value === 'number' || (typeof value === 'string' && !/[ /]/.test(value)));
}

/** Returns the values in the `enum` of codes in the schemas of a response, and the examples of codes. */
const readEnumCodes = memoizeByObject(({ normalized }: Pick<Contract, 'normalized'>) =>
  memoizeByObject(({ media }: DocumentedResponse): readonly Code[] =>
    Object.values(media).flatMap(({ schema }) => (schema === undefined ? [] : listEnumCodes(normalized, schema))),
  ),
);

function listEnumCodes(document: Document, schema: string, isInList = false, depth = 0): readonly Code[] {
  if (depth >= MAX_DEPTH) return [];
  const parts = getSchemaParts(document, schema, ALL_PARTS);
  const items = getPartItems(parts);
  const inside = items === undefined ? [] : listEnumCodes(document, items, true, depth);
  const own = [...getPartProperties(parts)].flatMap(([name, pointer]): readonly Code[] => {
    if (!isCodeName(name)) return listEnumCodes(document, pointer, isInList, depth + 1);
    const nodes = getSchemaParts(document, pointer, ALL_PARTS).map(({ node }) => node);
    const values = nodes.flatMap((node) => [node.enum ?? [], node.example ?? [], node.examples ?? []].flat());
    return values.map((value) => ({ name, value, isInList }));
  });
  return [...own, ...inside];
}

/**
 * Returns the codes of other error responses with the status of an error, if they are common ones. If there are none,
 * returns a common code in the style of all codes of the document.
 */
function findCommonCodes(contract: CodedContract, status: number): readonly Code[] {
  const { all, byStatus } = indexCodes(contract);
  const isCommon = ({ value }: Code) => {
    const words = splitWords(String(value)).join(' ');
    return getPhrases(status).some((phrase) => [phrase, `${phrase} error`].includes(words));
  };
  const same = (byStatus.get(String(status)) ?? []).filter(isCommon);
  if (same.length > 0) return same;
  const styles = STYLES.filter((style) => all.every(({ value }) => style(splitWords(String(value))) === value));
  const [phrase = ''] = getPhrases(status);
  return all.length === 0 || styles.length === 0
    ? []
    : [...new Set(all.map(({ name }) => name))].map((name) => ({
        name,
        value: styles[0]?.(phrase.split(' ')),
        isInList: all.every(({ isInList }) => isInList),
      }));
}

/** Returns the texts that are codes in the examples of all error responses, all together and by status. */
const indexCodes = memoizeByObject(({ routes, normalized }: Pick<Contract, 'routes' | 'normalized'>) => {
  const byStatus = new Map<string, Code[]>();
  const errors = routes.flatMap(({ responses }) => responses.filter(({ name }) => /^[45]/.test(name)));
  const isText = ({ value }: Code) => typeof value === 'string';
  for (const response of errors) {
    const known = byStatus.get(response.name) ?? [];
    byStatus.set(response.name, [...known, ...readCodes(response).filter(isText)]);
  }
  const schemas = errors.flatMap(({ media }) => Object.values(media).flatMap(({ schema = [] }) => schema));
  const resolved = new Set(schemas.map((schema) => resolvePointer(normalized, schema)));
  const described = [...resolved].flatMap((schema) => listEnumCodes(normalized, schema)).filter(isText);
  return { byStatus, all: [...[...byStatus.values()].flat(), ...described] };
});
