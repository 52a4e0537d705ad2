import { isPlainObject } from './plain-object.js';

/** What the embed page shows. Without a view it shows the first object that the scopes allow. */
export interface EmbedView {
  /**
   * `leads`, `contacts`, `companies`, `opportunities`, `tasks`, or the API name of a custom object after `custom:`.
   */
  readonly object: string;
  /** Id of a record; without one, the list. */
  readonly recordId?: string;
}

const OBJECT = /^(?:leads|contacts|companies|opportunities|tasks|custom:[a-z][a-z0-9_]{0,206})$/;
const ID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @returns undefined for anything that is not a view */
export function parseView(value: unknown): EmbedView | undefined {
  if (!isPlainObject(value)) return undefined;
  const { object, recordId } = value;
  if (typeof object !== 'string' || !OBJECT.test(object)) return undefined;
  if (recordId === undefined || recordId === null) return { object };
  return typeof recordId === 'string' && ID.test(recordId) ? { object, recordId } : undefined;
}
