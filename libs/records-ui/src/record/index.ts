export { useRecordPages, useRestore } from '../data/record.queries.js';
export { recordKey } from '../data/record-cache.js';
export { ReferenceName } from '../values/format-value.js';
export { FieldInput } from './field-input.js';
export { RecordForm, type Related } from './record-form.js';
export { RecordPage } from './record-page.js';
