export { RecordsProvider } from './data/records-context.js';
export { RecordList } from './list/record-list.js';
export { canRead, canWrite, customObject, type FieldModel, type ObjectModel, titleOf } from './objects/object-model.js';
export { standardObject } from './objects/standard-objects.js';
export { Pipeline } from './pipeline/pipeline.js';
export { RecordForm } from './record/record-form.js';
export { RecordPage } from './record/record-page.js';
export { TEXTS as RECORD_TEXTS } from './texts.js';
