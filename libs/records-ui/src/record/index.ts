export { useRecord } from '../data/record.queries.js';
export type { DraftValue } from '../objects/field-types.js';
export { ValueText } from '../values/format-value.js';
export { faultOf, fieldValue, isSame, problemOf } from './draft.js';
export { FieldInput } from './field-input.js';
export { RecordForm } from './record-form.js';
export { RecordPage } from './record-page.js';
export { ReferencePicker } from './reference-picker.js';
