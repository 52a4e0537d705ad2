import { PlatformError } from '@crm/contracts';
import { fieldTypes, slotValue, UNSET_SLOTS } from '@crm/fields';
import type { StoredField } from '../object/object-definition.js';
import type { ObjectModel } from '../object/object-model.js';

/** A stored record. `data` has canonical values by the fields' keys; formulas are never stored. */
export interface StoredRecord {
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** The API's text: no Date is made of a time that nothing calculates with. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** A record as it was read or is written: its data is JSON, which is parsed when something looks at a value, unless it was given. */
export class RecordText implements StoredRecord {
  #data: StoredRecord['data'] | undefined;
  readonly #text: string;

  constructor(
    readonly id: string,
    readonly version: number,
    readonly createdAt: string,
    readonly updatedAt: string,
    text: string,
    data?: StoredRecord['data'],
  ) {
    this.#text = text;
    this.#data = data;
  }

  get data(): StoredRecord['data'] {
    this.#data ??= JSON.parse(this.#text) as StoredRecord['data'];
    return this.#data;
  }

  /** The JSON of the data. */
  get text(): string {
    return this.#text;
  }
}

/** The JSON of the data. */
export const textOf = (record: StoredRecord): string =>
  record instanceof RecordText ? record.text : JSON.stringify(record.data);

/** The later of two API times. */
export const laterTime = (one: string, other: string): string => (one > other ? one : other);

export const recordNotFound = () => new PlatformError('NOT_FOUND', 'Record not found');

/** Canonical values by API name, as formulas and validation see them. */
export type FieldValues = Readonly<Record<string, unknown>>;

/** Turns stored data, keyed by the fields' keys, into values by API name; a field that was never set is null. */
export function valuesOf(model: ObjectModel, data: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  for (const field of model.object.fields) {
    if (field.type !== 'formula') values[field.apiName] = data[field.key] ?? null;
  }
  return values;
}

/** Turns values by API name into stored data; unset fields take no space. */
export function dataOf(model: ObjectModel, values: FieldValues): Record<string, unknown> {
  const data: Record<string, unknown> = {};
  for (const field of model.object.fields) {
    const value = Object.hasOwn(values, field.apiName) ? values[field.apiName] : null;
    if (field.type !== 'formula' && value !== null) data[field.key] = value;
  }
  return data;
}

/**
 * The value of a slot column, also of a filter by it. A time as text: the driver would write a Date in the zone of the process, without
 * the seconds that offsets had until 1893.
 */
export const slotText = (value: string | number | Date): string | number =>
  value instanceof Date ? value.toISOString() : value;

/** What the slot of a field has in a record without a value. */
export const unsetSlotOf = ({ type }: Pick<StoredField, 'type'>): string =>
  UNSET_SLOTS[fieldTypes.get(type)?.slotKind ?? 'text'];

/** The typed columns that carry the values for filters and sorts. */
export function slotsOf(model: ObjectModel, values: FieldValues): Map<string, string | number> {
  const slots = new Map<string, string | number>();
  for (const field of model.object.fields) {
    if (field.slot === null) continue;
    const stored = slotValue(field, values[field.apiName] ?? null);
    slots.set(field.slot, stored ? slotText(stored.value) : unsetSlotOf(field));
  }
  return slots;
}
