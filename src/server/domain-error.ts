import * as application from '../application.ts';
import type { problems } from '../resources/problems.ts';
import type { DomainErrorCode as ShopErrorCode } from '../shop/domain/domain-error.ts';

/** The codes of the problems that a handler can report: the codes of the shop, and the codes for any other contract. */
export type DomainErrorCode = ShopErrorCode | keyof typeof problems;

/**
 * The error that a handler throws if a business rule declines a request.
 * Its code must be the code of a problem that the application defines.
 */
export const DomainError: typeof application.DomainError<DomainErrorCode> = application.DomainError;
export type DomainError = application.DomainError<DomainErrorCode>;
