import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SharedAccess } from './object-definition.js';

/** The head of an object definition; its fields are rows of `custom_field`. */
@Entity({ name: 'custom_object' })
export class CustomObject {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;
  /** Null, as the app, for the row of a standard object, which says what the tenant has changed of it. */
  @Column({ name: 'installation_id', type: 'uuid', nullable: true }) installationId: string | null;
  @Column({ name: 'app_key', type: 'text', nullable: true }) appKey: string | null;
  @Column({ type: 'boolean' }) sandbox: boolean;

  /** The name in the package. */
  @Column({ name: 'declared_api_name', type: 'text' }) declaredApiName: string;

  /** The name in the tenant, unique among its active objects. */
  @Column({ name: 'api_name', type: 'text' }) apiName: string;
  @Column({ type: 'text' }) label: string;
  @Column({ name: 'plural_label', type: 'text' }) pluralLabel: string;
  @Column({ type: 'text', nullable: true }) description: string | null;
  @Column({ name: 'name_field', type: 'text', nullable: true }) nameField: string | null;

  /** A removed object keeps its records, and its name is free. */
  @Column({ type: 'text' }) state: 'active' | 'removed';

  /** Increases with every change of the definition. */
  @Column({ type: 'integer' }) revision: number;

  /** Options and pipelines of a standard object, as `ObjectSettings`. */
  @Column({ type: 'jsonb', nullable: true }) settings: object | null;
}

/** A field of an object definition. */
@Entity({ name: 'custom_field' })
export class CustomField {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'object_id', type: 'uuid' }) objectId: string;
  @Column({ name: 'api_name', type: 'text' }) apiName: string;

  /** Key of the value in a record's data; the object never gives it to another field. */
  @Column({ type: 'integer' }) key: number;

  /** Place in the declaration, from 0. */
  @Column({ type: 'integer' }) position: number;

  /** Column of `custom_record` that carries the value for filters. */
  @Column({ type: 'text', nullable: true }) slot: string | null;
  @Column({ name: 'reference_object_id', type: 'uuid', nullable: true }) referenceObjectId: string | null;

  /** The declaration, a FieldDefinition. */
  @Column({ type: 'jsonb' }) definition: object;
}

/** An object of an app that an administrator shares with another app. */
@Entity({ name: 'custom_object_share' })
export class ObjectShare {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ name: 'object_id', type: 'uuid' }) objectId: string;
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ type: 'text' }) access: SharedAccess;
}
