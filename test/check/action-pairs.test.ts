import { describe, expect, it } from 'vitest';
import { stopAfterFinding } from '../support/harness/check.ts';
import { checkChats } from '../support/planted-defects/apis/check-chats.ts';

describe('the check of a server for chats', () => {
  it('finds nothing if the server is correct', async () => {
    expect((await checkChats(undefined, 1)).map(({ text }) => text)).toEqual([]);
  });

  it.each([
    ['a chat can be archived twice', 'archived'],
    ['unarchive keeps the time of archive', 'archivedAt'],
    ['unpin keeps the pinned message', 'pinnedMessage'],
    ['mute stores nothing', 'isMuted'],
    ['mute removes the description', 'description'],
    ['a change of the title reopens the chat', 'status'],
  ] as const)('the finding that %s has the place of the property %s', async (defect, property) => {
    const [finding] = await checkChats(defect, 1, stopAfterFinding());
    expect(finding?.place).toMatch(new RegExp(`/properties/${property}$`));
  });
});
