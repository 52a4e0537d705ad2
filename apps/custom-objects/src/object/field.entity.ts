import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A field of an object definition. */
@Entity({ name: 'custom_field' })
export class CustomField {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'object_id', type: 'uuid' })
  objectId: string;

  @Column({ name: 'api_name', type: 'text' })
  apiName: string;

  /** Key of the value in a record's data; the object never gives it to another field. */
  @Column({ type: 'integer' })
  key: number;

  /** Place in the declaration, from 0. */
  @Column({ type: 'integer' })
  position: number;

  /** Column of `custom_record` that carries the value for filters. */
  @Column({ type: 'text', nullable: true })
  slot: string | null;

  @Column({ name: 'reference_object_id', type: 'uuid', nullable: true })
  referenceObjectId: string | null;

  /** The declaration, a FieldDefinition. */
  @Column({ type: 'jsonb' })
  definition: object;
}
