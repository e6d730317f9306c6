import { getNode, toNode } from '../../openapi/document.ts';
import type { Route } from '../../openapi/routes.ts';
import { requiresCredentials } from '../../openapi/security.ts';
import { normalizeName, toSingular } from '../../util/names.ts';
import { getResourceSegment } from '../document/document-paths.ts';
import type { SchemaReader } from '../document/schema-reader.ts';
import { isRelation, PEOPLE_LIST, PERSONS, PERSONS_WITH_LOGIN } from './user-names.ts';

/**
 * What the words of a list say about its entries: they are those that the user who sends the request has `created`, or
 * just the `own` ones of this user.
 */
type Owned = 'created' | 'own';

/** Entries that belong to the person who creates them, without uppercase letters and separators. */
const PERSONAL_ENTRIES = new Set(
  (
    'booking reservation appointment order purchase payment transaction invoice rental ' +
    'subscription notification address card paymentmethod bookmark favorite favourite history ' +
    'todo task note reminder habit goal expense income budget ' +
    'diary workout meal todolist list device session apikey alert ' +
    'draft loan trip ride submission ' +
    'checkin contribution visit attempt answer vote rating review score measurement timeentry logentry journalentry ' +
    'timesheet timecard leaverequest'
  ).split(' '),
);

/** Names of the person who has an entry, if no entries have this name. A `customerId` is often another user. */
const HOLDER_IDS =
  /^(?:customer|client|buyer|guest|patient|member|passenger|student|holder|subscriber|borrower)(?:id)?$/;

/** Words for lists that also have entries of others. */
const OF_OTHERS =
  /\b(?:(?:all|every|each|any|other) users?|admin\w*|accessible|access to|visible|available|public|shared|ha(?:s|ve) permission|follow\w*|members? of|recommend\w*|suggest\w*|feed|near\w*)\b/;

/** Names of parameters that select the entries of another user. */
const USER_PARAMETERS = ['userid', 'user', 'username', 'ownerid', 'owner', 'authorid', 'author', 'customerid', 'email'];

/** Words for operations on the entries of others. */
const OF_STAFF =
  /\b(?:admin\w*|staff|managers?|moderators?|operators?|vendors?|sellers?|providers?|employees?|any user|all users)\b/;

const PERSON = [...new Set(['user', 'caller', ...PERSONS, ...PERSONS_WITH_LOGIN])].join('|');
const SENDER_WORDS = `(?:current(?:ly)?|authenticated|logged[- ]?in|signed[- ]?in|requesting|calling)(?:[ -](?:authenticated|logged|signed|in))*[ -](?:${PERSON})`;
const SOME = '(?:[\\w-]+ ){0,3}';

/**
 * Returns what the summary, the description or the operationId of a list says about its entries: `My bookings`,
 * `Lists the bookings of the current user`, `Returns all lists owned by the authenticated user`.
 * Returns undefined if it does not say that they are those of the user who sends the request.
 * `post`: the operation that creates entries of the list.
 * `routes`: all operations. Beside a list such as `/bookings/all`, `User bookings` are those of this user.
 */
export function describesOwn(
  reader: SchemaReader,
  route: Route,
  post: Route | undefined,
  routes: readonly Route[],
): Owned | undefined {
  const isUsable = route.method === 'GET' && requiresCredentials(route) && (!post || requiresCredentials(post));
  if (!isUsable || selectsUser(route)) return undefined;
  const text = readText(reader, route);
  const noun = getNoun(route.path);
  if (noun === undefined || OF_OTHERS.test(text)) return undefined;
  const find = (pattern: string) => new RegExp(`\\b${pattern}`).test(text);
  if (
    find(`${noun} ${SOME}(?:owned|created|made|placed|written|posted|uploaded|submitted) by (?:the )?${SENDER_WORDS}`)
  )
    return 'created';
  const isPart = () => routes.some(({ path }) => isOfAll(path, route.path));
  // `Blocked users of the current user` are the own entries of `/blocks`.
  const isOwnRelation = isRelation(toSingular(getResourceSegment(route.path))) && namesSender(text);
  return saysOwn(text, noun) || isOwnRelation || (find(`user ${noun}`) && isPart()) ? 'own' : undefined;
}

/**
 * Returns whether the words of a list mention the user who sends the request, and no others: `Returns employees for the
 * authenticated user`. Its entries are not always those of this user.
 */
export function mentionsSender(reader: SchemaReader, route: Route): boolean {
  if (route.method !== 'GET' || route.pathNames.length > 0 || selectsUser(route)) return false;
  const text = readText(reader, route);
  const noun = getNoun(route.path);
  return !OF_OTHERS.test(text) && (namesSender(text) || (noun !== undefined && saysOwn(text, noun)));
}

/** What users do to belong to an entry that others can have created. */
const JOINED =
  '(?:joined|a member of|member of|part of|enrolled in|invited to|subscribed to|participat(?:es?|ed|ing) in)';

/**
 * Returns whether the words of a list say that it has the entries to which the user who sends the request belongs, such
 * as `Get all channels the authenticated user has joined`. Other users can have created them.
 * `collection`: the path of the list of all entries.
 */
export function listsJoined(reader: SchemaReader, route: Route, collection: string): boolean {
  const noun = getNoun(collection);
  if (route.method !== 'GET' || noun === undefined || route.path === collection) return false;
  const sender = `(?:${SENDER_WORDS}|(?:the )?user|you|i)`;
  return new RegExp(
    `\\b${noun} ${SOME}${sender} (?:(?:has|have|is|are|am|was|were) )?(?:already |currently )?${JOINED}\\b`,
  ).test(readText(reader, route));
}

/** Returns whether a text says that something belongs to the user who sends a request, or is for this user. */
function namesSender(text: string): boolean {
  const patterns = [`(?:of|for|by|belonging to) (?:the )?${SENDER_WORDS}\\b`, `${SENDER_WORDS}'s`];
  return patterns.some((pattern) => new RegExp(`\\b${pattern}`).test(text));
}

/** Returns whether a request has a parameter that selects the entries of a user. */
function selectsUser({ parameters }: Route): boolean {
  return parameters.some(({ name }) => USER_PARAMETERS.includes(normalizeName(name)));
}

/** Returns whether a text says that some entries are those of the user who sends a request. */
function saysOwn(text: string, noun: string): boolean {
  return [
    `(?:my|your|own|mis|meus|minhas|mes|miei|mie|meine) ${SOME}${noun}`,
    // `Listar alojamientos propios`.
    `${noun} propi[oa]s\\b`,
    `${SENDER_WORDS}'s ${SOME}${noun}`,
    `(?<!(?:a|an|another|given|specific) )user's ${SOME}${noun}`,
    `${noun} ${SOME}(?:of|for|by|belonging to) (?:the )?${SENDER_WORDS}\\b`,
    `${noun} ${SOME}(?:of|for|by|belonging to) (?:the )?user\\b(?!'|[- ](?:with|whose|who|in|by|id))`,
  ].some((pattern) => new RegExp(`\\b${pattern}`).test(text));
}

/** Returns whether a path such as `/bookings/admin/all` lists all entries, and not only those of a list. */
function isOfAll(path: string, collection: string): boolean {
  return path.startsWith(`${collection}/`) && /\/(?:all|admin)(?:\/|$)/i.test(path.slice(collection.length));
}

/** Returns whether the operations on an entry of a list say that other people use them, or a list shows all entries. */
export function isForOthers(reader: SchemaReader, routes: readonly Route[], collection: string): boolean {
  return routes.some(
    (route) =>
      route.path.startsWith(`${collection}/`) &&
      (OF_STAFF.test(readText(reader, route)) || isOfAll(route.path, collection)),
  );
}

/** Returns whether the words of an operation say that it is about the entries of several users. */
export function namesOthers(reader: SchemaReader, route: Route): boolean {
  const text = readText(reader, route);
  return OF_OTHERS.test(text) || OF_STAFF.test(text);
}

/**
 * Returns whether the words of a list say that it has the entries of one user, such as `History for the user`, although
 * the document has no credentials for it.
 */
export function needsUnknownUser(reader: SchemaReader, route: Route): boolean {
  if (requiresCredentials(route) || route.pathNames.length > 0 || selectsUser(route)) return false;
  const text = readText(reader, route);
  const noun = getNoun(route.path);
  return noun !== undefined && !OF_OTHERS.test(text) && saysOwn(text, noun);
}

/**
 * Returns whether entries belong to the user who creates them, although they have no property for it.
 * `owned`: what the words of their list say.
 */
export function isPersonalEntry(reader: SchemaReader, schema: string, path: string, owned: Owned): boolean {
  const names = schema === '' ? [] : [...reader.getProperties(schema).keys()];
  if (owned === 'created') return true;
  const isShared = names.some((name) => PEOPLE_LIST.test(normalizeName(name)) && /s$/i.test(name));
  return !isShared && PERSONAL_ENTRIES.has(normalizeName(toSingular(getResourceSegment(path))));
}

/**
 * Returns the property of an entry with the id of the person who has it, such as `customerId`, if it is the only one
 * and no request has it.
 */
export function findHolder(
  reader: SchemaReader,
  schema: string,
  { sent, names }: { readonly sent: readonly string[]; readonly names: readonly string[] },
): { readonly property: string; readonly schema: string } | undefined {
  if (schema === '') return undefined;
  const found = [...reader.getProperties(schema)].flatMap(([property, pointer]) => {
    const own = normalizeName(property);
    const isFree = !sent.includes(own) && !names.includes(own.replace(/id$/, ''));
    return HOLDER_IDS.test(own) && own.endsWith('id') && isFree && reader.isScalar(pointer)
      ? [{ property, schema: pointer }]
      : [];
  });
  return found.length === 1 ? found[0] : undefined;
}

/** Returns the summary, the description and the operationId of an operation as words in lower case. */
function readText({ document }: SchemaReader, { pointer, operationId }: Route): string {
  const { summary = '', description = '' } = toNode(getNode(document, pointer));
  const words = operationId.replaceAll(/(?<=[a-z0-9])(?=[A-Z])|[_.-]+/g, ' ');
  return `${summary} . ${description} . ${words}`
    .toLowerCase()
    .replaceAll('’', "'")
    .replaceAll(/[^\S ]+| {2,}/g, ' ');
}

/** Returns the pattern of the noun for the entries of a list: `booking` with its plural for `/bookings`. */
function getNoun(path: string): string | undefined {
  const words = getResourceSegment(path)
    .split(/[^a-zA-Z]+|(?<=[a-z])(?=[A-Z])/)
    .filter((word) => word !== '');
  const last = words.pop();
  if (last === undefined) return undefined;
  const stem = toSingular(last).toLowerCase().replace(/y$/, '');
  return [...words.map((word) => word.toLowerCase()), `${stem}(?:y|ies|e?s)?\\b`].join('[ -]');
}
