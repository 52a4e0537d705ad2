import { hasScope, type Principal, requireScope } from '@crm/access';
import { invalidValues, PlatformError, rolesAllow } from '@crm/contracts';
import { Database, IdempotencyService, type IdempotentCall, newId, type TenantTransaction } from '@crm/database';
import { type ExpectedVersions, requireMatch } from '@crm/http';
import { Injectable } from '@nestjs/common';
import { ObjectRepository } from '../object/object.repository.js';
import { isVisibleTo, requireAccess, scopeOf } from '../object/object-definition.js';
import { ObjectModelStore } from '../object/object-model.js';
import { recordNotFound } from '../reading/record.js';
import { RecordRepository } from '../reading/record.repository.js';
import { StorageLimit } from '../storage/storage-limit.service.js';
import type { ChangeNoteInput, NoteInput, NotePageView, NoteView, PageQuery } from './note.dto.js';
import { type Note, NoteRepository } from './note.repository.js';
import { pageOf, positionAfter } from './time-page.js';

const noteNotFound = () => new PlatformError('NOT_FOUND', 'Note not found');

/** Notes have the rights of their record; only who wrote one, or an administrator, changes it. */
@Injectable()
export class NoteService {
  constructor(
    private readonly database: Database,
    private readonly models: ObjectModelStore,
    private readonly objects: ObjectRepository,
    private readonly records: RecordRepository,
    private readonly notes: NoteRepository,
    private readonly idempotency: IdempotencyService,
    private readonly storage: StorageLimit,
  ) {}

  /** @throws NOT_FOUND, INVALID_QUERY */
  list(principal: Principal, apiName: string, recordId: string, query: PageQuery): Promise<NotePageView> {
    return this.models.read(principal, apiName, async (model, tx) => {
      await this.records.require(tx, model.object.id, recordId);
      const page = positionAfter({ tenantId: tx.tenantId, list: `notes ${recordId}` }, query);
      const notes = await this.notes.list(tx, model.object.id, recordId, page.after, page.limit);
      return pageOf(page, notes, (note) => shownNote(note, principal));
    });
  }

  /** @throws NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, IDEMPOTENCY_KEY_IN_USE, IDEMPOTENCY_KEY_REUSED */
  create(
    principal: Principal,
    apiName: string,
    recordId: string,
    { kind = 'note', text, at }: NoteInput,
    call: IdempotentCall | undefined,
  ): Promise<NoteView> {
    const prepare = async () => {
      await this.storage.know(principal.tenantId);
      return momentOf(at ?? new Date());
    };
    return this.models.decideWrite(principal, apiName, prepare, (model, moment) =>
      this.models.transaction(principal, model, async (tx) => {
        if (!(await this.records.hold(tx, model.object.id, recordId))) throw recordNotFound();
        if (model.planFor(principal.roles).writable.size === 0) {
          throw new PlatformError('FORBIDDEN', "Your role can't write records of this object");
        }
        const place = { objectId: model.object.id, recordId };
        const written = { authorId: principal.userId, changedBy: null, changedAt: null, version: 1 };
        const note: Note = { id: newId(), ...place, kind, text, at: moment, ...written };
        const insert = async () => {
          this.storage.assertWithinLimit(principal.tenantId, { records: 0, bytes: Buffer.byteLength(text) });
          await this.notes.insert(tx, note);
          return note;
        };
        const created = await this.idempotency.run(tx, call, insert, async (id) => {
          const earlier = await this.notes.find(tx, id);
          if (!earlier) throw noteNotFound();
          return earlier;
        });
        return shownNote(created, principal);
      }),
    );
  }

  /** @throws NOT_FOUND, FORBIDDEN, VERSION_MISMATCH, VALIDATION_FAILED */
  async change(
    principal: Principal,
    id: string,
    { at, ...changes }: ChangeNoteInput,
    expected: ExpectedVersions,
  ): Promise<NoteView> {
    await this.storage.know(principal.tenantId);
    return this.withNote(principal, id, expected, async (tx, before) => {
      const moment = at === undefined ? before.at : momentOf(at);
      const changed = { changedBy: principal.userId, changedAt: new Date(), version: before.version + 1 };
      const note = { ...before, ...changes, at: moment, ...changed };
      const bytes = Buffer.byteLength(note.text) - Buffer.byteLength(before.text);
      this.storage.assertWithinLimit(principal.tenantId, { records: 0, bytes });
      await this.notes.update(tx, note, before);
      return shownNote(note, principal);
    });
  }

  /** @throws NOT_FOUND, FORBIDDEN, VERSION_MISMATCH */
  delete(principal: Principal, id: string, expected: ExpectedVersions): Promise<void> {
    return this.withNote(principal, id, expected, (tx, note) => this.notes.delete(tx, note));
  }

  /** A note that the caller sees with its record, and may change. */
  private withNote<T>(
    principal: Principal,
    id: string,
    expected: ExpectedVersions,
    work: (tx: TenantTransaction, note: Note) => Promise<T>,
  ): Promise<T> {
    return this.database.transaction(principal, async (tx) => {
      await this.objects.holdDefinitions(tx);
      const note = await this.notes.lock(tx, id);
      if (!note) throw noteNotFound();
      const found = await this.models.findById(tx, note.objectId);
      const scope = scopeOf(note.objectId);
      if (!found?.isActive || !isVisibleTo(found.model.object, principal) || !hasScope(principal, scope, 'read')) {
        throw noteNotFound();
      }
      if (!(await this.records.find(tx, note.objectId, note.recordId))) throw noteNotFound();
      requireScope(principal, scope, 'write');
      requireAccess(found.model.object, principal, 'write');
      if (!isWritable(note, principal)) {
        throw new PlatformError('FORBIDDEN', 'Only the author or an admin can change a note');
      }
      requireMatch(expected, note.version);
      return work(tx, note);
    });
  }
}

/** Not embedded and not with a key: what an administrator lends does not speak for them. */
const isWritable = ({ authorId }: Note, { userId, kind, apiKeyId, roles }: Principal): boolean =>
  rolesAllow(roles, 'write') &&
  (authorId === userId || (kind === 'user' && apiKeyId === undefined && rolesAllow(roles, 'administer')));

export const shownNote = (note: Note, principal: Principal): NoteView => ({
  id: note.id,
  kind: note.kind,
  text: note.text,
  at: note.at.toISOString(),
  authorId: note.authorId,
  changedBy: note.changedBy,
  changedAt: note.changedAt?.toISOString() ?? null,
  version: note.version,
  writable: isWritable(note, principal),
});

/** Years that every offset leaves with four digits. @throws VALIDATION_FAILED */
function momentOf(at: string | Date): Date {
  const moment = new Date(at);
  if (moment.getUTCFullYear() >= 1900 && moment.getUTCFullYear() < 3000) return moment;
  throw invalidValues({ pointer: '/at', code: 'INVALID_VALUE', detail: 'Must be between the years 1900 and 2999' });
}
