export type {
  CallerView,
  CatalogueFieldView,
  CatalogueObjectView,
  LinkRequestView,
  NoteView,
  SavedViewView,
  SignInView,
  TimelineEntryView,
  UserView,
} from '../dist/api.js';
export { BulkApi, type BulkOperation, type BulkResult } from './bulk-api.js';
export { type ApiClient, createApiClient, type TokenSource } from './client.js';
export { PeopleApi, type Person } from './people-api.js';
export { ApiProblem, type FieldProblem, noAnswer, problemOf } from './problem/api-problem.js';
export { problemInWords } from './problem/problem-words.js';
export {
  type CrmRecord,
  deletionOf,
  expandedOf,
  type FieldValue,
  type LabelLanguage,
  type ObjectName,
  objectNameOf,
  type RecordFields,
  type RecordPage,
  type RecordQuery,
  RecordsApi,
  type StandardObjectName,
} from './records-api.js';
export { type EntryKind, type NoteKind, TimelineApi } from './timeline-api.js';
