import { getNode, getTarget, toNode } from '../../openapi/document.ts';
import { findResponse } from '../../openapi/responses.ts';
import type { Route } from '../../openapi/routes.ts';
import { normalizeName } from '../../util/names.ts';
import { listSentences } from '../document/document-texts.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { findCreatedName } from '../entries/server-values.ts';
import type { FilterProperty } from './list-filters.ts';
import type { ListOrder, ListParameters, QueryField } from './list-query.ts';
import type { GetKeyword } from './parameter-filters.ts';
import { findSortName } from './sort-entries.ts';
import { isDueName } from './view-words.ts';

/** How an operation describes the order of its list. */
type DescribedOrder = Pick<ListParameters, 'order' | 'orderFlag'>;

/**
 * Returns the order of a list that its operation describes, as in `Lists messages from newest to oldest`, and the
 * parameter for it, such as `oldest_first`.
 * Returns no order if the texts describe none or several.
 */
export function findDefaultOrder(
  reader: SchemaReader,
  route: Route,
  fields: readonly QueryField[],
  { properties, byMeaning }: Pick<ListParameters, 'properties' | 'byMeaning'>,
): DescribedOrder {
  const getKeyword = reader.getKeyword.bind(reader);
  const flagField = fields.find((field) => isOrderFlag(field));
  const orderFlag = flagField && { name: flagField.name, order: createTimeOrder(properties, isNewestFirst(flagField)) };
  const flagged = orderFlag && flagField && readFlagDefault(flagField, orderFlag.order, getKeyword);
  const { summary, description } = toNode(getNode(reader.document, route.pointer));
  const response = toNode(
    getTarget(reader.document, findResponse(route.responses, route.successStatus)?.pointer ?? ''),
  );
  const sort = fields.find(({ name }) => name === byMeaning.sort)?.description ?? '';
  const texts = [summary, description, response.description].map((text) => String(text ?? ''));
  const sentences = [...texts.flatMap(listSentences), ...listSentences(sort).filter((one) => /\bdefault/i.test(one))];
  const found = sentences.map(removeMarks).flatMap((sentence) => readOrder(sentence, properties) ?? []);
  const [first, ...others] = flagged ? [flagged] : found;
  const isClear = others.every((one) => one.property === first?.property && one.isDescending === first?.isDescending);
  return { ...(first && isClear && { order: first }), ...(orderFlag && { orderFlag }) };
}

/** Removes the marks of Markdown from a text. A hyphen becomes a space. */
function removeMarks(text: string): string {
  return text
    .replaceAll(/[`"'*]/g, '')
    .replaceAll(/[\s-]+/g, ' ')
    .trim();
}

/** Words about an order that a list does not always have, or about the order of another list. */
const CONDITIONAL =
  /\b(?:can|may|could|if|when|unless|optional(?:ly)?|options?|support\w*|allow\w*|use|choose|whether|either|or|not|depend\w*|parameters?|param|specify|their|its|each|whose|within)\b/i;

const NEW = '(?:newest|latest|most recent)';
const OLD = '(?:oldest|earliest)';
const REVERSE = '(?:reversed?|descending|inverse)';

const NEWEST = new RegExp(
  `\\b${NEW}(?: \\w+)? first\\b|\\b${NEW} to (?:the )?${OLD}\\b|\\b${REVERSE} chronological(?:ly)?\\b`,
  'i',
);

const OLDEST = new RegExp(
  `\\b${OLD}(?: \\w+)? first\\b|\\b${OLD} to (?:the )?${NEW}\\b|(?<!\\b${REVERSE} )\\bchronological(?:ly)?\\b`,
  'i',
);

/** Matches `sorted by name`, with the words before and after `by`. */
const NAMED = /\b(?:sorted|ordered)((?: \w+){0,3}?) by (.+)$/i;

/** Returns the order that a sentence describes; undefined if it describes none, or does so only under a condition. */
function readOrder(sentence: string, properties: readonly FilterProperty[]): ListOrder | undefined {
  const text = sentence.replace(/\bby (?:the|their|its) /i, 'by ');
  const [isNewest, isOldest] = [NEWEST.test(text), OLDEST.test(text)];
  if (CONDITIONAL.test(text) || (isNewest && isOldest)) return undefined;
  const [, before = '', rest] = NAMED.exec(text) ?? [];
  if (rest !== undefined) return readNamed({ before, rest }, properties, isNewest === isOldest ? undefined : isNewest);
  if (isNewest || isOldest) return createTimeOrder(properties, isNewest);
  return undefined;
}

/** The words after a property: its direction, and nothing else about the order. */
const TAIL =
  /^(?:,? ?\(?(?:in )?(?:asc|desc)(?:ending)?(?: order)?\)?)?(?: (?:by default|alphabetically))?[ ,]*(?: (?:and|with) (?:pagina|page|limit).*)?$/i;

/**
 * Returns the order that the words before and after `by` describe: `alphabetically`, and `name`.
 * Without a direction, only texts have an order: times and numbers are often sorted in descending order.
 * `isNewest`: whether the sentence says `newest first`; undefined if it says neither this nor the opposite.
 */
function readNamed(
  { before, rest }: { readonly before: string; readonly rest: string },
  properties: readonly FilterProperty[],
  isNewest: boolean | undefined,
): ListOrder | undefined {
  const text = rest.replace(isNewest ? NEWEST : OLDEST, '').replace(/[ ,()]+$/, '');
  const created = findCreated(properties);
  const found = [/^([\w.]+ [\w.]+)(.*)$/, /^([\w.]+)(.*)$/].flatMap((form) => {
    const [, label = '', tail = ''] = form.exec(text) ?? [];
    const name = CREATION.test(label) ? created?.name : findSortName(normalizeName(label), properties);
    const property = label === '' ? undefined : properties.find((one) => one.name === name);
    return property && TAIL.test(tail) ? [{ property, tail }] : [];
  })[0];
  if (!found) return undefined;
  const { property } = found;
  const words = `${before} ${found.tail}`;
  const [isUp, isDown] = [/\basc|\balphabetical/i.test(words), /\bdesc/i.test(words)];
  const isPlain = property.isText === true && property.isList !== true && isNewest === undefined;
  // What is due or starts soon is first.
  const isSoon = isNewest === undefined && isDueName(property.name);
  const named = isUp !== isDown ? isDown : isSoon ? false : property.isTime ? isNewest : isPlain ? false : undefined;
  if (named === undefined) return undefined;
  return { property: property.path ?? property.name, isTime: property === created, isDescending: named };
}

/** Matches names of the time at which an entry is created: `creation date`, `created`. */
const CREATION = /^(?:creation|created)(?: (?:date|time|at|timestamp|order))?$/i;

/** Returns the property with the time at which an entry is created. */
function findCreated(properties: readonly FilterProperty[]): FilterProperty | undefined {
  const times = properties.filter(({ isTime }) => isTime);
  const created = findCreatedName(times.map(({ name }) => name));
  return times.find(({ name }) => name === created);
}

function createTimeOrder(properties: readonly FilterProperty[], isDescending: boolean): ListOrder {
  const { name, path = name } = findCreated(properties) ?? { name: undefined };
  return { property: path, isTime: true, isDescending };
}

const FLAG_NAME = /^(?:oldest|earliest|newest|latest|recent|mostrecent)first$/;

/** Returns whether a boolean parameter names an order, such as `oldest_first`. */
function isOrderFlag({ labels, types }: QueryField): boolean {
  return types.join() === 'boolean' && labels.some((label) => FLAG_NAME.test(normalizeName(label)));
}

function isNewestFirst({ labels }: QueryField): boolean {
  return labels.some((label) => /^(?:newest|latest|recent|mostrecent)/.test(normalizeName(label)));
}

/** Returns the order without a parameter such as `oldest_first`: that of its default value, or in its description. */
function readFlagDefault(
  { schema, description }: QueryField,
  order: ListOrder,
  getKeyword: GetKeyword,
): ListOrder | undefined {
  const value = getKeyword(schema, 'default');
  const text = removeMarks(description);
  const [, word] = /\bdefaults?(?: to| is|:|=)* (true|false)\b/i.exec(text) ?? [];
  const isSet = typeof value === 'boolean' ? value : word === undefined ? undefined : word.toLowerCase() === 'true';
  if (isSet !== undefined) return { ...order, isDescending: isSet ? order.isDescending : !order.isDescending };
  const [, named = ''] = /\bdefaults?(?: order| to| is|:|=)* ([^.;]+)/i.exec(text) ?? [];
  const [isNewest, isOldest] = [NEWEST.test(named), OLDEST.test(named)];
  return isNewest === isOldest ? undefined : { ...order, isDescending: isNewest };
}
