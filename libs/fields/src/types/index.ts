import { multiSelect, picklist, reference } from './choices.js';
import type { FieldType } from './field-type.js';
import { checkbox, date, datetime, formula, number } from './numbers.js';
import { email, phone, text, textarea, url } from './texts.js';

/** The catalogue of field types by name, in the order in which the documentation lists them. */
const TYPES = {
  text,
  textarea,
  number,
  /** A number; that it is money affects only how it is shown. */
  currency: number,
  /** A number as it is shown (50 for 50 %); it is not divided by 100. */
  percent: number,
  date,
  datetime,
  email,
  phone,
  url,
  picklist,
  multi_select: multiSelect,
  checkbox,
  reference,
  formula,
};

export type FieldTypeName = keyof typeof TYPES;

export const FIELD_TYPE_NAMES = Object.keys(TYPES) as FieldTypeName[];

export const fieldTypes: ReadonlyMap<string, FieldType> = new Map<string, FieldType>(Object.entries(TYPES));
