/** A request that dredd sends. */
export interface DreddRequest {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Empty or undefined if the request has no body. */
  readonly body?: string;
}

/** The output of the child process in which dredd runs. */
export interface DreddOutput {
  /** Warnings of dredd's parser and compiler. */
  readonly annotations: readonly { readonly message: string }[];
  readonly results: readonly DreddResult[];
  /** The reason why dredd stopped early. */
  readonly error?: string;
  /** The text that dredd printed. */
  readonly printed: string;
}

/** The result of a transaction: the test of one documented response. */
export interface DreddResult {
  readonly outcome: 'pass' | 'fail' | 'skip' | 'error';
  readonly test: {
    readonly message: string;
    /** The errors of each part of the response. */
    readonly results?: { readonly fields?: Readonly<Record<string, { readonly errors: readonly GavelError[] }>> };
    readonly origin: {
      /** The method and the path template, such as `GET /api/products`. The view for dredd has this text as the summary of the operation. */
      readonly actionName: string;
      /** The status and the content type of the documented response. */
      readonly exampleName: string;
      readonly isHooked?: boolean;
      readonly operationId?: string;
      /** The requests that were sent before the tested request. */
      readonly before?: readonly DreddRequest[];
    };
    readonly request?: { readonly method: string; readonly uri: string } & Omit<DreddRequest, 'path'>;
    readonly actual?: { readonly statusCode: number; readonly headers: Record<string, string>; readonly body?: string };
  };
}

/** An error of Gavel, the validator of dredd. Some messages lack the place in the body, which is in `location`. */
export interface GavelError {
  readonly message: string;
  readonly location?: { readonly pointer?: string };
}
