import * as application from '../application.ts';
import type { problems } from '../resources/problems.ts';
import type { DomainErrorCode as ShopErrorCode } from '../shop/domain/domain-error.ts';

/** The codes of the problems that a handler can report: the codes of the shop, and the codes of the application that serves any other contract. */
export type DomainErrorCode = ShopErrorCode | keyof typeof problems;

/**
 * The error that a handler throws if a business rule declines a request. The application that serves the contract must have a problem with the code of the
 * error.
 */
export const DomainError: typeof application.DomainError<DomainErrorCode> = application.DomainError;
export type DomainError = application.DomainError<DomainErrorCode>;
