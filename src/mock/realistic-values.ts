import type { Random } from '../util/random.ts';

/** Splits a text of values separated by commas. */
function split(values: string): readonly string[] {
  return values.split(', ');
}

/** The two words of a generated name, such as "Oak Chair": a kind and a thing. */
const THINGS = split('Kettle, Lamp, Backpack, Notebook, Blanket, Mug, Chair, Watch, Bottle, Scarf, Speaker, Vase');
const KINDS = split(
  'Classic, Compact, Linen, Oak, Wool, Ceramic, Everyday, Travel, Brushed Steel, Recycled, Slim, Soft',
);
const FIRST_NAMES = split('Ada, Bruno, Chloe, Dmitri, Elena, Farid, Grace, Hiro, Ines, Jonas, Kofi, Lucia');
const LAST_NAMES = split(
  'Almeida, Berg, Castillo, Dubois, Eriksen, Fischer, Garcia, Haddad, Ivanova, Jensen, Kim, Lopez',
);
const CITIES = split('Lisbon, Oslo, Valencia, Kyoto, Dublin, Ghent, Turin, Accra, Lima, Porto');
const STREETS = split('Mill Lane, Station Road, Harbour Street, Garden Walk, Market Square, Orchard Way');
const COUNTRIES = split('Portugal, Norway, Spain, Japan, Ireland, Belgium, Italy, Ghana, Peru, Canada');
const COLOURS = split('black, white, sage, navy, terracotta, sand, charcoal, ivory');
const WORDS = split(
  'light, sturdy, simple, made, to, last, for, every, day, with, a, soft, finish, and, room, enough, at, home',
);
const TAGS = split('new, home, kitchen, outdoor, gift, sale, office, travel');

/** String generators by property name. The first pattern that matches the name is used. */
const TEXTS: readonly (readonly [RegExp, (random: Random) => string])[] = [
  [/(first|given)_?name/i, ({ pick }) => pick(FIRST_NAMES)],
  [/(last|family|sur)_?name/i, ({ pick }) => pick(LAST_NAMES)],
  [/(user|log)_?(name|in)$/i, (random) => `${random.pick(FIRST_NAMES).toLowerCase()}${random.integer(10, 99)}`],
  [
    /(full|person|author|customer|owner|holder|recipient)_?name|^(author|owner|customer)$/i,
    ({ pick }) => `${pick(FIRST_NAMES)} ${pick(LAST_NAMES)}`,
  ],
  [/e?mail/i, ({ pick }) => `${pick(FIRST_NAMES).toLowerCase()}.${pick(LAST_NAMES).toLowerCase()}@example.com`],
  [/phone|mobile|fax/i, (random) => `+1 555 0${random.integer(100, 199)}`],
  [/city|town/i, ({ pick }) => pick(CITIES)],
  [/street|address/i, (random) => `${random.integer(1, 180)} ${random.pick(STREETS)}`],
  [/(zip|post)_?(al)?_?code/i, (random) => String(random.integer(10_000, 99_999))],
  [/country/i, ({ pick }) => pick(COUNTRIES)],
  [/currency/i, ({ pick }) => pick(['EUR', 'USD', 'GBP'])],
  [/colou?r/i, ({ pick }) => pick(COLOURS)],
  [/image|picture|photo|avatar|thumbnail|icon/i, (random) => `images/${pickSlug(random)}-${random.integer(1, 9)}.svg`],
  [/url|uri|link|href|website/i, (random) => `https://example.com/${pickSlug(random)}/${random.integer(1, 999)}`],
  [
    /sku|code|number|reference|(^|_)ref$/i,
    (random) => `${random.pick(THINGS).slice(0, 2).toUpperCase()}-${random.integer(1_000, 9_999)}`,
  ],
  [/(^|[a-z_])id$|Id$|_id$|token|key$|hash|secret/, generateId],
  [/date|_at$|At$|time/, (random) => generateTime(random).toISOString()],
  [/tag|keyword|category|label|kind|type/i, ({ pick }) => pick(TAGS)],
  [/version/i, (random) => `${random.integer(0, 3)}.${random.integer(0, 20)}.${random.integer(0, 9)}`],
  [/name|title|product|item/i, ({ pick }) => `${pick(KINDS)} ${pick(THINGS)}`],
  [/description|summary|text|comment|message|note|body|content|detail|reason/i, generateSentence],
];

function pickSlug({ pick }: Random): string {
  return pick(THINGS).toLowerCase();
}

function generateId({ pick }: Random): string {
  return Array.from({ length: 12 }, () => pick([...'abcdefghjkmnpqrstuvwxyz23456789'])).join('');
}

/** Generates a realistic string for a property name. */
export function generateText(name: string, random: Random): string {
  const [, generate] = TEXTS.find(([pattern]) => pattern.test(name)) ?? [];
  return generate ? generate(random) : `${random.pick(WORDS)} ${pickSlug(random)}`;
}

/** Generates a sentence of 5 to 11 words. */
export function generateSentence(random: Random): string {
  const words = Array.from({ length: random.integer(5, 11) }, () => random.pick(WORDS)).join(' ');
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The range of generated times: the year 2025, in milliseconds since 1970. */
const FIRST_MS = 1_735_689_600_000;
const LAST_MS = 1_767_225_599_000;

/** Generates a time in 2025, without milliseconds. */
export function generateTime(random: Random): Date {
  return new Date(Math.floor(random.integer(FIRST_MS, LAST_MS) / 1_000) * 1_000);
}

/** Returns the range of realistic numbers for a property name. */
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
  if (/age$/i.test(name)) return [18, 90];
  if (/year/i.test(name)) return [1_990, 2_025];
  if (/weight/i.test(name)) return [100, 5_000];
  return [1, 1_000];
}
