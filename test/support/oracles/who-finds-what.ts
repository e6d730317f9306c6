import { CHECK_NAMES } from '../../../src/check/findings.ts';
import { runDredd } from '../../../tools/dredd/dredd.ts';
import { projectFile } from '../fixtures/default-data.ts';
import { getFailedChecks, runCheck } from '../harness/check.ts';
import { type Defect, defects, startDefective } from '../planted-defects/planted-defects.ts';

/** The columns of the table: each check of `storefront check`, and dredd. */
const COLUMNS = [...CHECK_NAMES, 'dredd'] as const;

/**
 * Returns a Markdown table that shows which checks find which defects. It has one row for each defect, and an `x` in the column of each check that finds the
 * defect. Each defect takes seconds and thousands of requests.
 */
export async function whoFindsWhat(names: readonly string[]): Promise<string> {
  const lines = [`| defect | ${COLUMNS.join(' | ')} |`, `|---|${COLUMNS.map(() => ':-:|').join('')}`];
  for (const name of names) {
    const finders: readonly string[] = await getFinders(getDefect(name));
    lines.push(`| ${name} | ${COLUMNS.map((column) => (finders.includes(column) ? 'x' : '')).join(' | ')} |`);
  }
  return lines.join('\n');
}

/** Returns the defect with this name. Throws an error if it does not exist. */
export function getDefect(name: string): Defect {
  const defect = defects.find((one) => one.name === name);
  if (!defect) throw new Error(`No defect has the name ${name}.`);
  return defect;
}

async function getFinders(defect: Defect): Promise<readonly (typeof COLUMNS)[number][]> {
  // Each check has its own shop, as in `npm run contract`. The requests are sent one at a time, because the responses of a shop with a defect depend on the
  // order of the requests.
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
