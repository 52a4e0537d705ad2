import type { FieldTypeName } from '../field-definition.js';
import { checkbox } from './checkbox.js';
import { currency } from './currency.js';
import { date } from './date.js';
import { datetime } from './datetime.js';
import { email } from './email.js';
import type { FieldType } from './field-type.js';
import { formula } from './formula.js';
import { multiSelect } from './multi-select.js';
import { number } from './number.js';
import { percent } from './percent.js';
import { phone } from './phone.js';
import { picklist } from './picklist.js';
import { reference } from './reference.js';
import { text } from './text.js';
import { textarea } from './textarea.js';
import { url } from './url.js';

/** The field types by name, in the order of FIELD_TYPE_NAMES. */
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
