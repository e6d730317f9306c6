import { CHECK_NAMES } from '../../../src/check/findings.ts';
import { runDredd } from '../../../tools/dredd/dredd.ts';
import { projectFile } from '../fixtures/default-data.ts';
import { getFailedChecks, runCheck } from '../harness/check.ts';
import { type Defect, defects, startDefective } from '../planted-defects/planted-defects.ts';

/** The columns of the table: the checks, and dredd. */
const COLUMNS = [...CHECK_NAMES, 'dredd'] as const;

/** Returns a Markdown table of the defects that each check finds: one row per defect, `x` if found. Needs seconds and thousands of requests for each defect. */
export async function whoFindsWhat(names: readonly string[]): Promise<string> {
  const lines = [`| defect | ${COLUMNS.join(' | ')} |`, `|---|${COLUMNS.map(() => ':-:|').join('')}`];
  for (const name of names) {
    const finders: readonly string[] = await getFinders(getDefect(name));
    lines.push(`| ${name} | ${COLUMNS.map((column) => (finders.includes(column) ? 'x' : '')).join(' | ')} |`);
  }
  return lines.join('\n');
}

/** Returns the defect with this name; throws if there is none. */
export function getDefect(name: string): Defect {
  const defect = defects.find((one) => one.name === name);
  if (!defect) throw new Error(`No defect has the name ${name}.`);
  return defect;
}

async function getFinders(defect: Defect): Promise<readonly (typeof COLUMNS)[number][]> {
  // Each check has its own shop, as in `npm run contract`. One request at a time: the responses of a defective shop depend on their order.
  const byChecks = await testDefect(defect, async (url) =>
    getFailedChecks(await runCheck(url, { runs: 50, maxConcurrent: 1 })),
  );
  const { transactions, errors } = await testDefect(defect, (url) =>
    runDredd({ url, contractFile: projectFile('openapi.yaml') }),
  );
  if (transactions.length === 0) throw new Error(`dredd sent no request: ${errors.join('; ')}`);
  return [...byChecks, ...(transactions.some(({ isPassed }) => !isPassed) ? (['dredd'] as const) : [])];
}

async function testDefect<Value>(defect: Defect, test: (url: string) => Promise<Value>): Promise<Value> {
  const { url, close } = await startDefective(defect);
  try {
    return await test(url);
  } finally {
    await close();
  }
}
