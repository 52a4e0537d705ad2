import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SharedAccess } from '../object/object-definition.js';

/** An object of an app that an administrator shares with another app. */
@Entity({ name: 'custom_object_share' })
export class ObjectShare {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  tenantId: string;

  @PrimaryColumn({ name: 'object_id', type: 'uuid' })
  objectId: string;

  @PrimaryColumn({ name: 'app_key', type: 'text' })
  appKey: string;

  @Column({ type: 'text' })
  access: SharedAccess;
}
