export { FieldInput } from './field-input.js';
export { RecordForm } from './record-form.js';
export { RecordPage } from './record-page.js';
