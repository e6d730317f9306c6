import { describe, expect, it } from 'vitest';
import { CHAT_DEFECTS, CHAT_HABITS } from '../support/planted-defects/apis/chats.ts';
import { checkChats } from '../support/planted-defects/apis/check-chats.ts';

describe.each([1, 2, 3])('The check of a server for chats with the seed %i', (seed) => {
  it.each([undefined, ...CHAT_HABITS])('finds nothing if the server is correct, and %s', async (habit) => {
    expect((await checkChats(habit, seed)).map(({ text }) => text)).toEqual([]);
  });

  const defects = Object.entries(CHAT_DEFECTS) as [keyof typeof CHAT_DEFECTS, string][];

  it.each(defects)('finds that %s, as a violation of %s', async (defect, rule) => {
    const findings = await checkChats(defect, seed);
    expect([...new Set(findings.map((one) => one.rule))]).toEqual([rule]);
  });
});
