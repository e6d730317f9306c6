import type { Api, Entry, Page, Schema } from './api.ts';

const TYPE = 'application/json';
const PROBLEM = 'application/problem+json';

const refer = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const content = (schema: Schema, type = TYPE) => ({ content: { [type]: { schema } } });
const problem = (description: string) => ({ description, ...content(refer('Problem'), PROBLEM) });
const COMMON = { '401': problem('The key is missing or wrong'), '400': problem('The request is invalid') };
const NOT_FOUND = { '404': problem('Not found') };
const CONFLICT = { '409': problem('The code exists') };
const RULES = { '422': problem('The end is before the start'), ...CONFLICT };
const header = (name: string, schema: Schema = { type: 'string' }) => ({ [name]: { schema } });
const respond = (name: string, headers: object = header('ETag')) => ({
  description: name,
  headers,
  ...content(refer(name)),
});
const created = (name: string) => respond(name, { ...header('ETag'), ...header('Location') });
const parameter = (name: string, place: string, schema: Schema, more: object = {}) => ({
  name,
  in: place,
  schema,
  ...more,
});
const id = (name: string) => parameter(name, 'path', { type: 'integer', minimum: 1 }, { required: true });
const PROJECT = [id('projectId')];
const TASK = [id('projectId'), id('taskId')];
const IF_MATCH = parameter('If-Match', 'header', { type: 'string' });
const OFFSET_PAGE = [
  parameter('limit', 'query', { type: 'integer', minimum: 1, maximum: 200 }),
  parameter('offset', 'query', { type: 'integer', minimum: 0 }),
];
const body = (name: string) => ({ requestBody: { required: true, ...content(refer(name)) } });
const list = (name: string) => ({
  description: 'A page',
  headers: header('X-Total-Count', { type: 'integer' }),
  ...content({ type: 'array', items: refer(name) }),
});

const TASK_VALUES: Record<string, Schema> = {
  title: { type: 'string', minLength: 1, maxLength: 150 },
  code: { type: 'string', minLength: 3, maxLength: 24 },
  start: { type: 'string', format: 'date' },
  end: { type: 'string', format: 'date' },
  amountCents: { type: 'integer', minimum: 0, maximum: 99_999_999 },
  kind: { type: 'string', enum: ['build', 'test', 'review', 'ship'] },
  workerId: { type: 'string', pattern: '^w-[0-9a-f]{4,8}$' },
  note: { type: ['string', 'null'], maxLength: 500 },
  priority: { type: 'string', enum: ['low', 'normal', 'high'] },
  urgent: { type: 'boolean' },
  lines: { type: 'array', maxItems: 4, items: refer('Line') },
};
const TASK_REQUIRED = ['title', 'code', 'start', 'end', 'amountCents', 'kind', 'workerId'];
const PROJECT_VALUES: Record<string, Schema> = {
  title: { type: 'string', minLength: 1, maxLength: 80 },
  note: { type: 'string', maxLength: 120 },
};
const STATUS = { type: 'string', enum: ['open', 'closed', 'cancelled'], readOnly: true };
const DELETED = { type: 'string', format: 'date-time', readOnly: true };
const OWN_ID = { type: 'integer', readOnly: true };

const schemas = {
  Line: {
    type: 'object',
    required: ['label'],
    properties: {
      label: { type: 'string', minLength: 1, maxLength: 40 },
      parts: { type: 'array', items: { type: 'string', minLength: 1, maxLength: 12 } },
    },
  },
  NewProject: { type: 'object', required: ['title'], properties: PROJECT_VALUES },
  Project: {
    type: 'object',
    required: ['id', 'title'],
    properties: { id: OWN_ID, deletedAt: DELETED, ...PROJECT_VALUES },
  },
  NewTask: { type: 'object', required: TASK_REQUIRED, properties: TASK_VALUES },
  TaskPatch: { type: 'object', minProperties: 1, properties: TASK_VALUES },
  Task: {
    type: 'object',
    required: ['id', 'status', ...TASK_REQUIRED],
    properties: { id: OWN_ID, status: STATUS, deletedAt: DELETED, ...TASK_VALUES },
  },
  Problem: {
    type: 'object',
    required: ['title', 'status'],
    properties: { title: { type: 'string' }, status: { type: 'integer' } },
  },
};

const TASKS = '/projects/{projectId}/tasks';

const paths = {
  '/projects': {
    get: { operationId: 'listProjects', parameters: OFFSET_PAGE, responses: { '200': list('Project'), ...COMMON } },
    post: {
      operationId: 'createProject',
      ...body('NewProject'),
      responses: { '201': created('Project'), ...COMMON, '422': problem('Invalid'), ...CONFLICT },
    },
  },
  '/projects/{projectId}': {
    get: {
      operationId: 'getProject',
      parameters: PROJECT,
      responses: { '200': respond('Project'), ...COMMON, ...NOT_FOUND },
    },
    put: {
      operationId: 'putProject',
      parameters: PROJECT,
      ...body('NewProject'),
      responses: {
        '200': respond('Project'),
        '201': respond('Project'),
        ...COMMON,
        ...NOT_FOUND,
        '422': problem('Invalid'),
      },
    },
    delete: {
      operationId: 'deleteProject',
      parameters: PROJECT,
      responses: { '204': { description: 'Deleted' }, ...COMMON, ...NOT_FOUND },
    },
  },
  [TASKS]: {
    get: {
      operationId: 'listTasks',
      parameters: [
        ...PROJECT,
        ...OFFSET_PAGE,
        parameter('kind', 'query', TASK_VALUES.kind as Schema),
        parameter('workerId', 'query', { type: 'string' }),
        parameter('title', 'query', { type: 'string' }),
      ],
      responses: { '200': list('Task'), ...COMMON, ...NOT_FOUND },
    },
    post: {
      operationId: 'createTask',
      parameters: PROJECT,
      ...body('NewTask'),
      responses: { '201': created('Task'), ...COMMON, ...NOT_FOUND, ...RULES },
    },
  },
  [`${TASKS}/{taskId}`]: {
    get: { operationId: 'getTask', parameters: TASK, responses: { '200': respond('Task'), ...COMMON, ...NOT_FOUND } },
    put: {
      operationId: 'putTask',
      parameters: TASK,
      ...body('NewTask'),
      responses: { '200': respond('Task'), '201': respond('Task'), ...COMMON, ...NOT_FOUND, ...RULES },
    },
    patch: {
      operationId: 'patchTask',
      parameters: [...TASK, IF_MATCH],
      ...body('TaskPatch'),
      responses: {
        '200': respond('Task'),
        ...COMMON,
        ...NOT_FOUND,
        ...RULES,
        '412': problem('Another version'),
        '428': problem('If-Match is missing'),
      },
    },
    delete: {
      operationId: 'deleteTask',
      parameters: TASK,
      responses: { '204': { description: 'Deleted' }, ...COMMON, ...NOT_FOUND },
    },
  },
  [`${TASKS}/{taskId}/finish`]: {
    post: {
      operationId: 'finishTask',
      parameters: TASK,
      responses: { '200': respond('Task'), ...COMMON, ...NOT_FOUND, '409': problem('The status does not allow this') },
    },
  },
  [`${TASKS}/{taskId}/revoke`]: {
    post: {
      operationId: 'revokeTask',
      parameters: TASK,
      responses: { '200': respond('Task'), ...COMMON, ...NOT_FOUND, '409': problem('The status does not allow this') },
    },
  },
};

const KEY = 'key-5f3a9c71e2d84b06';

/** An API with nested resources, bare lists, offsets, integer ids, an API key and problem documents. */
export const tasksApi: Api = {
  document: {
    openapi: '3.1.0',
    info: { title: 'Tasks', version: '1' },
    security: [{ key: [] }],
    paths,
    components: { schemas, securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'X-Api-Key' } } },
  },
  resources: [
    {
      path: '/projects',
      newId: (count) => count,
      filters: [],
      actions: {},
      needsVersion: () => false,
      created: {},
    },
    {
      path: TASKS,
      newId: (count) => count,
      unique: 'code',
      filters: ['kind', 'workerId', 'title'],
      actions: { finish: { to: 'closed', from: ['open'] }, revoke: { to: 'cancelled', from: ['open', 'closed'] } },
      needsVersion: (method) => method === 'PATCH',
      created: { status: 'open' },
    },
  ],
  target: TASKS,
  headers: { 'x-api-key': KEY },
  isAuthorized: (headers, isExact) => (isExact ? headers['x-api-key'] === KEY : headers['x-api-key'] !== undefined),
  readPage: (query) => ({ start: Number(query.get('offset') ?? 0), size: Number(query.get('limit') ?? 50) }),
  writeEntry: (entry: Entry) => ({ type: TYPE, json: entry }),
  writePage: ({ entries, total }: Page) => ({
    type: TYPE,
    json: entries,
    headers: { 'x-total-count': String(total) },
  }),
  writeError: (status, title) => ({ type: PROBLEM, json: { title, status } }),
};
