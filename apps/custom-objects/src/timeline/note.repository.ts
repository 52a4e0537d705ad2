import type { TenantTransaction } from '@crm/database';
import { Injectable } from '@nestjs/common';
import { StorageUseRepository } from '../storage/storage-use.repository.js';

export const NOTE_KINDS = ['note', 'call', 'meeting', 'email'] as const;
export type NoteKind = (typeof NOTE_KINDS)[number];

/** What someone notes about a record. */
export interface Note {
  readonly id: string;
  readonly objectId: string;
  readonly recordId: string;
  readonly kind: NoteKind;
  /** Markdown. */
  readonly text: string;
  /** When it happened. */
  readonly at: Date;
  readonly authorId: string;
  /** Who changed it last, and when; null when nobody did. */
  readonly changedBy: string | null;
  readonly changedAt: Date | null;
  readonly version: number;
}

/** The end of the page before. */
export interface TimePosition {
  readonly at: string;
  readonly id: string;
}

const COLUMNS = `id, object_id AS "objectId", record_id AS "recordId", kind, text, at, author_id AS "authorId",
  changed_by AS "changedBy", changed_at AS "changedAt", version`;

/** Newest first. $1: tenant, $2: object, $3: record, $4 and $5: time and id of the note after which the page begins, $6: limit. */
export const LIST_NOTES = `
  SELECT ${COLUMNS} FROM record_note
   WHERE tenant_id = $1 AND object_id = $2 AND record_id = $3 AND (at, id) < ($4::timestamptz, $5::uuid)
   ORDER BY at DESC, id DESC LIMIT $6`;

/** $1: tenant, $2: note. */
export const FIND_NOTE = `SELECT ${COLUMNS} FROM record_note WHERE tenant_id = $1 AND id = $2`;

/** Until the transaction ends nobody else changes it. $1: tenant, $2: note. */
export const LOCK_NOTE = `${FIND_NOTE} FOR UPDATE`;

/** $1: tenant, $2 to $9: as {@link Note}, unchanged. */
export const INSERT_NOTE = `
  INSERT INTO record_note (tenant_id, id, object_id, record_id, kind, text, at, author_id, version)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;

/** $1: tenant, $2: note, $3: kind, $4: text, $5: time, $6: version, $7 and $8: by whom and when it is changed. */
export const UPDATE_NOTE = `
  UPDATE record_note SET kind = $3, text = $4, at = $5, version = $6, changed_by = $7, changed_at = $8
   WHERE tenant_id = $1 AND id = $2`;

/** $1: tenant, $2: note. */
export const DELETE_NOTE = 'DELETE FROM record_note WHERE tenant_id = $1 AND id = $2';

/** $1: tenant, $2: object, $3 and $4: the record that they leave and the one that they follow. */
export const MOVE_NOTES = `
  UPDATE record_note SET record_id = $4 WHERE tenant_id = $1 AND object_id = $2 AND record_id = $3`;

const bytesOf = ({ text }: Pick<Note, 'text'>): number => Buffer.byteLength(text);

@Injectable()
export class NoteRepository {
  constructor(private readonly storage: StorageUseRepository) {}

  list(tx: TenantTransaction, objectId: string, recordId: string, after: TimePosition, limit: number): Promise<Note[]> {
    return tx.queryPrepared<Note>(LIST_NOTES, [tx.tenantId, objectId, recordId, after.at, after.id, limit]);
  }

  /** @returns null when there is none */
  async find(tx: TenantTransaction, id: string): Promise<Note | null> {
    const [note] = await tx.queryPrepared<Note>(FIND_NOTE, [tx.tenantId, id]);
    return note ?? null;
  }

  async lock(tx: TenantTransaction, id: string): Promise<Note | null> {
    const [note] = await tx.queryPrepared<Note>(LOCK_NOTE, [tx.tenantId, id]);
    return note ?? null;
  }

  async insert(tx: TenantTransaction, note: Note): Promise<void> {
    const { id, objectId, recordId, kind, text, at, authorId, version } = note;
    this.storage.count(tx, objectId, { records: 0, bytes: bytesOf(note) });
    await tx.queryPrepared(INSERT_NOTE, [tx.tenantId, id, objectId, recordId, kind, text, at, authorId, version]);
  }

  /** @param before as {@link lock} has returned it */
  async update(tx: TenantTransaction, note: Note, before: Note): Promise<void> {
    const { id, objectId, kind, text, at, version, changedBy, changedAt } = note;
    this.storage.count(tx, objectId, { records: 0, bytes: bytesOf(note) - bytesOf(before) });
    await tx.queryPrepared(UPDATE_NOTE, [tx.tenantId, id, kind, text, at, version, changedBy, changedAt]);
  }

  /** @param note as {@link lock} has returned it */
  async delete(tx: TenantTransaction, note: Note): Promise<void> {
    const { id, objectId } = note;
    this.storage.count(tx, objectId, { records: 0, bytes: -bytesOf(note) });
    await tx.queryPrepared(DELETE_NOTE, [tx.tenantId, id]);
  }

  /** Gives the loser's notes to the winner of a merge. */
  async move(tx: TenantTransaction, objectId: string, fromId: string, toId: string): Promise<void> {
    await tx.queryPrepared(MOVE_NOTES, [tx.tenantId, objectId, fromId, toId]);
  }
}
