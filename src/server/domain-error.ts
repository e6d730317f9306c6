import * as application from '../application.ts';
import type { problems } from '../resources/problems.ts';
import type { DomainErrorCode as ShopErrorCode } from '../shop/domain/domain-error.ts';

/** The codes of the problems that a handler can report: those of the shop, and those of the resources of any other contract. */
export type DomainErrorCode = ShopErrorCode | keyof typeof problems;

/** The error that a handler throws if a business rule declines a request. The code must be one of the application that serves the contract. */
export const DomainError: typeof application.DomainError<DomainErrorCode> = application.DomainError;
export type DomainError = application.DomainError<DomainErrorCode>;
