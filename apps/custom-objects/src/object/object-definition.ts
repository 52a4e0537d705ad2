import type { FieldDefinition } from '@crm/fields';

/** A field as it stands in a tenant: its declaration, its stable id and where its value is indexed. */
export interface StoredField extends FieldDefinition {
  readonly id: string;
  readonly label: string;
  /** Column `s1…s8`, `n1…n8` or `t1…t4` that carries the value for filters; null when the type has none or all are taken. */
  readonly slot: string | null;
  /** The object that a `custom:` reference points to, resolved when the package was provisioned. */
  readonly referenceObjectId: string | null;
}

/** An object definition of a tenant with its fields, in the order of the declaration. */
export interface ObjectDefinition {
  readonly id: string;
  readonly tenantId: string;
  readonly installationId: string;
  readonly appKey: string;
  readonly sandbox: boolean;
  /** The name in the package. */
  readonly declaredApiName: string;
  /** The name in the tenant. */
  readonly apiName: string;
  readonly label: string;
  readonly pluralLabel: string;
  readonly description: string | null;
  readonly nameField: string | null;
  /** Increases with every change of the definition; a model built from an older one is stale. */
  readonly revision: number;
  readonly fields: readonly StoredField[];
}

/** An object as a certified package declares it. */
export interface DeclaredObject {
  readonly apiName: string;
  readonly label?: string;
  readonly pluralLabel?: string;
  readonly description?: string;
  readonly nameField?: string;
  readonly fields: readonly FieldDefinition[];
}
