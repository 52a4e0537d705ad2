import { BooleanField, DateTimeField, EnumField, IdField, IntegerField, ListField, TextField } from '@crm/http';
import { NOTE_KINDS, type NoteKind } from './note.repository.js';

const TEXT = { maxLength: 10_000, description: 'Markdown', example: 'Wants **50 seats** by May' } as const;
const AT = { description: 'When it happened' } as const;

export class NoteInput {
  @EnumField(NOTE_KINDS, { optional: true, description: '`note` by default' }) kind?: NoteKind;
  @TextField(TEXT) text: string;
  @DateTimeField({ ...AT, description: 'When it happened; now by default', optional: true }) at?: string;
}

export class ChangeNoteInput {
  @EnumField(NOTE_KINDS, { optional: true }) kind?: NoteKind;
  @TextField({ ...TEXT, optional: true, minLength: 1 }) text?: string;
  @DateTimeField({ ...AT, optional: true }) at?: string;
}

export class NoteView {
  @IdField() id: string;
  @EnumField(NOTE_KINDS) kind: NoteKind;
  @TextField(TEXT) text: string;
  @DateTimeField(AT) at: string;
  @IdField({ description: 'Who wrote it' }) authorId: string;
  @IdField({ nullable: true, description: 'Who changed it last; null if it never changed' }) changedBy: string | null;
  @DateTimeField({ nullable: true, description: 'When it was last changed' }) changedAt: string | null;
  @IntegerField({ minimum: 1, description: 'Increases with every change; for `If-Match`' }) version: number;
  @BooleanField({ description: 'Whether the caller can change and delete it' }) writable: boolean;
}

export class PageQuery {
  @IntegerField({ optional: true, minimum: 1, maximum: 100, description: 'Entries per page; 25 by default' })
  size?: number;

  @TextField({ optional: true, minLength: 1, maxLength: 1000, description: '`nextCursor` of the previous page' })
  cursor?: string;
}

const CURSOR = {
  maxLength: 1000,
  nullable: true,
  description: 'Cursor of the next page; null on the last page',
} as const;

export class NotePageView {
  @ListField(() => NoteView, { maxItems: 100, description: 'Newest first' }) data: NoteView[];
  @TextField(CURSOR) nextCursor: string | null;
}
