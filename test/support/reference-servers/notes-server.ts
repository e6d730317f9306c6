import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type Contract, loadContract } from '../../../src/openapi/contract.ts';
import { folderWith } from '../harness/folder-with.ts';
import { type ReceivedRequest, type Recorder, startRecorder } from './echo-server.ts';

/** A contract for tests that has nothing in common with the shop. Its operations create, read, list and delete notes. */
export const NOTES_CONTRACT = `openapi: 3.0.3
info: { title: Notes, version: "1" }
paths:
  /notes:
    get:
      operationId: listNotes
      responses:
        "200":
          description: All notes
          content: { application/json: { schema: { type: array, items: { $ref: "#/components/schemas/Note" } } } }
        4XX: { $ref: "#/components/responses/Problem" }
    post:
      operationId: addNote
      requestBody:
        required: true
        content:
          application/json:
            schema: { type: object, required: [text], properties: { text: { type: string, minLength: 1, maxLength: 20 } } }
      responses:
        "201":
          description: The note
          headers: { Location: { required: true, schema: { type: string } } }
          content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } }
          links:
            readIt: { operationId: readNote, parameters: { id: "$response.body#/id" } }
        4XX: { $ref: "#/components/responses/Problem" }
  /notes/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: string } }]
    get:
      operationId: readNote
      responses:
        "200":
          description: The note
          content: { application/json: { schema: { $ref: "#/components/schemas/Note" } } }
        4XX: { $ref: "#/components/responses/Problem" }
    delete:
      operationId: removeNote
      responses:
        "204": { description: The note is gone }
        4XX: { $ref: "#/components/responses/Problem" }
components:
  schemas:
    Note:
      type: object
      required: [id, text]
      additionalProperties: false
      properties: { id: { type: string }, text: { type: string } }
  responses:
    Problem:
      description: What is wrong
      content: { application/problem+json: { schema: { type: object, required: [detail], properties: { detail: { type: string } } } } }
`;

/** The defects that the server of `startNotesServer` can have. */
export interface NotesDefects {
  readonly removesNothing?: boolean;
  /** Responds with ids of notes that do not exist. */
  readonly answersOtherIds?: boolean;
  /** Responds with a text that contains the text of the note twice. */
  readonly repeatsText?: boolean;
  /** Rejects every request to delete a note with the documented status 403. */
  readonly forbidsDeletes?: boolean;
}

interface Notes {
  readonly held: Map<string, string>;
  readonly defects: NotesDefects;
  next: number;
}

/** Loads the contract of the notes for one test. */
export async function loadNotesContract(): Promise<Contract> {
  return loadContract({ path: join(await folderWith({ 'notes.yaml': NOTES_CONTRACT }), 'notes.yaml'), strict: false });
}

/** Starts a server for notes, and stops it when the test ends. `defects`: the defects of the server. Default: none. */
export async function startNotesServer(defects: NotesDefects = {}): Promise<Recorder> {
  const notes: Notes = { held: new Map([['first', 'A note']]), defects, next: 1 };
  return startRecorder((seen, response) => answer(notes, seen, response));
}

function answer(notes: Notes, { method, target, headers, body }: ReceivedRequest, response: ServerResponse): void {
  const [, collection, id, ...more] = (target.split('?')[0] ?? '').split('/');
  if (collection !== 'notes' || more.length > 0) refuse(response, 404, 'nothing is here');
  else if (method === 'POST' && body.length > 0 && !/^application\/json\b/.test(headers['content-type'] ?? ''))
    refuse(response, 415, 'send JSON');
  else operate(notes, id, method, body.toString(), response);
}

function operate(notes: Notes, id: string | undefined, method: string, body: string, response: ServerResponse): void {
  const own = id === undefined ? COLLECTION : ONE;
  const operation = own[method === 'HEAD' ? 'GET' : method];
  if (operation) operation({ notes, id: unescaped(id ?? ''), body, response });
  else refuse(response, 405, 'use another method', { allow: Object.keys(own).join(', ') });
}

interface Asked {
  readonly notes: Notes;
  /** The id of the note. Undefined if the path has no valid id. */
  readonly id: string | undefined;
  readonly body: string;
  readonly response: ServerResponse;
}

const COLLECTION: Readonly<Record<string, (asked: Asked) => void>> = {
  GET({ notes, response }) {
    give(
      response,
      200,
      [...notes.held].map(([id, text]) => ({ id, text })),
    );
  },
  POST({ notes, body, response }) {
    const { text } = (parsed(body) ?? {}) as { readonly text?: unknown };
    if (typeof text !== 'string' || text === '' || [...text].length > 20) {
      refuse(response, 400, 'text has to have 1 to 20 characters');
      return;
    }
    const id = `note-${notes.next++}`;
    notes.held.set(id, text);
    const told = notes.defects.answersOtherIds ? `${id}0` : id;
    give(response, 201, { id: told, text }, { location: `/notes/${id}` });
  },
};

const ONE: Readonly<Record<string, (asked: Asked) => void>> = {
  GET({ notes, id = '', response }) {
    const text = notes.held.get(id);
    if (text === undefined) refuse(response, 404, 'there is no such note');
    else if (notes.defects.repeatsText)
      giveText(response, 200, `{"id":${JSON.stringify(id)},"text":"","text":${JSON.stringify(text)}}`);
    else give(response, 200, { id, text });
  },
  DELETE({ notes, id = '', response }) {
    if (notes.defects.forbidsDeletes) {
      refuse(response, 403, 'you may not delete notes');
      return;
    }
    if (!notes.held.has(id)) {
      refuse(response, 404, 'there is no such note');
      return;
    }
    if (!notes.defects.removesNothing) notes.held.delete(id);
    response.writeHead(204).end();
  },
};

function give(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  giveText(response, status, JSON.stringify(body), headers);
}

function giveText(response: ServerResponse, status: number, json: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(json);
}

function refuse(response: ServerResponse, status: number, detail: string, headers: Record<string, string> = {}): void {
  response
    .writeHead(status, { 'content-type': 'application/problem+json', ...headers })
    .end(JSON.stringify({ detail }));
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function unescaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}
