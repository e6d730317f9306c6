// Uses the types that `openapi-typescript notes.yaml --output notes.d.ts` generates.
import createClient from 'openapi-fetch';
import type { components, paths } from './notes.d.ts';

const client = createClient<paths>({ baseUrl: 'http://localhost:3000' });

export async function tags(): Promise<string[]> {
  const { data = [] } = await client.GET('/notes');
  const notes: components['schemas']['Note'][] = data;
  return notes.flatMap((note) => note.tags.map((tag) => tag.trim()));
}
