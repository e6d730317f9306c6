import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { createStorefront } from '../../../src/index.ts';
import { folderWith } from '../harness/folder-with.ts';

/** A contract for tests. Its operations create, read, replace, update and delete tasks. Titles are unique, and the server removes spaces around them. */
export const TASKS_CONTRACT = `openapi: 3.0.3
info: { title: Tasks, version: "1" }
paths:
  /tasks:
    post:
      operationId: addTask
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewTask" } } } }
      responses: { "201": { $ref: "#/components/responses/Task" }, 4XX: { $ref: "#/components/responses/Problem" } }
  /tasks/{taskId}:
    parameters: [{ name: taskId, in: path, required: true, schema: { type: string, format: uuid } }]
    get: { operationId: getTask, responses: { "200": { $ref: "#/components/responses/Task" }, 4XX: { $ref: "#/components/responses/Problem" } } }
    put:
      operationId: replaceTask
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/NewTask" } } } }
      responses: { "200": { $ref: "#/components/responses/Task" }, 4XX: { $ref: "#/components/responses/Problem" } }
    patch:
      operationId: updateTask
      requestBody: { required: true, content: { application/json: { schema: { $ref: "#/components/schemas/TaskUpdate" } } } }
      responses: { "200": { $ref: "#/components/responses/Task" }, 4XX: { $ref: "#/components/responses/Problem" } }
    delete: { operationId: removeTask, responses: { "204": { description: Removed }, 4XX: { $ref: "#/components/responses/Problem" } } }
components:
  schemas:
    Priority: { type: string, enum: [low, normal, high, critical] }
    Title: { type: string, minLength: 1, pattern: "\\\\S" }
    NewTask:
      type: object
      required: [title, priority]
      properties: { title: { $ref: "#/components/schemas/Title" }, priority: { $ref: "#/components/schemas/Priority" } }
    TaskUpdate:
      type: object
      properties: { title: { $ref: "#/components/schemas/Title" }, priority: { $ref: "#/components/schemas/Priority" } }
    Task:
      type: object
      required: [id, title, priority, number]
      properties:
        id: { type: string }
        title: { type: string }
        priority: { $ref: "#/components/schemas/Priority" }
        number: { type: integer }
        reads: { type: integer }
  responses:
    Task: { description: A task, content: { application/json: { schema: { $ref: "#/components/schemas/Task" } } } }
    Problem: { description: An error, content: { application/problem+json: { schema: { type: object, required: [detail] } } } }
`;

/** The defects that the server of `startTasksServer` can have. */
export type TasksDefect =
  | 'POST stores another title than it returns'
  | 'PUT returns the new task and does not store it'
  | 'PUT stores nothing and returns the old task'
  | 'PATCH returns the new task and does not store it'
  | 'GET returns the number of a critical task as text'
  | 'PUT fails for a task that does not exist';

interface Task {
  readonly title: string;
  readonly priority: string;
}

interface StoredTask extends Task {
  readonly id: string;
  readonly number: number;
  readonly reads: number;
}

interface Input {
  readonly path: { readonly taskId: string };
  readonly body: Task;
}

/** Starts a server for tasks, and stops it when the test ends. `defect`: a defect of the server. Default: none. Returns the URL of the server. */
export async function startTasksServer(defect?: TasksDefect): Promise<string> {
  const contract = join(await folderWith({ 'tasks.yaml': TASKS_CONTRACT }), 'tasks.yaml');
  const handlers = createHandlers(defect);
  const server = await createStorefront({ contract, handlers, verify: 'off', durability: 'memory' });
  onTestFinished(() => server.close());
  return server.url;
}

function createProblem(status: number, detail: string) {
  return { status, headers: { 'Content-Type': 'application/problem+json' }, body: { detail } };
}

function createHandlers(defect: TasksDefect | undefined) {
  const tasks = new Map<string, StoredTask>();
  let count = 0;
  const isTaken = (title: string | undefined, id?: string) =>
    [...tasks.values()].some((task) => task.title === title && task.id !== id);

  function change({ path, body }: Input, isStored: boolean, returnsOld = false) {
    const old = tasks.get(path.taskId);
    if (!old) return createProblem(404, 'It does not exist.');
    if (isTaken(body.title?.trim(), old.id)) return createProblem(409, 'The title is taken.');
    const task = { ...old, ...body, title: body.title?.trim() ?? old.title };
    if (isStored) tasks.set(task.id, task);
    return { body: returnsOld ? old : task };
  }

  return {
    addTask({ body }: Input) {
      const title = body.title.trim();
      if (isTaken(title)) return createProblem(409, 'The title is taken.');
      const task = { id: crypto.randomUUID(), ...body, title, number: ++count, reads: 0 };
      const isWrong = defect === 'POST stores another title than it returns';
      tasks.set(task.id, isWrong ? { ...task, title: `${title}!` } : task);
      return { status: 201, body: task };
    },
    getTask({ path }: Input) {
      const task = tasks.get(path.taskId);
      if (!task) return createProblem(404, 'It does not exist.');
      const read = { ...task, reads: task.reads + 1 };
      tasks.set(task.id, read);
      const isWrong = defect === 'GET returns the number of a critical task as text' && task.priority === 'critical';
      return { body: isWrong ? { ...read, number: String(read.number) } : read };
    },
    replaceTask(input: Input) {
      if (defect === 'PUT fails for a task that does not exist' && !tasks.has(input.path.taskId))
        return createProblem(500, 'It does not exist.');
      const isOld = defect === 'PUT stores nothing and returns the old task';
      return change(input, !isOld && defect !== 'PUT returns the new task and does not store it', isOld);
    },
    updateTask: (input: Input) => change(input, defect !== 'PATCH returns the new task and does not store it'),
    removeTask: ({ path }: Input) => (tasks.delete(path.taskId) ? {} : createProblem(404, 'It does not exist.')),
  };
}
