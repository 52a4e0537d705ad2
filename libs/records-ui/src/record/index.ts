export { useRecord, useRecordPages, useRestore } from '../data/record.queries.js';
export { recordKey, TIMELINES } from '../data/record-cache.js';
export type { DraftValue } from '../objects/field-types.js';
export { ReferenceName, ValueText } from '../values/format-value.js';
export { faultOf, fieldValue, isSame, problemOf } from './draft.js';
export { FieldInput } from './field-input.js';
export { RecordForm, type Related } from './record-form.js';
export { RecordPage } from './record-page.js';
export { ReferencePicker } from './reference-picker.js';
