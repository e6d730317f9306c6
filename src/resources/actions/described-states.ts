import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import type { Entry } from '../../store/state.ts';
import { normalizeName, removeAccents } from '../../util/names.ts';
import { listSentences } from '../document/document-texts.ts';
import { getPropertyPath, listEntryProperties, normalizeProperty } from '../document/entry-properties.ts';
import { isOnlyEnvelope } from '../document/envelopes.ts';
import { hasEntryResponse } from '../document/path-keys.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { setInner } from '../entries/entry-values.ts';
import type { Inference, Resource } from '../resource.ts';
import { CLASSES, type StateValue } from './states.ts';

/** Matches a short text in quotes or backticks, and captures it. An apostrophe inside a word is no quote. */
const QUOTED = /`([^`]+)`|"([^"]+)"|[“„”]([^“„”]+)[“”]|«\s*([^«»]+?)\s*»|(?<![\p{L}\d])'([^']+)'(?![\p{L}\d])/gu;

/** Words that make a sentence a condition or an exception, in several languages, without accents. */
const CONDITION = new RegExp(
  `\\b(?:${[
    "only|if|must|when|whenever|unless|while|until|cannot|can't|not|never|already|except|whose|which|where|otherwise",
    'all|any|every|each|existing|returns?|lists?|filters?|responds?|error|allowed|possible|requires?|should|before',
    'si|seulement|uniquement|doit|doivent|quand|lorsque|lorsqu|sauf|deja|pas|sinon|dont|tous|toutes|chaque|avant',
    'solo|solamente|debe|deben|cuando|salvo|ya|no|todos|todas|cada|apenas|somente|deve|devem|quando|nao|ja',
    'wenn|nur|falls|muss|mussen|sobald|ausser|nicht|bereits|schon|alle|jede[nrsm]?|soltanto|gia|tutti|tutte',
  ].join('|')})\\b`,
);

/** Matches the words between the name of a property and its value: `status to`, `statut :`, `state is set to`. */
const BETWEEN =
  /[`"”»'\s]*(?:(?:\b(?:is|gets)\s+)?\b(?:set|defaults?|defaulted)\s+to|\b(?:to|as|is|becomes|a|en|auf)|=|:|→|->)?\s*$/;

/** Verbs that change something, and the words before the new value, by language. */
const CHANGING: readonly (readonly [verbs: string, beforeValue: string])[] = [
  [
    'sets?|setting|changes?|changing|moves?|moving|marks?|marking|transitions?|transitioning|switch(?:es)?',
    'to|as|into',
  ],
  ['passer?|met|mettre|bascule[r]?|change[r]?', 'en|a|comme'],
  ['pasar?|cambiar?|marcar?|mudar?|alterar?|passar?', 'a|como|para'],
  ['setzt', 'auf'],
];

/** Matches a verb that changes something, and the word before its new value: `marks the order as`. */
const CHANGE = new RegExp(
  `(?:${CHANGING.map(([verbs, beforeValue]) => `\\b(?:${verbs})\\b.*\\b(?:${beforeValue})`).join('|')})\\s*$`,
);

/** Matches a verb that changes something, also one whose new value has no word before it: `becomes`. */
const CHANGES = new RegExp(
  `\\b(?:${[...CHANGING.map(([verbs]) => verbs), 'updates?|becomes|devient|andert'].join('|')})\\b`,
);

/** Matches the words for an operation that creates something, or for what it creates. */
const CREATES =
  /\b(?:creat\w*|adds?|adding|regist\w+|submits?|opens?|starts?|begins?|new|initial\w*|default\w*|crea\w*|cree\w*|ajout\w*|nouve\w+|nuev[oa]|cria\w*|nov[oa]|erstell\w*|neue\w*|anlegen)\b/;

/** Matches words before what an entry is created from, which can have a status too. */
const SOURCE = /\b(?:from|depuis|desde|partir|aus)\b/;

/** Names of a state in English, which texts use for properties of other names. */
const STATE_WORDS = ['status', 'state'];

/**
 * Returns the value that the text of an operation says an entry has afterwards: `status: 'configured'` for `Sets the
 * dates and moves the edition to status "configured"`.
 * The value is in quotes, and belongs to only one property, which the text names, or which follows a verb such as
 * `set`.
 * Sentences with a condition say nothing, and neither do texts with two values.
 * `isCreation`: whether the operation creates the entry, so that `with status "draft"` is about the new entry.
 */
function findDescribedState(
  reader: SchemaReader,
  schema: string,
  route: Route,
  isCreation: boolean,
): StateValue | undefined {
  const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
  const sentences = listSentences(`${summary}\n\n${description}`);
  if (!sentences.some((one) => /[`"“”„«']/.test(one)) || schema === '') return undefined;
  const states = listStates(reader, schema);
  const sent = listSent(reader, schema, route);
  const found = sentences.flatMap((sentence) => findInSentence(states, sent, sentence, isCreation));
  return getCommon(found);
}

/** Returns the value that several texts say; undefined if they say different ones. */
function getCommon(values: readonly StateValue[]): StateValue | undefined {
  const [first] = values;
  return values.every(({ property, value }) => property === first?.property && value === first.value)
    ? first
    : undefined;
}

/**
 * Returns the value that the text of an action says its entry has afterwards.
 * Returns undefined if the response is something else than the entry, such as the result of an import.
 */
export function findDescribedChange(reader: SchemaReader, resource: Resource, route: Route): StateValue | undefined {
  const response = reader.getResponseSchema(route, route.successStatus);
  const isShown =
    response === undefined || isOnlyEnvelope(reader, response) || hasEntryResponse(reader, resource, route);
  return isShown ? findDescribedState(reader, resource.schema, route, false) : undefined;
}

/**
 * Returns the values that the texts of all operations that create entries say new entries have.
 * `plans`: the plans of the operations.
 */
export function listDescribedInitial(reader: SchemaReader, resource: Resource, plans: Inference['plans']): Entry {
  const creations = [...plans.values()].filter((plan) => plan.resource === resource && plan.action === 'create');
  const found = creations.flatMap(({ route }) => findDescribedState(reader, resource.schema, route, true) ?? []);
  const state = getCommon(found);
  return state ? setInner({}, getPropertyPath(reader, resource.schema, state.property), state.value) : {};
}

/** A property with an `enum` of texts. */
interface State {
  readonly property: string;
  readonly values: readonly string[];
}

function listStates(reader: SchemaReader, schema: string): readonly State[] {
  return [...listEntryProperties(reader, schema)].flatMap(([property, pointer]) => {
    const values = [reader.getKeyword(pointer, 'enum') ?? []].flat().filter((one) => typeof one === 'string');
    return values.length > 1 ? [{ property, values }] : [];
  });
}

/** Returns the names of the properties in the request body of an operation. */
function listSent(reader: SchemaReader, schema: string, route: Route): readonly string[] {
  const request = reader.getRequestSchema(route);
  if (request === undefined) return [];
  const inner = reader.findEntry(request, '', schema).schema;
  return [request, inner].flatMap((pointer) => [...reader.getProperties(pointer).keys()]).map(normalizeName);
}

function findInSentence(
  all: readonly State[],
  sent: readonly string[],
  sentence: string,
  isCreation: boolean,
): readonly StateValue[] {
  const plain = removeAccents(sentence);
  const quotes = [...plain.matchAll(QUOTED)];
  const words = plain.replaceAll(QUOTED, ' ').toLowerCase();
  const says = isCreation ? (CHANGES.test(words) || CREATES.test(words)) && !SOURCE.test(words) : CHANGES.test(words);
  if (quotes.length === 0 || CONDITION.test(words) || !says) return [];
  // `Set status to "inactive" to create a disabled user` says what clients can send.
  const isForClients = ({ property }: State) => CHANGES.test(words) && sent.includes(normalizeProperty(property));
  const states = all.filter((state) => !isForClients(state));
  const values = quotes.flatMap((match) => {
    const text = match.slice(1).find((one) => one !== undefined) ?? '';
    const found = findValues(states, text);
    const before = plain.slice(0, match.index).toLowerCase();
    const isOld = /\b(?:from|de|depuis|desde|von)\s*$/.test(before);
    return found.length === 0 || isOld ? [] : [{ found, before }];
  });
  const [only, ...others] = values;
  if (!only || others.length > 0) return [];
  const names = listNames(only.before);
  const named = names.flatMap((name) => only.found.filter(({ property }) => normalizeProperty(property) === name));
  if (named[0]) return [named[0]];
  const [single, ...more] = only.found;
  if (!single || more.length > 0 || CLASSES.test(normalizeProperty(single.property))) return [];
  return STATE_WORDS.includes(names.at(-1) ?? '') || CHANGE.test(only.before) ? [single] : [];
}

/** The maximum number of words in the name of a property. */
const MAX_WORDS = 4;

/** Returns the names of a property that a text can end with, the longest first: `paymentstatus` and `status`. */
function listNames(before: string): readonly string[] {
  const words = before
    .replace(BETWEEN, '')
    .split(/[^\p{L}\d_]+/u)
    .slice(-MAX_WORDS);
  return words.map((_word, index) => normalizeName(words.slice(index).join('')));
}

/** Returns the properties that have a value, compared without accents, letter case and separators. */
function findValues(states: readonly State[], text: string): readonly StateValue[] {
  const name = normalizeName(text);
  if (name === '') return [];
  return states.flatMap(({ property, values }) => {
    const equal = values.filter((value) => normalizeName(value) === name);
    return equal.length === 1 ? [{ property, value: equal[0] }] : [];
  });
}
