import { checkServer, type Verdict } from '../../../src/check/check.ts';
import type { CheckOptions } from '../../../src/check/check-options.ts';
import { CheckStoppedError } from '../../../src/check/exchange.ts';
import type { CheckName, Finding } from '../../../src/check/findings.ts';
import { CHECK_NAMES } from '../../../src/check/findings.ts';
import type { Options } from '../../../src/index.ts';
import { type Contract, loadContract } from '../../../src/openapi/contract.ts';
import { shopModel } from '../../../src/shop/model/shop.ts';
import { projectFile } from '../fixtures/default-data.ts';
import type { Defect } from '../planted-defects/planted-defects.ts';
import { startStorefront } from './start-storefront.ts';

/** The contract of the shop. */
export const shopContract: Contract = await loadContract({ path: projectFile('openapi.yaml'), strict: false });

/**
 * Returns options that stop a check after the first part with a wanted finding, by default any: the rest of a check needs most of its time, and can't
 * remove a finding.
 */
export function stopAfterFinding(
  isWanted: (finding: Finding) => boolean = () => true,
): Required<Pick<CheckOptions, 'onProgress' | 'signal'>> {
  const controller = new AbortController();
  const reason = new CheckStoppedError('the test has found what it looks for', 'interrupted');
  return {
    signal: controller.signal,
    onProgress: (_done, _total, _part, findings) => void (findings.some(isWanted) && controller.abort(reason)),
  };
}

interface DefectiveServer {
  readonly path: string;
  readonly handlers: Options['handlers'];
  readonly seed: number;
  readonly only: readonly string[];
  /** The number of random requests to each operation. Default: 5. */
  readonly runs?: number | undefined;
}

/** Runs `storefront check` for the server at `url`, with the contract of the shop. By default, sends requests that change data, but few generated requests. */
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

/**
 * Checks the operations `only` of a server with the document at `path` and with handlers that have defects. Returns the operation and the rule
 * of each finding.
 */
export async function findDefects({
  path,
  handlers,
  seed,
  only,
  runs = 5,
}: DefectiveServer): Promise<readonly string[]> {
  const { url } = await startStorefront({ contract: path, handlers, durability: 'memory' });
  const contract = await loadContract({ path, strict: false });
  const { findings } = await runCheck(url, { contract, model: undefined, isFresh: false, seed, runs, only });
  return findings.map(({ operationId, title }) => `${operationId}: ${title}`).sort();
}

/** Formats each finding as one line, for the failure report of a test. */
export function formatFindings(findings: readonly Finding[]): readonly string[] {
  return findings.map(
    ({ check: judge, operationId, status, title, message: said }) =>
      `${judge} ${operationId} ${status} ${title}: ${said}`,
  );
}

/** Returns the checks that have failed. Includes a check whose finding was also reported by another check. */
export function getFailedChecks({ routes, results }: Verdict): readonly CheckName[] {
  return CHECK_NAMES.filter((judge) =>
    routes.some(({ operationId }) =>
      results.getStatuses(operationId).some((status) => results.getCount(judge, operationId, status)?.wrong),
    ),
  );
}

/** Combines several defects into one, so that a shop can have all of them. */
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
