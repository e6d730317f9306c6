import { normalizeName } from '../../util/names.ts';

/** The endings of infinitives in French, Spanish, Portuguese, Italian and German, and those of their participles. */
const PARTICIPLES: readonly (readonly [infinitive: RegExp, participles: readonly string[]])[] = [
  [/^(\w{3,})er$/, ['e', 'ee', 'es', 'ees', 'ido', 'ida']],
  [/^(\w{3,})ir$/, ['i', 'ie', 'is', 'ies', 'ido', 'ida']],
  [/^(\w{3,})ar$/, ['ado', 'ada', 'ados', 'adas']],
  [/^(\w{2,}d)re$/, ['u', 'ue', 'us', 'ues']],
  [/^(\w{3,})are$/, ['ato', 'ata', 'ati', 'ate']],
  [/^(\w{3,})ire$/, ['ito', 'ita', 'iti', 'ite']],
  [/^(\w{2,}ier)en$/, ['t']],
];

/** German verbs and their participles, with umlauts. */
const GERMAN: readonly (readonly [verb: string, ...participles: string[]])[] = [
  ['abschließen', 'abgeschlossen'],
  ['schließen', 'geschlossen'],
  ['öffnen', 'geöffnet', 'offen'],
  ['erledigen', 'erledigt'],
  ['beenden', 'beendet'],
  ['bestätigen', 'bestätigt'],
  ['genehmigen', 'genehmigt'],
  ['freigeben', 'freigegeben'],
  ['annehmen', 'angenommen'],
  ['ablehnen', 'abgelehnt'],
  ['absagen', 'abgesagt'],
  ['kündigen', 'gekündigt'],
  ['zurückziehen', 'zurückgezogen'],
  ['veröffentlichen', 'veröffentlicht'],
  ['sperren', 'gesperrt'],
  ['bezahlen', 'bezahlt'],
  ['versenden', 'versendet', 'versandt'],
  ['ausleihen', 'ausgeliehen'],
  ['zurückgeben', 'zurückgegeben'],
  ['starten', 'gestartet'],
];

/** Returns the ways in which a German word is written without umlauts: `bestatigen` and `bestaetigen`. */
function listGermanSpellings(word: string): readonly string[] {
  const plain = word.replaceAll('ß', 'ss');
  return [...new Set([plain.replaceAll(/[äöü]/g, '$&e'), plain, word].map(normalizeName))];
}

/** Participles that do not follow from the infinitive. */
const IRREGULAR: ReadonlyMap<string, readonly string[]> = new Map([
  ['ouvrir', ['ouvert', 'ouverte']],
  ['rouvrir', ['rouvert', 'rouverte', 'ouvert', 'ouverte']],
  ['abrir', ['abierto', 'abierta', 'aberto', 'aberta']],
  ['reabrir', ['reabierto', 'reabierta', 'reaberto', 'reaberta', 'abierto', 'abierta', 'aberto', 'aberta']],
  ['resolver', ['resuelto', 'resuelta', 'resolvido', 'resolvida']],
  ['devolver', ['devuelto', 'devuelta', 'devolvido', 'devolvida']],
  ['pagar', ['pagado', 'pagada', 'pago', 'paga']],
  ['entregar', ['entregado', 'entregada', 'entregue']],
  ['aceitar', ['aceito', 'aceita', 'aceite']],
  ...GERMAN.flatMap(([verb, ...participles]) =>
    listGermanSpellings(verb).map((one) => [one, participles.flatMap(listGermanSpellings)] as const),
  ),
]);

/**
 * Returns the participles of a verb in French, Spanish, Portuguese, Italian or German, without accents: `validee` for
 * `valider`, and `cancelado` for `cancelar`.
 * For a word in another language, it returns words that do not exist, or nothing.
 */
export function listParticiples(verb: string): readonly string[] {
  const own = normalizeName(verb);
  const regular = PARTICIPLES.flatMap(([infinitive, endings]) => {
    const [, stem] = infinitive.exec(own) ?? [];
    return stem === undefined ? [] : endings.map((ending) => stem + ending);
  });
  return [...(IRREGULAR.get(own) ?? []), ...regular];
}

/** Returns the nouns that a verb in French, Spanish or Portuguese can have: `validation` and `cancelamento`. */
export function listRomanceNouns(verb: string): readonly string[] {
  const [, stem, ending] = /^(\w{3,})(er|ar|ir)$/.exec(normalizeName(verb)) ?? [];
  if (stem === undefined) return [];
  const endings =
    ending === 'er' ? ['ation', 'ement', 'e'] : ending === 'ar' ? ['acion', 'acao', 'amento', 'o'] : ['icion', 'icao'];
  // `payer` is about a `paiement`.
  const changed = stem.endsWith('y') ? [`${stem.slice(0, -1)}iement`] : [];
  return [...changed, ...endings.map((one) => stem + one)];
}

/** Words for a date or a time before the noun of a verb: `date_validation`, `fecha_de_aprobacion`. */
const DATE_WORDS = [
  'date',
  'datede',
  'dated',
  'datedela',
  'dateheure',
  'fecha',
  'fechade',
  'data',
  'datade',
  'datahora',
];

/**
 * Returns the names that the time of a verb in French, Spanish or Portuguese can have, without separators: `valideele`,
 * `datevalidation` and `validatedat` for `valider`.
 */
export function listRomanceTimes(verb: string): readonly string[] {
  const participles = listParticiples(verb);
  const [, stem] = /^(\w{3,})er$/.exec(normalizeName(verb)) ?? [];
  const english = stem === undefined ? [] : [`${stem}atedat`, `${stem}atedon`];
  return [
    ...participles.flatMap((one) => ['le', 'el', 'en', 'em', 'at'].map((end) => one + end)),
    ...listRomanceNouns(verb).flatMap((noun) => DATE_WORDS.map((word) => word + noun)),
    ...english,
  ];
}
