import type { FieldTypeName } from '../field-definition.js';
import { multiSelect, picklist, reference } from './choices.js';
import type { FieldType } from './field-type.js';
import { checkbox, currency, date, datetime, formula, number, percent } from './numbers.js';
import { email, phone, text, textarea, url } from './texts.js';

export const fieldTypes: ReadonlyMap<FieldTypeName, FieldType> = new Map(
  [
    text,
    textarea,
    number,
    currency,
    percent,
    date,
    datetime,
    email,
    phone,
    url,
    picklist,
    multiSelect,
    checkbox,
    reference,
    formula,
  ].map((type) => [type.name, type]),
);
