import { isPictureName, joinWords } from '../util/names.ts';
import type { Random } from '../util/random.ts';

function split(values: string): readonly string[] {
  return values.split(', ');
}

/** The first words of general names, such as "Amber Meadow". The second words are in `NOUNS`. */
const ADJECTIVES = split('Amber, Bright, Calm, Deep, Early, First, Golden, Hidden, Little, Northern, Quiet, Silver');
const NOUNS = split('Bridge, Cloud, Field, Forest, Garden, Harbor, Hill, Lake, Meadow, River, Stone, Valley');

const FIRST_NAMES = split('Ada, Bruno, Chloe, Dmitri, Elena, Farid, Grace, Hiro, Ines, Jonas, Kofi, Lucia');
const LAST_NAMES = split(
  'Almeida, Berg, Castillo, Dubois, Eriksen, Fischer, Garcia, Haddad, Ivanova, Jensen, Kim, Lopez',
);
const ANIMAL_NAMES = split('Bella, Coco, Luna, Max, Milo, Nala, Rex, Ruby, Simba, Toby');
const COMPANY_ENDINGS = split('Ltd, Inc., Group, Partners, Labs, & Sons');
/** The first words of the names of goods, such as "Oak Chair". The second words are in `GOODS`. */
const KINDS = split(
  'Classic, Compact, Linen, Oak, Wool, Ceramic, Everyday, Travel, Brushed Steel, Recycled, Slim, Soft',
);
const GOODS = split('Kettle, Lamp, Backpack, Notebook, Blanket, Mug, Chair, Watch, Bottle, Scarf, Speaker, Vase');

const CITIES = split('Lisbon, Oslo, Valencia, Kyoto, Dublin, Ghent, Turin, Accra, Lima, Porto');
const STREETS = split('Mill Lane, Station Road, Harbour Street, Garden Walk, Market Square, Orchard Way');
const COUNTRIES = split('Portugal, Norway, Spain, Japan, Ireland, Belgium, Italy, Ghana, Peru, Canada');
const COUNTRY_CODES = split('PT, NO, ES, JP, IE, BE, IT, GH, PE, CA');
const CURRENCIES = split('EUR, USD, GBP, JPY, NOK, CAD');
const LANGUAGES = split('en, de, es, fr, it, ja, pt');
const LOCALES = split('en-US, en-GB, de-DE, es-ES, fr-FR, ja-JP, pt-PT');
const TIME_ZONES = split('Europe/Lisbon, Europe/Oslo, Asia/Tokyo, America/Lima, Africa/Accra, America/Toronto');
const COLOURS = split('black, white, green, navy, orange, yellow, gray, red');
/** The CSS colours of generated images. */
const IMAGE_COLOURS = split(
  'cadetblue, cornflowerblue, darkkhaki, goldenrod, indianred, mediumpurple, mediumseagreen, rosybrown, sienna, steelblue',
);
const STATUSES = split('active, pending, done');
const TAGS = split('new, main, public, local, shared, daily');
const GENRES = split('classic, modern, folk, comedy, drama, travel');
const FILE_TYPES = split('pdf, txt, png, csv, json');
const MEDIA_TYPES = split('application/pdf, text/plain, image/png, text/csv, application/json');
/** The first words of sentences. */
const OPENINGS = split(
  'A short note about, A list of facts about, The latest news from, An introduction to, A visit to',
);

/** The names from which a realistic value is derived. */
export interface Label {
  /** The name of the property. */
  readonly name: string;
  /** The name of the object that has the property, such as the schema name `Pet`. */
  readonly subject: string;
  /** Whether the value is sent in a request. Then the URL of an image is that of a file on a server. */
  readonly isSent?: boolean | undefined;
  /** The maximum length of the value, in characters. */
  readonly maxLength?: number | undefined;
}

type TextGenerator = (random: Random, name: string, label: Label) => string;

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
  [/^pet|pet$|animal|dog|cat$|horse|bird/i, ({ pick }) => pick(ANIMAL_NAMES)],
  [/city|town|place|airport|location|station|branch_?office/i, ({ pick }) => pick(CITIES)],
  [/country|nation/i, ({ pick }) => pick(COUNTRIES)],
  [/currency/i, ({ pick }) => pick(CURRENCIES)],
  [/language/i, ({ pick }) => pick(LANGUAGES)],
  [/file|document|attachment|asset|upload/i, (random) => `${generateSlug(random)}.${random.pick(FILE_TYPES)}`],
  [/genre/i, ({ pick }) => pick(GENRES)],
  [/tag|label|categor|topic|role|permission|scope/i, ({ pick }) => pick(TAGS)],
  [/product|article|goods|sku|(^|_|order|line)item/i, ({ pick }) => `${pick(KINDS)} ${pick(GOODS)}`],
];

/** String generators by property name. The first pattern that matches the name is used. */
const TEXTS: readonly (readonly [Pick<RegExp, 'test'>, TextGenerator])[] = [
  [/(first|given|fore|middle)_?name/i, ({ pick }) => pick(FIRST_NAMES)],
  [/(last|family|sur)_?name/i, (random) => pickPerson(random).last],
  [/(user|nick|screen)_?name$|^log_?in$|^handle$/i, generateUserName],
  [
    /(full|person|author|artist|customer|owner|holder|recipient|contact|member)_?name|^(author|artist|owner|customer)$/i,
    generatePerson,
  ],
  [/(company|organi[sz]ation|vendor|brand|employer)(_?name)?$/i, generateCompany],
  [/e?mail/i, (random) => `${Object.values(pickPerson(random)).join('.')}@example.com`.toLowerCase()],
  [/phone|mobile|fax|^tel/i, (random) => `+1 555 0${random.integer(100, 199)}`],
  [/ip_?(v4_?)?address|^ip$/i, (random) => `192.0.2.${random.integer(1, 254)}`],
  [/mac_?address/i, (random) => `02:00:00:00:00:${random.integer(16, 255).toString(16)}`],
  [/host_?name|^host$|domain/i, (random) => `${generateSlug(random)}.example.com`],
  [
    { test: isPictureName },
    (random, name, label) => (/icons?$/i.test(name) ? generateImageFile(random) : generateImage(random, label)),
  ],
  [/url|uri|link|href|website|homepage/i, (random) => `https://example.com/${generatePagePath(random)}`],
  [/city|town/i, ({ pick }) => pick(CITIES)],
  [/street|address/i, (random) => `${random.integer(1, 180)} ${random.pick(STREETS)}`],
  [/(zip|post)_?(al)?_?code|^zip$/i, (random) => String(random.integer(10_000, 99_999))],
  [/country_?(code|iso)|nationality_?code/i, ({ pick }) => pick(COUNTRY_CODES)],
  [/country|nationality/i, ({ pick }) => pick(COUNTRIES)],
  [/currency/i, ({ pick }) => pick(CURRENCIES)],
  [/locale/i, ({ pick }) => pick(LOCALES)],
  [/lang(uage)?(_?code)?$/i, ({ pick }) => pick(LANGUAGES)],
  [/time_?zone|^tz$/i, ({ pick }) => pick(TIME_ZONES)],
  [/(mime|media|content)_?type/i, ({ pick }) => pick(MEDIA_TYPES)],
  [/file_?name|^file$|(^|_)path$/i, (random) => `${generateSlug(random)}.${random.pick(FILE_TYPES)}`],
  [/colou?r/i, ({ pick }) => pick(COLOURS)],
  [
    /sku|code|number|reference|(^|_)ref$/i,
    (random) => `${generateSlug(random).slice(0, 2).toUpperCase()}-${random.integer(1_000, 9_999)}`,
  ],
  [/slug|(^|_)key$/i, generateSlug],
  [/(^|[a-z_])id$|Id$|ID$|_id$|token|[a-z]Key$|secret/, generateId],
  [/hash|sha\d*$|checksum|digest|etag/i, (random) => generateHex(random, 40)],
  [/date|_at$|At$|time|_on$|On$/, (random, name) => generateTime(random, name).toISOString()],
  [/version/i, (random) => `${random.integer(0, 3)}.${random.integer(0, 20)}.${random.integer(0, 9)}`],
  [/status|state$/i, ({ pick }) => pick(STATUSES)],
  [/genre/i, ({ pick }) => pick(GENRES)],
  [/tag|keyword|category|label|kind|type|topic|role|permission|scope/i, ({ pick }) => pick(TAGS)],
  [/latitude|^lat$/i, (random) => String(random.integer(-60, 70))],
  [/longitude|^(lon|lng)$/i, (random) => String(random.integer(-120, 150))],
  [/price|amount|cost|balance|^total$/i, (random) => `${random.integer(5, 250)}.${random.integer(10, 99)}`],
  [
    /description|summary|text|comment|message|note|body|content|detail|reason|about|bio|caption|instructions?/i,
    generateSentence,
  ],
];

/** Generates a realistic string for a property, for example an e-mail address for `email`. */
export function generateText(label: Label, random: Random): string {
  const { name, subject } = label;
  const [, generate] = TEXTS.find(([pattern]) => pattern.test(name)) ?? [];
  if (generate) return generate(random, name, label);
  const isName = /name|title/i.test(name);
  const [, generateName] = NAMES.find(([pattern]) => pattern.test(name) || (isName && pattern.test(subject))) ?? [];
  if (generateName) return generateName(random, name, label);
  return isName ? generateTitle(random) : generateTitle(random).toLowerCase();
}

function generateTitle({ pick }: Random): string {
  return `${pick(ADJECTIVES)} ${pick(NOUNS)}`;
}

function generateSlug(random: Random): string {
  return generateTitle(random).toLowerCase().replace(' ', '-');
}

/** Generates a URL: of an image for a property such as `photo`, else of a page. */
export function generateUrl(label: Label, random: Random): string {
  return isPictureName(label.name) ? generateImage(random, label) : `https://example.com/${generatePagePath(random)}`;
}

/** Generates a relative path: of an image for a property such as `photo`, else of a page. */
export function generatePath({ name }: Label, random: Random): string {
  return isPictureName(name) ? generateImagePath(random) : generatePagePath(random);
}

/**
 * Generates the URL of an image that browsers show: a square of one colour.
 * If it would be too long, or is sent in a request, generates the URL of a file that does not exist.
 */
function generateImage(random: Random, { isSent = false, maxLength = Number.POSITIVE_INFINITY }: Label): string {
  const url = `data:image/svg+xml,%3Csvg%20xmlns='http://www.w3.org/2000/svg'%20width='256'%20height='256'%3E%3Cpath%20fill='${random.pick(IMAGE_COLOURS)}'%20d='M0%200h256v256H0z'/%3E%3C/svg%3E`;
  return isSent || url.length > maxLength ? generateImageFile(random) : url;
}

function generateImageFile(random: Random): string {
  return `https://example.com/${generateImagePath(random)}`;
}

function generateImagePath(random: Random): string {
  return `images/${generateSlug(random)}.svg`;
}

function generatePagePath(random: Random): string {
  return `${generateSlug(random)}/${random.integer(1, 999)}`;
}

/** Chooses the names of a person. With the same seed, names, user names and e-mail addresses fit each other. */
function pickPerson({ pick }: Random): { readonly first: string; readonly last: string } {
  const first = pick(FIRST_NAMES);
  return { first, last: pick(LAST_NAMES) };
}

function generatePerson(random: Random): string {
  const { first, last } = pickPerson(random);
  return `${first} ${last}`;
}

function generateUserName(random: Random): string {
  const { first } = pickPerson(random);
  return `${first.toLowerCase()}${random.integer(10, 99)}`;
}

function generateCompany({ pick }: Random): string {
  return `${pick(LAST_NAMES)} ${pick(COMPANY_ENDINGS)}`;
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
  return `${random.pick(OPENINGS)} the ${generateTitle(random).toLowerCase()}.`;
}

/** The range of most generated times: the year 2025, in milliseconds since 1970. */
const FIRST_MS = 1_735_689_600_000;
const LAST_MS = 1_767_225_599_000;

/** How many years the times of some properties are from 2025, so that the times in an object have a likely order. */
const YEARS: readonly (readonly [RegExp, number])[] = [
  [/\b(?:birth\w*|dob)\b/, -35],
  [/\b(?:creat\w+|registered|joined|since)\b/, -1],
  [/\b(?:expir\w+|due|deadline)\b|\bvalid (?:until|to|through)\b/, 10],
];

/** Returns the year of the generated times of a property, such as 2035 for `expiresAt`. */
function getYear(name: string): number {
  const words = joinWords(name);
  return 2025 + (YEARS.find(([pattern]) => pattern.test(words))?.[1] ?? 0);
}

/** Generates a time for a property, without milliseconds. */
export function generateTime(random: Random, name: string): Date {
  const time = new Date(Math.floor(random.integer(FIRST_MS, LAST_MS) / 1_000) * 1_000);
  time.setUTCFullYear(getYear(name));
  return time;
}

/** Returns the range of realistic numbers for a property name, such as 18 to 90 for `age`. */
export function getRealisticRange(name: string): readonly [least: number, most: number] {
  if (/cents$/i.test(name)) return [499, 19_999];
  const isMs = /ms$/i.test(name) && /time|date|at/i.test(name);
  if (isMs || /(created|updated|expires?|start|end|time|date)(_?at)?$|timestamp/i.test(name)) {
    const shiftMs = Date.UTC(getYear(name)) - Date.UTC(2025);
    const unit = isMs ? 1 : 1_000;
    return [(FIRST_MS + shiftMs) / unit, (LAST_MS + shiftMs) / unit];
  }
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
