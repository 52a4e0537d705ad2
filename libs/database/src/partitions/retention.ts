/**
 * Days that a table keeps the rows of a day when the configuration says nothing. Outbox: as long as the broker keeps events, so
 * that a lost stream can be filled again. Inbox: longer than both together, because an event may come again for as long.
 */
const DEFAULT_DAYS: ReadonlyMap<string, number> = new Map([
  ['outbox', 7],
  ['inbox', 15],
]);
const OTHERWISE_DAYS = 30;

export const defaultRetention = (table: string): number => DEFAULT_DAYS.get(table) ?? OTHERWISE_DAYS;

/** @param configured days by table */
export const retentionOf = (table: string, configured: Readonly<Record<string, number>> = {}): number =>
  configured[table] ?? defaultRetention(table);
