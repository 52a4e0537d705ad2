import {
  DateTimeField,
  EnumField,
  field,
  IdField,
  IntegerField,
  JsonField,
  ListField,
  ObjectField,
  TextField,
} from '@crm/http';
import { NoteView, PageQuery } from './note.dto.js';
import { ACTORS } from './record-history.repository.js';

export const ENTRY_KINDS = ['note', 'change', 'task', 'created'] as const;
export type EntryKind = (typeof ENTRY_KINDS)[number];

const CHANGES = {
  description: 'Old and new values of the changed fields that the caller can read',
  example: { status: { from: 'new', to: 'qualified' } },
} as const;
const ACTOR = { description: 'The kind of actor in `by`. A workflow run acts for its author or an app' } as const;
const APP = { maxLength: 200, description: 'Key of the app that acted, for itself or for the user' } as const;
const CURSOR = {
  maxLength: 1000,
  nullable: true,
  description: 'Cursor of the next page; null on the last page',
} as const;
const BY = {
  nullable: true,
  description: 'The user, service account, or installation; null if unknown',
} as const;

export class HistoryEntryView {
  @DateTimeField() at: string;
  @IdField(BY) by: string | null;
  @EnumField(ACTORS, { ...ACTOR, optional: true }) actor?: string;
  @TextField({ ...APP, optional: true }) app?: string;
  @IntegerField({ minimum: 1, description: "The record's version after the change; 1 is the creation" })
  version: number;
  @JsonField(CHANGES) changes: Record<string, { from: unknown; to: unknown }>;
}

export class HistoryView {
  @ListField(() => HistoryEntryView, { maxItems: 100, description: 'Newest first; the creation comes last' })
  data: HistoryEntryView[];
  @TextField(CURSOR) nextCursor: string | null;
}

export class TimelineQuery extends PageQuery {
  @ListField(field.enum(ENTRY_KINDS), {
    optional: true,
    maxItems: 4,
    description: 'What to list; everything by default',
  })
  kind?: EntryKind[];
}

export class TaskOfTimelineView {
  @IdField() id: string;
  @TextField({ maxLength: 200, nullable: true }) title: string | null;
  @TextField({ maxLength: 40, nullable: true, example: 'open' }) status: string | null;
  @DateTimeField({ nullable: true }) dueAt: string | null;
}

export class TimelineEntryView {
  @EnumField(ENTRY_KINDS) kind: EntryKind;
  @DateTimeField() at: string;
  @IdField(BY) by: string | null;
  @EnumField(ACTORS, { ...ACTOR, optional: true }) actor?: string;
  @TextField({ ...APP, optional: true }) app?: string;
  @IntegerField({ minimum: 1, optional: true, description: 'For a change' }) version?: number;
  @JsonField({ ...CHANGES, optional: true }) changes?: HistoryEntryView['changes'];
  @ObjectField(() => NoteView, { optional: true }) note?: NoteView;
  @ObjectField(() => TaskOfTimelineView, { optional: true, description: 'For a task related to the record' })
  task?: TaskOfTimelineView;
}

export class TimelineView {
  @ListField(() => TimelineEntryView, { maxItems: 100, description: 'Newest first' }) data: TimelineEntryView[];
  @TextField(CURSOR) nextCursor: string | null;
}
