#!/usr/bin/env node
import module from 'node:module';
import { keepNewSpaceSmall } from './heap-growth.ts';

// The cache must be enabled before the program is loaded. Node 20 has no compile cache.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
keepNewSpaceSmall();
await import('./program.ts');
