import type { NoteInput, NoteView, TimelineEntryView, TimelineView } from '../dist/api.js';
import type { ApiClient } from './client.js';
import { listPath, type ObjectName } from './records-api.js';

export type NoteKind = NoteView['kind'];
export type EntryKind = TimelineEntryView['kind'];

/** What happened to a record, and notes on it. */
export class TimelineApi {
  constructor(private readonly client: ApiClient) {}

  /** @param kinds all of none */
  async list(
    object: ObjectName,
    id: string,
    kinds: readonly EntryKind[],
    cursor: string | null,
    signal?: AbortSignal,
  ): Promise<TimelineView> {
    const query = { ...(kinds.length > 0 && { kind: [...kinds] }), ...(cursor !== null && { cursor }) };
    const { data } = await this.client.GET(`${listPath(object)}/{id}/timeline`, {
      params: { path: { id }, query },
      signal,
    });
    return data as TimelineView;
  }

  /** @param key makes a repeated call create nothing more */
  async addNote(object: ObjectName, id: string, body: NoteInput, key: string): Promise<void> {
    const params = { path: { id }, header: { 'Idempotency-Key': key } };
    await this.client.POST(`${listPath(object)}/{id}/notes`, { params, body });
  }

  /** Any other version than the one that was seen is refused with `VERSION_MISMATCH`. */
  async changeNote({ id, version }: NoteView, text: string): Promise<void> {
    const header = { 'If-Match': `"${version}"` };
    await this.client.PATCH('/api/crm/notes/{id}', { params: { path: { id }, header }, body: { text } });
  }

  async deleteNote({ id, version }: NoteView): Promise<void> {
    const header = { 'If-Match': `"${version}"` };
    await this.client.DELETE('/api/crm/notes/{id}', { params: { path: { id }, header } });
  }
}
