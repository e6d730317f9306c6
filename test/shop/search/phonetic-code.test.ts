import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { getPhoneticCode } from '../../../src/shop/search/similar-words.ts';

describe('the phonetic codes of words that sound alike', () => {
  it.each([
    ['phone', 'fone'],
    ['headphones', 'hedfones'],
    ['photo', 'foto'],
    ['elephant', 'elefant'],
    ['socks', 'sox'],
    ['box', 'boks'],
    ['knife', 'nife'],
    ['know', 'no'],
    ['gnome', 'nome'],
    ['wrench', 'rench'],
    ['white', 'wite'],
    ['psychology', 'sychology'],
    ['lamb', 'lam'],
    ['thumb', 'thum'],
    ['light', 'lite'],
    ['night', 'nite'],
    ['high', 'hi'],
    ['through', 'thru'],
    ['school', 'skool'],
    ['science', 'sience'],
    ['scissors', 'sissors'],
    ['coffee', 'cofee'],
    ['cheese', 'cheeze'],
    ['match', 'mach'],
    ['kitchen', 'kichen'],
    ['bridge', 'brij'],
    ['badge', 'baj'],
    ['city', 'sity'],
    ['ceiling', 'sealing'],
    ['giant', 'jiant'],
    ['gym', 'jim'],
    ['camera', 'kamera'],
    ['candle', 'kandle'],
    ['electric', 'elektrik'],
    ['racket', 'racquet'],
    ['nation', 'nashun'],
    ['special', 'speshul'],
    ['passion', 'pashun'],
    ['jeans', 'jeens'],
    ['speakers', 'speekers'],
    ['shoes', 'shooz'],
    ['toy', 'toi'],
    ['vest', 'fest'],
  ])('are equal for %s and %s', (one, other) => {
    expect(getPhoneticCode(one)).toBe(getPhoneticCode(other));
  });
});

describe('the phonetic codes of words that sound different', () => {
  it.each([
    ['cat', 'dog'],
    ['mug', 'rug'],
    ['lamp', 'lamb'],
    ['ship', 'sip'],
    ['thin', 'tin'],
    ['chip', 'kip'],
    ['phone', 'pone'],
    ['knife', 'knives'],
    ['apple', 'pple'],
    ['basketball', 'baseball'],
  ])('differ for %s and %s', (one, other) => {
    expect(getPhoneticCode(one)).not.toBe(getPhoneticCode(other));
  });
});

describe('the phonetic code of a word', () => {
  it.each(['', 'чайник', '日本', '🫖', '\0', '123', '__proto__', 'a'.repeat(31), 'e', 'es', 'gh', 'x'])(
    'is a string for %j',
    (word) => {
      expect(typeof getPhoneticCode(word)).toBe('string');
    },
  );

  it('does not depend on doubled letters or on the kind of vowel', () => {
    const anyConsonant = fc.constantFrom('b', 'd', 'l', 'm', 'n', 'r');
    const anySyllable = fc.tuple(anyConsonant, fc.constantFrom('a', 'o', 'u'), fc.constantFrom('a', 'o', 'u'));
    fc.assert(
      fc.property(fc.array(anySyllable, { minLength: 1, maxLength: 8 }), (syllables) => {
        const one = syllables.map(([consonant, vowel]) => consonant + vowel).join('');
        const other = syllables.map(([consonant, , vowel]) => consonant + consonant + vowel).join('');
        expect(getPhoneticCode(`${one}n`)).toBe(getPhoneticCode(`${other}n`));
      }),
    );
  });
});
