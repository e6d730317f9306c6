import type { Route } from '../openapi/routes.ts';

/**
 * How sure it is that a violation is a defect.
 * `certain`: the contract says so, or a standard that it uses, such as HTTP.
 * `likely`: most APIs with such names and operations behave so, but a correct server can differ.
 */
export type Confidence = 'certain' | 'likely';

/** A rule that `storefront check` checks. */
interface RuleDescription {
  /** The rule in a report, unless a violation names a place, such as `body/price type`. */
  readonly title: string;
  /** The rule in the documentation. Default: the title. */
  readonly meaning?: string;
  readonly confidence: Confidence;
  /** When a violation of a likely rule is certain. */
  readonly certainIf?: string;
  /** When a violation of a certain rule is likely. */
  readonly likelyIf?: string;
  /** What to write in the contract if the server is right; undefined if no contract can allow the violation. */
  readonly remedy?: string;
  /** Rules whose violation for the same resource has the same cause. */
  readonly impliedBy?: readonly string[];
}

/** What makes a resource unusable, so that other violations follow from it. */
const NOT_STORED = ['created-readable'];

/** All rules of the check by name, in the order of the documentation. */
export const RULES = {
  'response-status': {
    title: 'the status of a response is documented',
    confidence: 'certain',
    remedy: 'add the status, a range such as `4XX`, or `default` to the responses of the operation',
  },
  'response-type': {
    title: 'the media type of a response is documented',
    confidence: 'certain',
    remedy: 'add the media type to the `content` of the response',
  },
  'response-schema': {
    title: 'the headers and the body of a response match their schemas',
    confidence: 'certain',
    remedy: 'describe the value in the schema of the response',
  },
  'write-only': {
    title: 'values that are `writeOnly` are not in a response',
    confidence: 'certain',
    remedy: 'remove `writeOnly` from the property',
  },
  'server-error': { title: 'no server error', meaning: 'no response has a 5xx status', confidence: 'certain' },
  responds: { title: 'responds', meaning: 'each request gets a response', confidence: 'certain' },
  reproducible: {
    title: 'reproducible',
    meaning: 'a failure occurs again when the check repeats its requests',
    confidence: 'likely',
  },
  http: { title: 'HTTP', meaning: 'a response is valid HTTP', confidence: 'certain' },
  json: {
    title: 'JSON',
    meaning: 'a body with a JSON media type is JSON',
    confidence: 'certain',
    remedy: 'use the actual media type in the `content` of the response',
  },
  'unique-names': { title: 'unique names', meaning: 'no object in a body has duplicate names', confidence: 'certain' },
  charset: {
    title: 'charset',
    meaning: 'the `charset` of a JSON body is UTF-8, or the body is ASCII, and the `charset` contains ASCII',
    confidence: 'certain',
  },
  'problem-status': {
    title: 'problem status',
    meaning: 'the `status` in a problem document equals the status of the response',
    confidence: 'certain',
  },
  'pact-response': {
    title: 'matches the pact',
    meaning: 'a response matches the one that a pact expects (`--pact` with `check.states`)',
    confidence: 'certain',
  },
  'announced-close': {
    title: 'announces closed connections',
    meaning: 'a server announces with `Connection: close` that it closes a connection',
    confidence: 'certain',
  },
  'usable-connection': {
    title: 'connections stay usable',
    meaning: 'a connection can be used after a refused body',
    confidence: 'certain',
  },
  'invalid-refused': {
    title: 'refuses invalid requests',
    meaning: 'the server refuses invalid requests',
    confidence: 'certain',
    remedy: 'allow the value in the schema of the parameter or of the body',
  },
  'unparsable-refused': {
    title: 'refuses requests that cannot be parsed',
    meaning: 'the server refuses requests that cannot be parsed',
    confidence: 'certain',
  },
  'valid-accepted': {
    title: 'accepts valid requests',
    meaning: 'the server accepts valid requests',
    confidence: 'certain',
    remedy: 'describe the rule in the schema, such as `minLength: 1`, or document the status of the refusal',
  },
  'kind-accepted': {
    title: 'accepts valid requests with each kind of value',
    meaning: 'the server accepts valid requests with each kind of value',
    confidence: 'likely',
    remedy: 'describe the rule in the schema, or add `x-storefront: { refuses: true }` to the operation',
  },
  'some-accepted': {
    title: 'accepts some valid requests',
    meaning: 'the server accepts some valid requests',
    confidence: 'likely',
    remedy: 'add an example of an accepted request, or `x-storefront: { refuses: true }` to the operation',
  },
  method: {
    title: 'refuses undocumented methods',
    meaning: 'the server refuses undocumented methods',
    confidence: 'certain',
    remedy: 'add the method to the path',
  },
  allow: { title: '405 responses list the documented methods in `Allow`', confidence: 'certain' },
  link: {
    title: 'links lead to existing resources',
    confidence: 'certain',
    remedy: 'remove the link from the response',
  },
  'credentials-required': {
    title: 'requires credentials',
    meaning: 'the server requires the credentials of `security`',
    confidence: 'certain',
    remedy: 'add `security: []` to the operation',
  },
  'refusal-schema': {
    title: 'a 401 response is as documented',
    confidence: 'certain',
    remedy: 'describe the response with its media type and schema',
  },
  'created-readable': {
    title: 'created resources can be read',
    confidence: 'certain',
    remedy: 'document 202 instead of 201, if resources appear later',
  },
  'created-listed': {
    title: 'created resources are listed',
    confidence: 'likely',
    remedy: 'make the query parameters that select the entries required, or exclude the list with `--exclude`',
    impliedBy: NOT_STORED,
  },
  'stored-change': {
    title: 'changes are stored',
    confidence: 'certain',
    remedy: 'mark properties that the server sets as `readOnly`, or document 202, if changes appear later',
    impliedBy: NOT_STORED,
  },
  'stored-value': {
    title: 'sent values are stored',
    confidence: 'likely',
    remedy: 'mark properties that the server sets as `readOnly`, and properties that it hides as `writeOnly`',
    impliedBy: [...NOT_STORED, 'stored-change'],
  },
  'long-text': {
    title: 'long texts are stored',
    confidence: 'certain',
    remedy: 'set `maxLength` to the stored length',
    impliedBy: [...NOT_STORED, 'stored-change', 'stored-value'],
  },
  'text-letters': {
    title: 'letters of all languages are stored',
    confidence: 'certain',
    remedy: 'describe the allowed letters with `pattern`',
    impliedBy: [...NOT_STORED, 'stored-change', 'stored-value'],
  },
  'text-escapes': {
    title: 'texts are stored without escapes',
    confidence: 'likely',
    remedy: 'describe the allowed characters with `pattern`',
    impliedBy: [...NOT_STORED, 'stored-change', 'stored-value'],
  },
  location: {
    title: 'Location leads to the resource',
    confidence: 'certain',
    remedy: 'add the path of the header as an operation',
    impliedBy: NOT_STORED,
  },
  'unknown-id': {
    title: 'unknown ids are not found',
    confidence: 'certain',
    likelyIf: 'no operation creates or lists the resource of the id, or if each id can be read',
    remedy: 'remove the 404 response from the operation',
  },
  'nested-item': {
    title: 'resources are found only below their parent',
    confidence: 'likely',
    remedy: 'remove the 404 response from the operation, or the id of the parent from its path',
    impliedBy: ['unknown-id'],
  },
  'nested-list': {
    title: 'lists below a resource have only its entries',
    confidence: 'likely',
    remedy: 'remove the id of the parent from the path of the list',
  },
  'put-replaces': {
    title: 'PUT replaces the resource',
    confidence: 'likely',
    remedy: 'make the properties that clients must send required, or say "partial update" in the description',
    impliedBy: ['stored-change', 'stored-value'],
  },
  'patch-keeps': {
    title: 'PATCH keeps other properties',
    confidence: 'likely',
    certainIf: 'the body is a merge patch',
    remedy: 'mark properties that the server sets as `readOnly`',
    impliedBy: ['stored-change', 'stored-value'],
  },
  'other-resources': {
    title: 'changes affect only their resource',
    meaning: 'a change of a resource does not delete or change others',
    confidence: 'likely',
    remedy: 'exclude the operation with `--exclude`',
  },
  'creation-time': {
    title: 'changes keep the time of creation',
    confidence: 'likely',
    remedy: 'rename the property: its name is that of the time of creation',
  },
  'status-kept': {
    title: 'updates keep the status',
    meaning: 'an update without the status keeps the status that an action has set',
    confidence: 'likely',
    remedy: 'say in the description of the update that it changes the status',
    impliedBy: ['stored-change'],
  },
  'action-keeps': {
    title: 'actions keep texts',
    meaning: 'an action without a body keeps texts such as notes and descriptions',
    confidence: 'likely',
    remedy: 'name the property in the description of the action',
    impliedBy: ['stored-value'],
  },
  'action-effect': {
    title: 'actions have their effect',
    meaning: 'an action such as `archive` changes a flag with its name, such as `archived`',
    confidence: 'likely',
    remedy: 'say in the description of the action that it has its effect later, or document 202',
    impliedBy: ['stored-change'],
  },
  'action-undone': {
    title: 'actions take others back',
    meaning: 'an action such as `unarchive` removes the flag and the time that `archive` has set',
    confidence: 'likely',
    remedy: 'say in the description of the action that the property is kept',
    impliedBy: ['stored-change'],
  },
  'null-removes': {
    title: 'null removes values',
    confidence: 'likely',
    certainIf: 'the body is a merge patch',
    remedy: 'do not allow `null` in the schema of the property',
    impliedBy: ['stored-change', 'stored-value'],
  },
  'etag-changes': {
    title: 'the ETag changes with the resource',
    confidence: 'certain',
  },
  'not-modified': { title: 'only the current ETag gets 304', confidence: 'certain' },
  'if-match': {
    title: 'If-Match prevents changes of other versions',
    confidence: 'certain',
    remedy: 'remove the 412 response from the operation',
  },
  'if-match-required': {
    title: 'If-Match is required',
    confidence: 'certain',
    remedy: 'remove the 428 response from the operation',
  },
  'list-current': {
    title: 'lists show changes',
    confidence: 'likely',
    remedy: 'say in the description of the list how late it can be: "up to 5 seconds"',
    impliedBy: ['created-listed', 'stored-change'],
  },
  'page-size': {
    title: 'a page has at most as many entries as the limit',
    confidence: 'likely',
    remedy: 'rename the parameter: its name is that of a page size',
  },
  'page-selection': {
    title: 'pages have different entries',
    confidence: 'likely',
    remedy: 'rename the parameter: its name is that of a position, a page number or a cursor',
    impliedBy: ['page-size'],
  },
  'page-total': {
    title: 'the total counts the entries of all pages',
    confidence: 'likely',
    remedy: 'rename the property: its name is that of a total',
    impliedBy: ['page-size', 'page-selection'],
  },
  'filter-selects': {
    title: 'a filter selects entries',
    confidence: 'likely',
    remedy: 'rename the parameter: it has the name of a property of the entries',
  },
  'filter-finds': {
    title: 'a filter finds entries',
    confidence: 'likely',
    remedy: 'rename the parameter: it has the name of a property of the entries',
  },
  'list-sorted': { title: 'lists are sorted', confidence: 'likely', remedy: 'rename the value of the parameter' },
  'action-refused': {
    title: 'actions that contradict the status are refused',
    confidence: 'likely',
    certainIf: 'the description of the 409 response names the status',
    remedy: 'say in the description of the 409 response for which statuses the action is refused',
  },
  'create-unique': {
    title: 'refuses values that exist',
    meaning: 'the server refuses a new resource with a unique value that exists',
    confidence: 'certain',
    likelyIf: 'only the name of a property says that it is unique, such as the e-mail address of a user',
    remedy: 'remove the 409 response from the operation',
  },
  'unique-concurrent': {
    title: 'values stay unique in concurrent requests',
    confidence: 'certain',
    remedy: 'remove the 409 response from the operation',
  },
  'unique-update': {
    title: 'updates keep values unique',
    confidence: 'certain',
    remedy: 'remove the 409 response from the update',
  },
  'create-overwrites': {
    title: 'new resources do not overwrite others',
    confidence: 'certain',
    remedy: 'remove the 409 response from the operation',
  },
  'deleted-readable': {
    title: 'deleted resources cannot be read',
    confidence: 'certain',
    remedy: 'describe a property that marks deleted resources, such as `deletedAt`, or document 202',
    impliedBy: ['unknown-id'],
  },
  'deleted-listed': {
    title: 'deleted resources are not listed',
    confidence: 'likely',
    remedy: 'describe a property that marks deleted resources, such as `deletedAt`',
    impliedBy: ['deleted-readable'],
  },
  model: {
    title: 'the behaviour of the shop',
    meaning: 'the shop behaves as its model predicts (see [below](#what-is-checked))',
    confidence: 'certain',
  },
} as const satisfies Readonly<Record<string, RuleDescription>>;

export type RuleName = keyof typeof RULES;

/** Returns a rule of the table. */
export function getRule(name: RuleName): RuleDescription {
  return RULES[name];
}

/** Returns the rules from which a rule follows. */
export function getCauses(name: RuleName): readonly RuleName[] {
  return Object.keys(RULES).filter((one): one is RuleName => getRule(name).impliedBy?.includes(one) === true);
}

/** A violated rule of the contract. */
export interface Violation {
  /** The name of the rule in `RULES`. */
  readonly rule: RuleName;
  /** A text that identifies the violation, such as `body/price type`. Default: the title of the rule. */
  readonly title: string;
  /** A sentence about the actual and the expected behaviour. */
  readonly message: string;
  /** The place in the contract (JSON Pointer). */
  readonly pointer: string;
  /** The operation that caused the violation, if another one shows it. */
  readonly causedBy?: Route;
  /** The property of the resource that shows the violation. */
  readonly property?: string | undefined;
  /** Default: the confidence of the rule. */
  readonly confidence?: Confidence;
}

/** Creates a violation of a rule. The default of `title` is the title of the rule. */
export function createViolation(
  rule: RuleName,
  violation: Omit<Violation, 'rule' | 'title'> & Partial<Pick<Violation, 'title'>>,
): Violation {
  return { rule, title: RULES[rule].title, ...violation };
}

/** Returns how sure it is that a violation is a defect. */
export function getConfidence({ rule, confidence }: Pick<Violation, 'rule' | 'confidence'>): Confidence {
  return confidence ?? RULES[rule].confidence;
}
