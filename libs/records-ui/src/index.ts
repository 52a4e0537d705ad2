export { useObjects } from './data/record.queries.js';
export { RecordsProvider, useRecords } from './data/records-context.js';
export type { ListState } from './list/list-state.js';
export { RecordList } from './list/record-list.js';
export { PlainTable } from './list/record-table.js';
export { VirtualTable } from './list/virtual-table.js';
export { type FieldModel, type ObjectModel, titleOf } from './objects/object-model.js';
export { TEXTS as RECORD_TEXTS } from './texts.js';
