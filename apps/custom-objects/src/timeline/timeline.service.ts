import { hasScope, type Principal } from '@crm/access';
import { CORE_OBJECTS } from '@crm/contracts';
import type { TenantTransaction } from '@crm/database';
import { slotValue } from '@crm/fields';
import { Injectable } from '@nestjs/common';
import type { StoredField } from '../object/object-definition.js';
import { type ObjectModel, ObjectModelStore } from '../object/object-model.js';
import { recordNotFound } from '../reading/record.js';
import type { PageQuery } from './note.dto.js';
import { NoteRepository } from './note.repository.js';
import { shownNote } from './note.service.js';
import { type HistoryEntry, RecordHistoryRepository } from './record-history.repository.js';
import { type RelatedTask, RelatedTaskRepository } from './related-task.repository.js';
import { changesAfter, idOfChange, pageOf, positionAfter, type TimePage } from './time-page.js';
import {
  ENTRY_KINDS,
  type EntryKind,
  type HistoryView,
  type TimelineQuery,
  type TimelineView,
} from './timeline.dto.js';

type Created = { readonly at: Date; readonly by: string | null };
type Entry = TimelineView['data'][number];

/** What is shown of an entry, and where it stands. */
interface TimelineItem {
  readonly at: Date;
  readonly id: string;
  readonly entry: Entry;
}

/** A page that is read of the timeline of a record. */
interface Reading {
  readonly principal: Principal;
  readonly model: ObjectModel;
  readonly tx: TenantTransaction;
  readonly id: string;
  readonly page: TimePage;
}

/** What happened to a record: who changed what, what was noted, what is to be done. */
@Injectable()
export class TimelineService {
  constructor(
    private readonly models: ObjectModelStore,
    private readonly changes: RecordHistoryRepository,
    private readonly notes: NoteRepository,
    private readonly tasks: RelatedTaskRepository,
  ) {}

  /** Changes of fields that the caller may read, and the creation. @throws NOT_FOUND, INVALID_QUERY */
  async history(principal: Principal, apiName: string, id: string, query: PageQuery): Promise<HistoryView> {
    const { data, nextCursor } = await this.timeline(principal, apiName, id, { ...query, kind: ['change', 'created'] });
    return {
      data: data.map(({ kind: _, version = 1, changes = {}, ...entry }) => ({ ...entry, version, changes })),
      nextCursor,
    };
  }

  /** @throws NOT_FOUND, INVALID_QUERY */
  timeline(
    principal: Principal,
    apiName: string,
    id: string,
    { kind, ...query }: TimelineQuery,
  ): Promise<TimelineView> {
    const kinds = kind ?? ENTRY_KINDS;
    return this.models.read(principal, apiName, async (model, tx) => {
      const list = { tenantId: tx.tenantId, list: `timeline ${id}`, filter: [...kinds].sort() };
      const page = positionAfter(list, query);
      const created = await this.changes.findCreation(tx, model.object.id, id);
      if (!created) throw recordNotFound();
      const reading = { principal, model, tx, id, page };
      const sources: Readonly<Record<EntryKind, () => Promise<TimelineItem[]>>> = {
        note: () => this.notesOf(reading),
        change: () => this.changesOf(reading),
        task: () => this.tasksOf(reading),
        created: async () => creationOf(created, page),
      };
      const found = await Promise.all([...new Set(kinds)].map((one) => sources[one]()));
      return pageOf(page, found.flat().sort(newestFirst), ({ entry }) => entry);
    });
  }

  private async notesOf({ principal, model, tx, id, page }: Reading) {
    const notes = await this.notes.list(tx, model.object.id, id, page.after, page.limit);
    return notes.map((note): TimelineItem => {
      const { at, authorId: by } = note;
      return { at, id: note.id, entry: { kind: 'note', at: at.toISOString(), by, note: shownNote(note, principal) } };
    });
  }

  private async changesOf({ principal, model, tx, id, page: { after, limit } }: Reading) {
    const { readable } = model.planFor(principal.roles);
    const fields = model.object.fields.filter(({ apiName, type }) => type !== 'formula' && readable.has(apiName));
    const position = { at: after.at, ...changesAfter(after.id) };
    const entries = await this.changes.list(tx, model.object.id, id, fields, position, limit);
    return entries.map((entry): TimelineItem => {
      return { at: entry.at, id: idOfChange(entry), entry: shownChange(entry, fields) };
    });
  }

  /** None for who may not read tasks, or to which records they relate. */
  private async tasksOf({ principal, tx, id, page: { after, limit } }: Reading) {
    const { scope, id: objectId } = CORE_OBJECTS.task;
    const found = hasScope(principal, scope, 'read') ? await this.models.findById(tx, objectId) : null;
    if (!found) return [];
    const { readable } = found.model.planFor(principal.roles);
    const relation = found.model.fieldsByName.get('relatedTo') as StoredField;
    if (!readable.has(relation.apiName)) return [];
    const related = { slot: relation.slot as string, value: slotValue(relation, id)?.value as string };
    const tasks = await this.tasks.list(tx, objectId, related, after, limit);
    return tasks.map((task): TimelineItem => {
      const textOf = (name: string): string | null =>
        readable.has(name) ? ((task.data[found.model.fieldsByName.get(name)?.key ?? -1] as string) ?? null) : null;
      return { at: task.at, id: task.id, entry: shownTask(task, textOf) };
    });
  }
}

const shownTask = ({ id, at, by }: RelatedTask, read: (name: string) => string | null): Entry => {
  const [title, status, dueAt] = [read('title'), read('status'), read('dueAt')];
  return { kind: 'task', at: at.toISOString(), by, task: { id, title, status, dueAt } };
};

function shownChange({ at, by, actor, app, version, data }: HistoryEntry, fields: readonly StoredField[]): Entry {
  const changed = fields.flatMap(({ key, apiName }) => {
    const change = data[key];
    return change ? [[apiName, { from: change[0], to: change[1] }] as const] : [];
  });
  const changes = Object.fromEntries(changed);
  return { kind: 'change', at: at.toISOString(), by, actor, ...(app !== null && { app }), version, changes };
}

/** The first version. */
function creationOf({ at, by }: Created, { after }: TimePage): TimelineItem[] {
  const id = idOfChange({ version: 1, isBesides: false });
  const moment = at.toISOString();
  const isAfter = after.at === 'infinity' || moment < after.at || (moment === after.at && id < after.id);
  return isAfter ? [{ at, id, entry: { kind: 'created', at: moment, by } }] : [];
}

const newestFirst = (one: TimelineItem, other: TimelineItem): number =>
  other.at.getTime() - one.at.getTime() || (one.id < other.id ? 1 : -1);
