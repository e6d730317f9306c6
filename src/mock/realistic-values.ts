import type { Random } from '../util/random.ts';
import * as words from './words.ts';

/** The names from which a realistic value is derived. */
export interface Label {
  /** The name of the property. */
  readonly name: string;
  /** The name of the object that has the property, such as the schema name `Pet`. */
  readonly subject: string;
}

type TextGenerator = (random: Random) => string;

/**
 * Generators of names.
 * The first pattern that matches the name of the object is used: for `Author`, the name of a person is generated.
 */
const NAMES: readonly (readonly [RegExp, TextGenerator])[] = [
  [
    /compan|organi[sz]ation|vendor|supplier|brand|publisher|manufacturer|employer|agency|merchant|tenant/i,
    generateCompany,
  ],
  [/repo|project|branch|package|bucket|cluster|namespace|slug|service|server|node|volume|domain|host/i, generateSlug],
  [
    /user|person|people|author|artist|owner|customer|member|employee|patient|contact|player|student|teacher|profile/i,
    generatePerson,
  ],
  [
    /actor|director|speaker|guest|driver|doctor|practitioner|recipient|passenger|attendee|lead|agent|assignee|human/i,
    generatePerson,
  ],
  [/^pet|pet$|animal|dog|cat$|horse|bird/i, ({ pick }) => pick(words.ANIMAL_NAMES)],
  [/city|town|place|airport|location|station|branch_?office/i, ({ pick }) => pick(words.CITIES)],
  [/country|nation/i, ({ pick }) => pick(words.COUNTRIES)],
  [/currency/i, ({ pick }) => pick(words.CURRENCIES)],
  [/language/i, ({ pick }) => pick(words.LANGUAGES)],
  [/file|document|attachment|asset|upload/i, (random) => `${generateSlug(random)}.${random.pick(words.FILE_TYPES)}`],
  [/genre/i, ({ pick }) => pick(words.GENRES)],
  [/tag|label|categor|topic|role|permission|scope/i, ({ pick }) => pick(words.TAGS)],
  [/product|article|goods|sku|(^|_|order|line)item/i, ({ pick }) => `${pick(words.KINDS)} ${pick(words.GOODS)}`],
];

/** Matches the names of properties that have the URL of an image. */
const IMAGES = /image|picture|photo|avatar|thumbnail|icon|logo|banner/i;

/** String generators by property name. The first pattern that matches the name is used. */
const TEXTS: readonly (readonly [RegExp, TextGenerator])[] = [
  [/(first|given|fore|middle)_?name/i, ({ pick }) => pick(words.FIRST_NAMES)],
  [/(last|family|sur)_?name/i, ({ pick }) => pick(words.LAST_NAMES)],
  [/(user|nick|screen)_?name$|^log_?in$|^handle$/i, generateUserName],
  [
    /(full|person|author|artist|customer|owner|holder|recipient|contact|member)_?name|^(author|artist|owner|customer)$/i,
    generatePerson,
  ],
  [/(company|organi[sz]ation|vendor|brand|employer)(_?name)?$/i, generateCompany],
  [/e?mail/i, ({ pick }) => `${pick(words.FIRST_NAMES)}.${pick(words.LAST_NAMES)}@example.com`.toLowerCase()],
  [/phone|mobile|fax|^tel/i, (random) => `+1 555 0${random.integer(100, 199)}`],
  [/ip_?(v4_?)?address|^ip$/i, (random) => `192.0.2.${random.integer(1, 254)}`],
  [/mac_?address/i, (random) => `02:00:00:00:00:${random.integer(16, 255).toString(16)}`],
  [/host_?name|^host$|domain/i, (random) => `${generateSlug(random)}.example.com`],
  [IMAGES, (random) => `https://example.com/${generateImagePath(random)}`],
  [/url|uri|link|href|website|homepage/i, (random) => `https://example.com/${generatePagePath(random)}`],
  [/city|town/i, ({ pick }) => pick(words.CITIES)],
  [/street|address/i, (random) => `${random.integer(1, 180)} ${random.pick(words.STREETS)}`],
  [/(zip|post)_?(al)?_?code|^zip$/i, (random) => String(random.integer(10_000, 99_999))],
  [/country_?(code|iso)|nationality_?code/i, ({ pick }) => pick(words.COUNTRY_CODES)],
  [/country|nationality/i, ({ pick }) => pick(words.COUNTRIES)],
  [/currency/i, ({ pick }) => pick(words.CURRENCIES)],
  [/locale/i, ({ pick }) => pick(words.LOCALES)],
  [/lang(uage)?(_?code)?$/i, ({ pick }) => pick(words.LANGUAGES)],
  [/time_?zone|^tz$/i, ({ pick }) => pick(words.TIME_ZONES)],
  [/(mime|media|content)_?type/i, ({ pick }) => pick(words.MEDIA_TYPES)],
  [/file_?name|^file$|(^|_)path$/i, (random) => `${generateSlug(random)}.${random.pick(words.FILE_TYPES)}`],
  [/colou?r/i, ({ pick }) => pick(words.COLOURS)],
  [
    /sku|code|number|reference|(^|_)ref$/i,
    (random) => `${generateSlug(random).slice(0, 2).toUpperCase()}-${random.integer(1_000, 9_999)}`,
  ],
  [/slug|(^|_)key$/i, generateSlug],
  [/(^|[a-z_])id$|Id$|ID$|_id$|token|[a-z]Key$|secret/, generateId],
  [/hash|sha\d*$|checksum|digest|etag/i, (random) => generateHex(random, 40)],
  [/date|_at$|At$|time|_on$|On$/, (random) => generateTime(random).toISOString()],
  [/version/i, (random) => `${random.integer(0, 3)}.${random.integer(0, 20)}.${random.integer(0, 9)}`],
  [/status|state$/i, ({ pick }) => pick(words.STATUSES)],
  [/genre/i, ({ pick }) => pick(words.GENRES)],
  [/tag|keyword|category|label|kind|type|topic|role|permission|scope/i, ({ pick }) => pick(words.TAGS)],
  [/latitude|^lat$/i, (random) => String(random.integer(-60, 70))],
  [/longitude|^(lon|lng)$/i, (random) => String(random.integer(-120, 150))],
  [/price|amount|cost|balance|^total$/i, (random) => `${random.integer(5, 250)}.${random.integer(10, 99)}`],
  [
    /description|summary|text|comment|message|note|body|content|detail|reason|about|bio|caption|instructions?/i,
    generateSentence,
  ],
];

/** Generates a realistic string for a property, for example an e-mail address for `email`. */
export function generateText({ name, subject }: Label, random: Random): string {
  const [, generate] = TEXTS.find(([pattern]) => pattern.test(name)) ?? [];
  if (generate) return generate(random);
  const isName = /name|title/i.test(name);
  const [, generateName] = NAMES.find(([pattern]) => pattern.test(name) || (isName && pattern.test(subject))) ?? [];
  if (generateName) return generateName(random);
  return isName ? generateTitle(random) : generateTitle(random).toLowerCase();
}

function generateTitle({ pick }: Random): string {
  return `${pick(words.ADJECTIVES)} ${pick(words.NOUNS)}`;
}

function generateSlug(random: Random): string {
  return generateTitle(random).toLowerCase().replace(' ', '-');
}

/** Generates a relative path: of an image for a property such as `photo`, else of a page. */
export function generatePath(name: string, random: Random): string {
  return IMAGES.test(name) ? generateImagePath(random) : generatePagePath(random);
}

function generateImagePath(random: Random): string {
  return `images/${generateSlug(random)}.svg`;
}

function generatePagePath(random: Random): string {
  return `${generateSlug(random)}/${random.integer(1, 999)}`;
}

function generatePerson({ pick }: Random): string {
  return `${pick(words.FIRST_NAMES)} ${pick(words.LAST_NAMES)}`;
}

function generateUserName(random: Random): string {
  return `${random.pick(words.FIRST_NAMES).toLowerCase()}${random.integer(10, 99)}`;
}

function generateCompany({ pick }: Random): string {
  return `${pick(words.LAST_NAMES)} ${pick(words.COMPANY_ENDINGS)}`;
}

function generateId({ pick }: Random): string {
  return Array.from({ length: 12 }, () => pick([...'abcdefghjkmnpqrstuvwxyz23456789'])).join('');
}

/** Generates a string of hexadecimal digits. `length`: the number of digits. */
export function generateHex(random: Random, length: number): string {
  return Array.from({ length }, () => random.integer(0, 15).toString(16)).join('');
}

/** Generates a sentence of 7 to 9 words. */
export function generateSentence(random: Random): string {
  return `${random.pick(words.OPENINGS)} the ${generateTitle(random).toLowerCase()}.`;
}

/** The range of generated times: the year 2025, in milliseconds since 1970. */
const FIRST_MS = 1_735_689_600_000;
const LAST_MS = 1_767_225_599_000;

/** Generates a time in 2025, without milliseconds. */
export function generateTime(random: Random): Date {
  return new Date(Math.floor(random.integer(FIRST_MS, LAST_MS) / 1_000) * 1_000);
}

/** Returns the range of realistic numbers for a property name, such as 18 to 90 for `age`. */
export function getRealisticRange(name: string): readonly [least: number, most: number] {
  if (/cents$/i.test(name)) return [499, 19_999];
  if (/ms$/i.test(name) && /time|date|at/i.test(name)) return [FIRST_MS, LAST_MS];
  if (/(created|updated|expires?|start|end|time|date)(_?at)?$|timestamp/i.test(name))
    return [FIRST_MS / 1_000, LAST_MS / 1_000];
  if (/price|amount|total|cost/i.test(name)) return [5, 250];
  if (/quantity|count|size|limit/i.test(name)) return [1, 12];
  if (/lat(itude)?$/i.test(name)) return [-60, 70];
  if (/(lon|lng|longitude)$/i.test(name)) return [-120, 150];
  if (/percent|rate/i.test(name)) return [0, 100];
  if (/^age$|_age$|[a-z]Age$/.test(name)) return [18, 90];
  if (/^page$|page_?number$/i.test(name)) return [1, 1];
  if (/rating|stars/i.test(name)) return [1, 5];
  if (/year/i.test(name)) return [1_990, 2_025];
  if (/weight/i.test(name)) return [100, 5_000];
  return [1, 1_000];
}
