import { testThatCheckFinds } from '../support/oracles/find-defects.ts';
import { catalogueDefects } from '../support/planted-defects/catalogue-defects.ts';
import { searchDefects } from '../support/planted-defects/search-defects.ts';
import { searchTermDefects } from '../support/planted-defects/search-term-defects.ts';

testThatCheckFinds([...searchDefects, ...searchTermDefects, ...catalogueDefects]);
