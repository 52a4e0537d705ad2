import type { FieldOptions, RuleTypeName } from './types/field-type.js';
import type { FieldTypeName } from './types/index.js';

export const REFERENCE_DELETIONS = ['restrict', 'set_null', 'cascade'] as const;
export type ReferenceDeletion = (typeof REFERENCE_DELETIONS)[number];

export interface ValidationRule {
  type: RuleTypeName;
  value: number | string;
  /** The author's message for the problem; it replaces the platform's. */
  message?: string;
}

/** A field as the package declares it. The stable `id` is added when the object is provisioned. */
export interface FieldDefinition {
  id?: string;
  apiName: string;
  label?: string;
  type: FieldTypeName;
  required?: boolean;
  is_unique?: boolean;
  default?: unknown;
  options?: FieldOptions;
  referenceTarget?: string;
  /** What happens to the record when the one that it refers to is deleted; `set_null` by default, `restrict` when required. */
  onDelete?: ReferenceDeletion;
  /** True when lists are often filtered or sorted by the field: then it has an index, and fields that do not say so have none. */
  indexed?: boolean;
  validationRules?: readonly ValidationRule[];
  /** Roles that may read; empty or missing means everyone. */
  readRoles?: readonly string[];
  /** Roles that may write; empty or missing means everyone. */
  writeRoles?: readonly string[];
  expression?: string;
  /** Makes the value readable even when it is derived from fields that its reader cannot read. */
  exposes?: boolean;
}

/** What happens to a record when the one that its reference names is deleted; one that must have a value cannot be unset. */
export function onDeleteOf({ onDelete, required }: Pick<FieldDefinition, 'onDelete' | 'required'>): ReferenceDeletion {
  return onDelete ?? (required ? 'restrict' : 'set_null');
}
