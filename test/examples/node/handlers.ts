import type { ApiHandler } from 'storefront';
import type { components, operations } from './schema.d.ts';

/** The types of the API: its operations, and the lists of its state. */
export interface Notes {
  operations: operations;
  state: { notes: components['schemas']['Note'][] };
}

export const archiveNote: ApiHandler<operations['archiveNote'], Notes> = ({ path }, { update }) =>
  update((state) => {
    const note = state.notes.find(({ id }) => id === Number(path.noteId));
    if (!note) return { result: { status: 404 } };
    const archived = { ...note, archived: true };
    const notes = state.notes.map((other) => (other === note ? archived : other));
    return { next: { ...state, notes }, result: { body: archived } };
  });
