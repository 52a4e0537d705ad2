export { RecordForm, type Related } from './record-form.js';
export { RecordPage } from './record-page.js';
