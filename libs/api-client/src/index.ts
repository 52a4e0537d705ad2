export type {
  CallerView,
  CatalogueFieldView,
  CatalogueObjectView,
  NoteView,
  SavedViewView,
  TimelineEntryView,
  TimelineView,
  UserView,
} from '../dist/api.js';
export { BulkApi, type BulkOperation, type BulkResult } from './bulk-api.js';
export { type ApiCall, callApi, callApiForHeaders } from './call-api.js';
export { type ApiClient, type ClientOptions, createApiClient } from './client.js';
export { PeopleApi, type Person } from './people-api.js';
export { ApiProblem, type FieldProblem } from './problem/api-problem.js';
export { type ProblemWords, problemInWords } from './problem/problem-words.js';
export {
  type CrmRecord,
  deletionOf,
  expandedOf,
  type FieldValue,
  type LabelLanguage,
  type ObjectName,
  type RecordFields,
  type RecordPage,
  type RecordQuery,
  RecordsApi,
  STANDARD_OBJECTS,
  type StandardObjectName,
} from './records-api.js';
export { type EntryKind, type NoteKind, TimelineApi } from './timeline-api.js';
export type { TokenSource } from './token/token-source.js';
