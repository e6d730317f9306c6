import { limitList } from './text.ts';

/**
 * Returns the remedy for an unknown name, for an error message: `did you mean "name"?` if a known name is similar,
 * otherwise `remove it`.
 */
export function suggestName(name: string, known: readonly string[]): string {
  const similar = similarName(name, known);
  return similar === undefined ? 'remove it' : `did you mean "${similar}"?`;
}

/** The maximum number of known names in a remedy. */
const MAX_NAMES = 20;

/**
 * Returns the remedy for a name that must be one of `known`, for an error message.
 * It suggests a similar name and lists the known names.
 * `kind`: what the names are in the plural, such as `operators`.
 */
export function suggestOneOf(name: string, known: readonly string[], kind: string): string {
  const similar = similarName(name, known);
  const names = limitList(known, MAX_NAMES).join(', ');
  return similar === undefined ? `use ${names}` : `did you mean "${similar}"? The ${kind} are ${names}`;
}

/**
 * Returns the first known name with a similar spelling: at most two adjacent letters differ.
 * Ignores upper and lower case.
 * Returns undefined if there is none.
 */
export function similarName(name: string, known: readonly string[]): string | undefined {
  return known.find((candidate) => isSimilar(name.toLowerCase(), candidate.toLowerCase()));
}

function isSimilar(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  let start = 0;
  while (start < shorter && a[start] === b[start]) start++;
  let end = 0;
  while (end < shorter - start && a.at(-1 - end) === b.at(-1 - end)) end++;
  return start + end >= 2 && Math.max(a.length, b.length) - start - end <= 2;
}

/**
 * Returns the singular of an English word: `categories` → `category`, `movies` → `movie`, `boxes` → `box`, `aliases` →
 * `alias`, `pets` → `pet`.
 */
export function toSingular(word: string): string {
  if (/(?:ss|us|is|news|series|species)$/i.test(word)) return word;
  if (/(?:mov|cook|zomb|rook|brown|hood|calor|self)ies$/i.test(word)) return word.slice(0, -1);
  if (/ies$/i.test(word)) return word.replace(/ies$/i, 'y');
  if (/(?:x|ch|sh|ss|z|ias|tus)es$/i.test(word)) return word.slice(0, -2);
  // French words that English has too, such as `bureaux`.
  if (/eaux$/i.test(word)) return word.slice(0, -1);
  return word.replace(/s$/i, '');
}

/** Returns a text without the accents of its letters: `cloturee` for `clôturée`. */
export function removeAccents(text: string): string {
  return /[^\0-\x7f]/.test(text) ? text.normalize('NFD').replaceAll(/\p{M}/gu, '') : text;
}

/**
 * Returns a name in lower case without accents and separators, for comparisons: `pet_id` and `petId` are the same name.
 */
export function normalizeName(name: string): string {
  return removeAccents(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]/g, '');
}

/**
 * Returns the words of a name or a text in lower case, without accents: `room` and `code` for `roomCode` and
 * `ROOM_CODE`.
 */
export function splitWords(text: string): readonly string[] {
  const separated = removeAccents(text)
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase();
  return separated.split(/[^a-z\d]+/).filter((word) => word !== '');
}

/** Returns the words of a name or a text in lower case, with a space between two words: `room code` for `roomCode`. */
export function joinWords(text: string): string {
  return splitWords(text).join(' ');
}

/** Returns whether a property has the number of pieces of a line by its name: `quantity` or `qty`. */
export function isQuantityName(name: string): boolean {
  return /^(?:quantity|qty)$/.test(normalizeName(name));
}

/** Matches the names of properties that are a picture, or its URL or path. */
const PICTURE =
  /(?:image|img|photo|picture|(?<!to|^e|[^a-z]e)pic|avatar|thumbnail|(?<!lex|sil)icon|(?<!ata|pro|epi|dia|ana)logo|banner|(?<!dis|re|hard|soft)cover|poster)s?(?:[_-]?(?:ur[il]|link|href|src|path))?s?$/i;

/** Returns whether a property is a picture, or its URL or path, by its name: `avatarUrl`, but not `topic`. */
export function isPictureName(name: string): boolean {
  return PICTURE.test(name);
}

/** Returns whether a property has an id by its name: `id`, `_id`, `uuid`, `petId` or `pet_id`. */
export function isIdName(name: string): boolean {
  return /(?:^|[._-])(?:id|uuid)$|[a-z\d](?:Id|ID|Uuid|UUID)$/.test(name) || /^(?:ID|UUID)$/.test(name);
}

/** Returns whether a property has the time at which an entry was created, as its name shows: `createdAt`. */
export function isCreationTimeName(name: string): boolean {
  const own = normalizeName(name);
  return CREATION_TIME.test(own) || TRANSLATED_CREATION_TIME.test(own);
}

/** Matches names such as `creado_en`, in Spanish, Portuguese, French, Italian and German. */
const TRANSLATED_CREATION_TIME =
  /^(?:creado(?:en|el)|fecha(?:de)?creacion|criadoem|data(?:de|da)?criacao|cree(?:e)?le|datedecreation|creatoil|data(?:di)?creazione|erstelltam|erstellungsdatum|angelegtam)$/;

const CREATION_TIME =
  /^(?:(?:date|time)?(?:created|creation)(?:at|on|date|time|datetime|timestamp|timems)?|(?:inserted|added)(?:at|on|date)|date(?:added|inserted))$/;
