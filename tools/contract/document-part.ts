import { type Failure, type Row, toRelativePath } from '../../src/check/report/report.ts';
import { describeChange } from '../../src/diff/change.ts';
import { type Change, changesBetween } from '../../src/diff/changes.ts';
import type { Contract } from '../../src/openapi/contract.ts';
import { type Document, getNode, parseDocument } from '../../src/openapi/document.ts';
import { createLocator } from '../../src/openapi/source-location.ts';
import { isShop } from '../../src/shop/model/shop.ts';
import type { EarlierVersion } from './against.ts';
import { documentFindings } from './document-checks.ts';
import type { ReportPart } from './join-reports.ts';

const CHECK = 'document';

/** The checks of a document, each a row of the report. */
const CHECKS = ['lint', 'examples', 'names', 'limits'] as const;

/** Checks a document, and finds its breaking changes since an earlier version. `before`: the earlier version, or the reason why there is none. */
export async function documentPart(contract: Contract, before: EarlierVersion | string): Promise<ReportPart> {
  const file = toRelativePath(contract.path);
  const locate = createLocator(file, contract.text);
  // The rules for names and the limits in the code apply only to the contract of the shop.
  const checks = CHECKS.filter((check) => isShop(contract) || ['lint', 'examples'].includes(check));
  const found = (await documentFindings(contract.path)).filter(({ check }) => checks.includes(check));
  const own = found.map(({ check, pointer, message }) => createFailure(file, check, message, locate(pointer)));
  if (typeof before === 'string') {
    return {
      checks: [CHECK],
      rows: createRows(file, checks, own),
      failures: own,
      notes: [`Breaking changes were not checked: ${before}`],
    };
  }
  const { broken, notes } = changesSince(before, contract.document);
  const exists = (pointer: string) => getNode(contract.document, pointer) !== undefined;
  // The place of a removed part exists only in the earlier version.
  const places = broken.map((change) =>
    createFailure(
      file,
      'changes',
      formatChange(change),
      exists(change.after) ? locate(change.after) : `${before.name} #${change.before}`,
    ),
  );
  const failures = [...own, ...places];
  return { checks: [CHECK], rows: createRows(file, [...checks, 'changes'], failures), failures, notes };
}

function createRows(file: string, checks: readonly string[], failures: readonly Failure[]): readonly Row[] {
  return checks.map((status) => {
    const wrong = failures.filter((failure) => failure.status === status).length;
    return { operationId: file, status, counts: { [CHECK]: { seen: 1, wrong } } };
  });
}

function createFailure(file: string, check: string, message: string, place: string): Failure {
  return { check: CHECK, operationId: file, status: check, title: `${check}: ${message}`, message, place, steps: [] };
}

interface Changes {
  /** The breaking changes that the version number does not announce. */
  readonly broken: readonly Change[];
  /** The other changes, a sentence each. */
  readonly notes: readonly string[];
}

function changesSince({ name, text }: EarlierVersion, document: Document): Changes {
  const before = parseDocument(name, text);
  const changes = changesBetween(before, document);
  const breaking = changes.filter(({ isBreaking }) => isBreaking);
  const isAnnounced = announcesBreaking(before.info.version, document.info.version);
  const counted = `Since ${name}: ${changes.length} changes that clients can notice, ${breaking.length} of them breaking`;
  const announced =
    breaking.length > 0 && isAnnounced ? `, which the version number ${document.info.version} announces` : '';
  const others = changes.filter((change) => isAnnounced || !change.isBreaking);
  return {
    broken: isAnnounced ? [] : breaking,
    notes: [counted + announced, ...others.map((change) => `  ${change.direction}: ${formatChange(change)}`)],
  };
}

function formatChange(change: Change): string {
  return `${describeChange(change)}: ${change.reason}`;
}

/**
 * Returns whether a version number announces breaking changes: its first number other than 0 is higher, as in 2.0.0 after 1.4.2, and 0.5.0 after 0.4.2
 * (Semantic Versioning 2.0.0, sections 4 and 8).
 */
function announcesBreaking(before: string, after: string): boolean {
  const [old, now] = [before, after].map((version) => version.split('.').map((part) => Number.parseInt(part, 10) || 0));
  const place = Math.max(
    0,
    (now ?? []).findIndex((part) => part > 0),
  );
  return (
    (now ?? []).slice(0, place).every((part, at) => part === (old?.[at] ?? 0)) &&
    (now?.[place] ?? 0) > (old?.[place] ?? 0)
  );
}
