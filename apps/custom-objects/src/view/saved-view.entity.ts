import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A list as someone wants to see it again: what is in it, in which order and columns. */
@Entity({ name: 'saved_view' })
export class SavedView {
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ type: 'uuid' }) id: string;
  @Column({ name: 'object_id', type: 'uuid' }) objectId: string;
  /** Who made it. */
  @Column({ name: 'owner_id', type: 'uuid' }) ownerId: string;
  @Column({ type: 'text' }) name: string;
  @Column({ type: 'boolean' }) shared: boolean;
  @Column({ type: 'jsonb', nullable: true }) filter: Record<string, unknown> | null;
  @Column({ type: 'text', nullable: true }) sort: string | null;
  /** Api-names of fields. */
  @Column({ type: 'jsonb' }) columns: string[];
}
