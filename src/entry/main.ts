#!/usr/bin/env node
import { loadBundle } from './load-bundle.ts';

loadBundle('program.cjs');
