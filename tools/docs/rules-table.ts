import { getRule, RULES, type RuleName } from '../../src/check/rules.ts';
import { formatTable } from './markdown.ts';

/** Returns the rules of `storefront check` as a Markdown table. */
export function generateRulesTable(): string {
  const rows = (Object.keys(RULES) as RuleName[]).map((name) => {
    const { title, meaning = title, confidence, certainIf, likelyIf, remedy = '–' } = getRule(name);
    const otherwise = certainIf === undefined ? '' : `; certain if ${certainIf}`;
    const level = `${confidence}${likelyIf === undefined ? otherwise : `; likely if ${likelyIf}`}`;
    return [`\`${name}\``, meaning, level, remedy];
  });
  return formatTable(['rule', 'meaning', 'confidence', 'contract change if the server is right'], rows);
}
