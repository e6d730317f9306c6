import { explain } from '../../../src/server/explain.ts';
import { type Api, writeApi } from './start-api.ts';

/** Returns what each operation of an API does, by method and path: `{ 'GET /pets': 'real: lists pets' }`. */
export async function explainApi(api: Api): Promise<Readonly<Record<string, string>>> {
  const { operations } = await explain({ contract: await writeApi(api) });
  return Object.fromEntries(
    operations.map(({ method, path, mocked, explanation }) => [
      `${method} ${path}`,
      `${mocked ? 'mocked' : 'real'}: ${explanation}`,
    ]),
  );
}
