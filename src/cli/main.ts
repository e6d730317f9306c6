#!/usr/bin/env node
import module from 'node:module';

// The cache must be enabled before the program is loaded. Node 20 has no compile cache.
(module as { enableCompileCache?(): void }).enableCompileCache?.();
await import('./program.ts');
