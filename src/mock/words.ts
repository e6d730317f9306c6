function split(values: string): readonly string[] {
  return values.split(', ');
}

/** The first words of general names, such as "Amber Meadow". The second words are in `NOUNS`. */
export const ADJECTIVES = split(
  'Amber, Bright, Calm, Deep, Early, First, Golden, Hidden, Little, Northern, Quiet, Silver',
);
export const NOUNS = split('Bridge, Cloud, Field, Forest, Garden, Harbor, Hill, Lake, Meadow, River, Stone, Valley');

export const FIRST_NAMES = split('Ada, Bruno, Chloe, Dmitri, Elena, Farid, Grace, Hiro, Ines, Jonas, Kofi, Lucia');
export const LAST_NAMES = split(
  'Almeida, Berg, Castillo, Dubois, Eriksen, Fischer, Garcia, Haddad, Ivanova, Jensen, Kim, Lopez',
);
export const ANIMAL_NAMES = split('Bella, Coco, Luna, Max, Milo, Nala, Rex, Ruby, Simba, Toby');
export const COMPANY_ENDINGS = split('Ltd, Inc., Group, Partners, Labs, & Sons');
/** The first words of the names of goods, such as "Oak Chair". The second words are in `GOODS`. */
export const KINDS = split(
  'Classic, Compact, Linen, Oak, Wool, Ceramic, Everyday, Travel, Brushed Steel, Recycled, Slim, Soft',
);
export const GOODS = split(
  'Kettle, Lamp, Backpack, Notebook, Blanket, Mug, Chair, Watch, Bottle, Scarf, Speaker, Vase',
);

export const CITIES = split('Lisbon, Oslo, Valencia, Kyoto, Dublin, Ghent, Turin, Accra, Lima, Porto');
export const STREETS = split('Mill Lane, Station Road, Harbour Street, Garden Walk, Market Square, Orchard Way');
export const COUNTRIES = split('Portugal, Norway, Spain, Japan, Ireland, Belgium, Italy, Ghana, Peru, Canada');
export const COUNTRY_CODES = split('PT, NO, ES, JP, IE, BE, IT, GH, PE, CA');
export const CURRENCIES = split('EUR, USD, GBP, JPY, NOK, CAD');
export const LANGUAGES = split('en, de, es, fr, it, ja, pt');
export const LOCALES = split('en-US, en-GB, de-DE, es-ES, fr-FR, ja-JP, pt-PT');
export const TIME_ZONES = split('Europe/Lisbon, Europe/Oslo, Asia/Tokyo, America/Lima, Africa/Accra, America/Toronto');
export const COLOURS = split('black, white, green, navy, orange, yellow, gray, red');
export const STATUSES = split('active, pending, done');
export const TAGS = split('new, main, public, local, shared, daily');
export const GENRES = split('classic, modern, folk, comedy, drama, travel');
export const FILE_TYPES = split('pdf, txt, png, csv, json');
export const MEDIA_TYPES = split('application/pdf, text/plain, image/png, text/csv, application/json');
/** The first words of sentences. */
export const OPENINGS = split(
  'A short note about, A list of facts about, The latest news from, An introduction to, A visit to',
);
