import type { CoreObject, ScopeName } from '@crm/contracts';

/** What every field of a core object says about itself. */
interface FieldHead {
  /** Name in JSON; the column is the same in snake case. */
  readonly name: string;
  readonly required?: true;
  /** Value of a new record that does not give one. */
  readonly default?: string;
  /** Has an index of its own, because lists are often filtered by it. */
  readonly indexed?: true;
  /** Part of what `q` looks through. */
  readonly searched?: true;
}

/**
 * A field of a core object. Values are judged by the field type of the same name in `@crm/fields`, so that a lead's
 * e-mail and a custom object's e-mail follow one rule.
 */
export type CoreField = FieldHead &
  (
    | { readonly type: 'text' | 'textarea' | 'email' | 'phone' | 'url'; readonly maxLength: number }
    | { readonly type: 'picklist'; readonly options: readonly string[] }
    | { readonly type: 'number' | 'date' | 'datetime' }
    /** The id of a record of one of these objects, which must exist in the tenant when it is written. */
    | { readonly type: 'reference'; readonly targets: readonly CoreObject[] }
    /** The id of a user. Users live in another service, so only its form is judged here. */
    | { readonly type: 'user' }
  );

/** A further event when a field takes a value, besides `updated` or `created`. */
export interface Milestone {
  readonly field: string;
  readonly value: string;
  readonly event: 'deal.won' | 'deal.lost' | 'task.completed';
}

/** One core object: everything in which leads differ from companies. The engine in `core-record/` does the rest. */
export interface CoreObjectDefinition {
  readonly object: CoreObject;
  /** Path below `/api/crm/`. */
  readonly path: string;
  /** First part of its events' names. */
  readonly domain: string;
  readonly scope: ScopeName;
  readonly fields: readonly CoreField[];
  readonly milestones: readonly Milestone[];
}

/** A record as it goes over the wire: head and fields on one level, null where unset. */
export interface CoreRecord {
  readonly id: string;
  readonly version: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly [field: string]: unknown;
}

/** Column (or table) name of a field: `companyId` is `company_id`. */
export const columnName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function fieldNamed(definition: CoreObjectDefinition, name: string): CoreField | undefined {
  return definition.fields.find((field) => field.name === name);
}
