import { describe, expect, it } from 'vitest';
import { escapeControls, escapeControlsInLines } from '../../src/util/text.ts';

/** Characters that control a terminal or reorder text: C0, DEL, C1, bidirectional formatting, separators, and a tag beyond U+FFFF. */
const CONTROLS = [
  '\u0000',
  '\u001b',
  '\u007f',
  '\u009b',
  '\u202e',
  '\u2066',
  '\u200f',
  '\u2028',
  '\u2029',
  '\u{e0041}',
];

describe('escapeControls', () => {
  it.each(CONTROLS)('escapes %j so that JSON.parse restores it', (character) => {
    const escaped = escapeControls(`a${character}b`);
    expect(escaped).toMatch(/^a(?:\\u[\da-f]{4})+b$/);
    expect(JSON.parse(`"${escaped}"`)).toBe(`a${character}b`);
  });

  it('keeps letters of all scripts and emoji', () => {
    expect(escapeControls('Ünï 漢字 مرحبا 🎉')).toBe('Ünï 漢字 مرحبا 🎉');
  });
});

describe('escapeControlsInLines', () => {
  it('keeps the value and the line breaks of JSON', () => {
    const value = { text: CONTROLS.join('x'), list: ['a\nb'] };
    const text = escapeControlsInLines(JSON.stringify(value, null, 2));
    expect(JSON.parse(text)).toEqual(value);
    expect(text.split('\n')).toHaveLength(6);
    expect(text).not.toMatch(/[\u007f-\u009f\u202e\u2028]/);
  });
});
