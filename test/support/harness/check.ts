import { checkServer, type Verdict } from '../../../src/check/check.ts';
import type { CheckOptions } from '../../../src/check/check-options.ts';
import type { CheckName, Finding } from '../../../src/check/findings.ts';
import { CHECK_NAMES } from '../../../src/check/findings.ts';
import { type Contract, loadContract } from '../../../src/openapi/contract.ts';
import { shopModel } from '../../../src/shop/model/shop.ts';
import { projectFile } from '../fixtures/default-data.ts';
import type { Defect } from '../planted-defects/planted-defects.ts';

/** The contract of the shop. */
export const shopContract: Contract = await loadContract({ path: projectFile('openapi.yaml'), strict: false });

/** Checks the server at `url` against the shop's contract, by default with few generated requests and with writes allowed. */
export async function runCheck(url: string, options: Partial<CheckOptions> = {}): Promise<Verdict> {
  return checkServer({
    contract: shopContract,
    model: shopModel,
    url,
    headers: {},
    seed: 1,
    runs: 1,
    mayWrite: true,
    isFresh: true,
    waitSeconds: 0,
    ...options,
  });
}

/** Returns the findings as one line each, for the failure report of a test. */
export function formatFindings(findings: readonly Finding[]): readonly string[] {
  return findings.map(
    ({ check: judge, operationId, status, rule, message: said }) =>
      `${judge} ${operationId} ${status} ${rule}: ${said}`,
  );
}

/** The judges that found something, be it that another one found the same before. */
export function getFailedChecks({ routes, results }: Verdict): readonly CheckName[] {
  return CHECK_NAMES.filter((judge) =>
    routes.some(({ operationId }) =>
      results.getStatuses(operationId).some((status) => results.getCount(judge, operationId, status)?.wrong),
    ),
  );
}

/** Combines several defects for one shop. */
export function combineDefects(...defects: readonly Defect[]): Defect {
  const tampers = defects.flatMap(({ tamper }) => (tamper ? [tamper] : []));
  return {
    name: defects.map(({ name }) => name).join(', '),
    operationId: undefined,
    handlers: Object.assign({}, ...defects.map(({ handlers }) => handlers)),
    tamper: () =>
      tampers.reduce<ReturnType<NonNullable<Defect['tamper']>>>(
        (inner, make) => {
          const outer = make();
          return (asked, pass) => outer(asked, (again) => inner(again, pass));
        },
        (asked, pass) => pass(asked),
      ),
  };
}
