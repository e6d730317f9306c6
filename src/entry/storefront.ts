import type * as library from '../index.ts';
import { loadBundle } from './load-bundle.ts';

export const { createStorefront, DomainError, mocked, version } = loadBundle('library.cjs') as typeof library;
