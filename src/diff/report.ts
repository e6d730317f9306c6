import { joinList } from '../util/text.ts';
import { type Change, describeChange } from './change.ts';
import { changesBetween } from './changes.ts';
import type { Location, Version } from './version.ts';

/** The changes between two versions of a contract, the breaking ones first. */
export interface DiffReport {
  readonly old: VersionInfo;
  readonly new: VersionInfo;
  readonly breaking: readonly ReportedChange[];
  readonly other: readonly ReportedChange[];
}

interface VersionInfo {
  readonly name: string;
  /** The property `info.version` of the document. */
  readonly version: string;
  /** The format of the document, if it was converted. */
  readonly convertedFrom?: 'Swagger 2.0';
}

/** A change, with its positions in both versions. */
interface ReportedChange extends Omit<Change, 'isBreaking' | 'operation' | 'before' | 'after'> {
  /** The operations with this change. Empty if the change concerns the whole document. */
  readonly operations: readonly string[];
  readonly before: ReportedLocation;
  readonly after: ReportedLocation;
}

interface ReportedLocation extends Location {
  readonly pointer: string;
}

/** Changes with the same reason at the same places: those of operations that refer to the same schema. */
type Group = [Change, ...Change[]];

/** Compares two versions of a contract. */
export function createDiffReport(old: Version, now: Version): DiffReport {
  const groups = groupChanges(changesBetween(old.document, now.document));
  const report = ([first, ...others]: Group): ReportedChange => {
    const { direction, message, reason, before, after } = first;
    return {
      direction,
      operations: [...new Set([first, ...others].flatMap(({ operation }) => operation ?? []))],
      message,
      reason,
      before: { pointer: before, ...old.locate(before) },
      after: { pointer: after, ...now.locate(after) },
    };
  };
  return {
    old: getInfo(old),
    new: getInfo(now),
    breaking: groups.filter(([{ isBreaking }]) => isBreaking).map(report),
    other: groups.filter(([{ isBreaking }]) => !isBreaking).map(report),
  };
}

function getInfo({ name, document, isConverted }: Version): VersionInfo {
  const version = String(document.info?.version ?? '');
  return { name, version, ...(isConverted ? { convertedFrom: 'Swagger 2.0' } : {}) };
}

/**
 * Matches the place at the start of a message, such as `[].name of the 200 response`.
 * A schema has another place in each message that refers to it.
 */
const PLACE = /^(?:.*? of )?(?:the \S+ response|the request)(?: as \S+)?(?= )/;

function groupChanges(changes: readonly Change[]): readonly Group[] {
  const groups = new Map<string, Group>();
  for (const change of changes) {
    const { isBreaking, direction, before, after, message, reason, operation } = change;
    // Each change of a whole operation is reported on its own.
    const own = direction === 'both' ? operation : message.replace(PLACE, '');
    const key = [isBreaking, direction, before, after, own, reason, direction === 'both' ? message : ''].join('\n');
    const group = groups.get(key);
    if (group) group.push(change);
    else groups.set(key, [change]);
  }
  return [...groups.values()];
}

/** The maximum number of further operations that a change lists. */
const MAX_OPERATIONS = 3;

/** The maximum length of a line of a document in a report, in characters. */
const MAX_LINE_LENGTH = 160;

/** Formats a report as text. */
export function toText(report: DiffReport): string {
  const { breaking, other } = report;
  return `${[
    summarize(report),
    ...(breaking.length > 0 ? ['', 'Breaking changes', ...breaking.flatMap(formatBreaking)] : []),
    ...(other.length > 0 ? ['', 'Other changes', ...other.map(formatOther)] : []),
  ].join('\n')}\n`;
}

function summarize({ breaking, other, old, new: now }: DiffReport): string {
  const names = `from ${formatVersion(old)} to ${formatVersion(now)}`;
  if (breaking.length + other.length === 0) return `No changes that clients can notice ${names}`;
  const counts = `${toCount(breaking.length, 'breaking change')} and ${toCount(other.length, 'other change')}`;
  return `${counts.replace(/^no/, 'No')} ${names}`;
}

function formatVersion({ name, version, convertedFrom }: VersionInfo): string {
  const facts = [version && `version ${version}`, convertedFrom && `converted from ${convertedFrom}`].filter(Boolean);
  return facts.length === 0 ? name : `${name} (${facts.join(', ')})`;
}

function toCount(count: number, noun: string): string {
  return `${count === 0 ? 'no' : count} ${noun}${count === 1 ? '' : 's'}`;
}

function formatBreaking(change: ReportedChange, index: number): readonly string[] {
  const further = formatFurther(change);
  const width = Math.max(...[change.before, change.after].map((location) => formatLine(location).length));
  const line = (label: string, location: ReportedLocation) =>
    `   ${label} ${formatLine(location).padEnd(width)}  ${formatSource(location)}`.trimEnd();
  return [
    `${index + 1}. ${describe(change)}`,
    `   Reason: ${change.reason}.`,
    line('before', change.before),
    line('after ', change.after),
    ...(further === '' ? [] : [`   Also:   ${further}`]),
  ];
}

function formatOther(change: ReportedChange): string {
  const further = formatFurther(change);
  return `- ${describe(change)}: ${change.reason} (${formatLine(change.after)}${further === '' ? '' : `; also ${further}`})`;
}

function describe({ operations, direction, message }: ReportedChange): string {
  return describeChange({ operation: operations[0], direction, message });
}

/** Returns the operations with the same change, besides the first. */
function formatFurther({ operations }: ReportedChange): string {
  return joinList(operations.slice(1), MAX_OPERATIONS);
}

function formatLine({ file, line }: Location): string {
  return `${file}:${line}`;
}

function formatSource({ text }: Location): string {
  return text.length > MAX_LINE_LENGTH ? `${text.slice(0, MAX_LINE_LENGTH)}…` : text;
}

/** Formats a report as Markdown, for a comment on a pull request or the summary page of a CI service. */
export function toMarkdown(report: DiffReport): string {
  const { breaking, other } = report;
  return `${[
    `## ${escapeMarkdown(summarize(report))}`,
    ...(breaking.length > 0 ? ['', '### Breaking changes', ...breaking.map(toMarkdownItem)] : []),
    ...(other.length > 0
      ? ['', '### Other changes', ...other.map((one) => `- ${escapeMarkdown(formatOther(one).slice(2))}`)]
      : []),
  ].join('\n')}\n`;
}

function toMarkdownItem(change: ReportedChange): string {
  const further = formatFurther(change);
  const place = (label: string, location: ReportedLocation) =>
    `  - ${label} ${toCode(formatLine(location))}: ${toCode(formatSource(location))}`;
  return [
    `- **${escapeMarkdown(describe(change))}**`,
    `  - reason: ${escapeMarkdown(change.reason)}`,
    place('before', change.before),
    place('after', change.after),
    ...(further === '' ? [] : [`  - also: ${escapeMarkdown(further)}`]),
  ].join('\n');
}

/** Escapes the characters that Markdown and HTML would interpret. */
function escapeMarkdown(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\`*_{}[\]|@#~]/g, (mark) => `\\${mark}`);
}

/** Formats a text as code. Backticks end the code, so they are replaced. */
function toCode(text: string): string {
  return `\`${text.replaceAll('`', "'") || ' '}\``;
}
