import { testThatCheckFinds } from '../support/oracles/find-defects.ts';
import { cartDefects } from '../support/planted-defects/cart-defects.ts';
import { moneyDefects } from '../support/planted-defects/money-defects.ts';

testThatCheckFinds([...cartDefects, ...moneyDefects]);
