import { PlatformError } from '@crm/contracts';

/** A stored record. `data` has canonical values by the fields' keys; formulas are never stored. */
export interface StoredRecord {
  readonly id: string;
  readonly version: number;
  readonly data: Readonly<Record<string, unknown>>;
  /** As the API writes it: no Date is made of a time that nothing calculates with. */
  readonly createdAt: string;
  readonly updatedAt: string;
}

/** Of two times as the API writes them. */
export const laterOf = (one: string, other: string): string => (one > other ? one : other);

export const noSuchRecord = () => new PlatformError('NOT_FOUND', 'There is no such record');

/** A record as it leaves through the API: flat, head fields first. */
export type RecordView = {
  id: string;
  version: number;
  createdAt: string;
  updatedAt: string;
} & Record<string, unknown>;
