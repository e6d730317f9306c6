export { mocked } from './application.ts';
export { type CheckConfig, type Config, defineConfig } from './config.ts';
export type { ApiContext, ApiHandler, ApiInput, ApiResponse, ShopApi } from './server/api-types.ts';
export { DomainError, type DomainErrorCode } from './server/api-types.ts';
export type { Options } from './server/options.ts';
export { createStorefront, type Storefront } from './server/storefront.ts';
export { version } from './server/version.ts';
export type * from './shop/api-types.ts';
export type {
  AnyHandler,
  AnyInput,
  AnyResponse,
  Change,
  ChangeResult,
  CustomHandlers,
  Handler,
  Shop,
} from './shop/operations/handler.ts';
export type { DeepReadonly, Input, OperationId, OperationResponse, RequestHeaders } from './shop/types.ts';
