import { DomainError } from '../../application.ts';
import { getNode, toNode } from '../../openapi/document.ts';
import type { Entry } from '../../store/state.ts';
import { memoizeByObject } from '../../util/memoize-by-object.ts';
import { joinWords, removeAccents, splitWords } from '../../util/names.ts';
import { isNegated, listSentences, readResponseText } from '../document/document-texts.ts';
import { listRequestNames } from '../document/locate.ts';
import { addArticle } from '../document/names.ts';
import type { Plan } from '../resource.ts';
import type { ResourceModel } from '../resource-model.ts';
import { getKeyValue } from './entry-values.ts';

/** Matches texts that say that an entry already exists, or already is in a state. */
const ALREADY = /\b(?:already|duplicate|exists|deja|bereits|ya|ja|gia)\b/i;

/**
 * Returns whether a PUT only creates entries, and refuses an id that an entry has: its only success is 201, or it has
 * no body, and its 409 says that the entry already exists or that something already is so (`User is already banned`).
 * A 409 that names a property of requests is for this property.
 */
export const refusesExisting = memoizeByObject(({ reader }: ResourceModel) =>
  memoizeByObject(({ action, route, resource, requestPath }: Plan): boolean => {
    if (action !== 'replace' || resource.kind !== 'collection') return false;
    const successes = route.responses.filter(({ name }) => /^2/.test(name));
    const hasBody = Object.keys(route.bodyMedia).length > 0;
    if (hasBody && successes.some(({ name }) => name !== '201')) return false;
    const sent = listRequestNames(reader, route, requestPath).map((name) => joinWords(removeAccents(name)));
    return listSentences(readResponseText(reader, route, '409')).some((sentence) => {
      const words = ` ${joinWords(sentence)} `;
      const isAboutValue = sent.some((name) => name !== '' && words.includes(` ${name} `));
      return ALREADY.test(sentence) && !isNegated(sentence) && !isAboutValue;
    });
  }),
);

/** Matches texts without accents that say that an operation changes an entry that exists: `Create or update`. */
const UPDATES =
  /\bupsert|\bor (?:updat|chang|replac|edit|overwrit)\w*|\bou (?:met a jour|modifi|atualiz)\w*|\boder (?:aktualisier|ander)\w*|\bo (?:actualiz|modific|aggiorn)\w*|(?:^| )или (?:обнов|измен)/i;

/** Returns whether a POST changes an entry that exists, as its words say, and the document has no 409 for it. */
export const updatesExisting = memoizeByObject(({ reader }: ResourceModel) =>
  memoizeByObject(({ action, route, resource }: Plan): boolean => {
    if (action !== 'create' || resource.kind !== 'collection') return false;
    const { summary = '', description = '' } = toNode(getNode(reader.document, route.pointer));
    const text = removeAccents(`${summary}. ${description}. ${splitWords(route.operationId).join(' ')}`);
    return UPDATES.test(text) && !route.responses.some(({ name }) => name === '409');
  }),
);

/** Throws a `DomainError` for an entry that exists, if a PUT only creates entries. */
export function refuseExisting(model: ResourceModel, plan: Plan, current: Entry): void {
  if (!refusesExisting(model)(plan)) return;
  const { singular, id } = plan.resource;
  throw new DomainError(
    'entry-exists',
    `${addArticle(singular)} with the ${id.property ?? id.parameter} ${getKeyValue(current, id)} already exists: delete it first`,
  );
}
