import type { FieldType } from './field-type.js';
import { number } from './number.js';

/** A number as it is shown (50 for 50 %); it is not divided by 100. */
export const percent: FieldType = { ...number, name: 'percent' };
