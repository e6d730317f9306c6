import type { Document, Operation } from './document.ts';
import { type DocumentRequest, type Reply, sendRequest } from './request.ts';
import { validateResponse } from './response.ts';
import type { Validate } from './validator.ts';

/** Something that is wrong with a response, whatever its life cycle. */
export interface Finding {
  readonly kind: 'server error' | 'invalid response' | 'no response';
  readonly operation: string;
  readonly text: string;
}

/** A response with the issues of its validation. */
export interface CheckedReply extends Reply {
  readonly isDocumented: boolean;
  readonly issues: readonly string[];
}

/** Sends requests of one document to one server, and records what is wrong with the responses. */
export class DocumentClient {
  readonly document: Document;
  readonly validate: Validate;
  readonly findings: Finding[] = [];
  /** The operations that were called. */
  readonly called = new Set<Operation>();
  readonly #origin: string;
  #number = 0;

  constructor(document: Document, validate: Validate, origin: string) {
    this.document = document;
    this.validate = validate;
    this.#origin = origin;
  }

  /** Returns a number that no other body has. */
  nextNumber(): number {
    this.#number += 1;
    return this.#number;
  }

  async send(request: DocumentRequest): Promise<CheckedReply> {
    this.called.add(request.operation);
    const reply = await sendRequest(this.document, this.#origin, request).catch((error: Error) =>
      this.#replyWithout(request, error),
    );
    const checked = validateResponse(this.document, this.validate, request.operation, reply);
    if (reply.status >= 500) this.#record('server error', request.operation, `${reply.status} ${reply.text}`);
    else if (checked.issues.length > 0 && reply.status !== 0)
      this.#record('invalid response', request.operation, `${reply.status}: ${checked.issues.join('; ')}`);
    return { ...reply, ...checked };
  }

  #replyWithout({ operation }: DocumentRequest, error: Error): Reply {
    const text = `${error.message} ${(error.cause as Error | undefined)?.message ?? ''}`.trim();
    this.#record('no response', operation, text);
    return { status: 0, headers: new Headers(), text, body: undefined };
  }

  #record(kind: Finding['kind'], { method, path }: Operation, text: string): void {
    this.findings.push({ kind, operation: `${method} ${path}`, text: text.slice(0, 600) });
  }
}
