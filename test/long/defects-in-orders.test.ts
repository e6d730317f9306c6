import { testThatCheckFinds } from '../support/oracles/find-defects.ts';
import { idDefects } from '../support/planted-defects/id-defects.ts';
import { listDefects } from '../support/planted-defects/list-defects.ts';
import { orderDefects } from '../support/planted-defects/order-defects.ts';
import { resetDefects } from '../support/planted-defects/reset-defects.ts';

testThatCheckFinds([...orderDefects, ...listDefects, ...resetDefects, ...idDefects]);
