import type { FieldType } from './field-type.js';
import { number } from './number.js';

/** A number; that it is money affects only how it is shown. */
export const currency: FieldType = { ...number, name: 'currency' };
