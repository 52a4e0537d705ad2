import type { CoreObjectDefinition, CoreRecord } from '../core-object/core-object.js';

/** The form of instants in JSON: UTC, seconds always, a fraction only when it is not zero and without closing zeros. */
export function presentInstant(instant: Date): string {
  return instant.toISOString().replace(/\.(\d*?)0*Z$/, (_all, digits: string) => (digits ? `.${digits}Z` : 'Z'));
}

/** A row, selected by `selectList`, as the record of the wire. */
export function presentRow(definition: CoreObjectDefinition, row: Readonly<Record<string, unknown>>): CoreRecord {
  const fields = definition.fields.map(({ name }) => [name, presentValue(row[name])]);
  return {
    id: row.id as string,
    version: Number(row.version),
    createdAt: presentInstant(row.createdAt as Date),
    updatedAt: presentInstant(row.updatedAt as Date),
    ...Object.fromEntries(fields),
  };
}

const presentValue = (value: unknown): unknown => (value instanceof Date ? presentInstant(value) : (value ?? null));
