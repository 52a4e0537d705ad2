import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The head of an object definition; its fields are rows of `custom_field`. */
@Entity({ name: 'custom_object' })
export class CustomObject {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ name: 'installation_id', type: 'uuid' })
  installationId: string;

  @Column({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ type: 'boolean' })
  sandbox: boolean;

  /** The name in the package. */
  @Column({ name: 'declared_api_name', type: 'text' })
  declaredApiName: string;

  /** The name in the tenant, unique among its active objects. */
  @Column({ name: 'api_name', type: 'text' })
  apiName: string;

  @Column({ type: 'text' })
  label: string;

  @Column({ name: 'plural_label', type: 'text' })
  pluralLabel: string;

  @Column({ type: 'text', nullable: true })
  description: string | null;

  @Column({ name: 'name_field', type: 'text', nullable: true })
  nameField: string | null;

  /** A removed object keeps its records, and its name is free. */
  @Column({ type: 'text' })
  state: 'active' | 'removed';

  /** Increases with every change of the definition. */
  @Column({ type: 'integer' })
  revision: number;
}
