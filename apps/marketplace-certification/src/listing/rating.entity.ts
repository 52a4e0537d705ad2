import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity({ name: 'rating' })
export class Rating {
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' }) tenantId: string;
  @PrimaryColumn({ name: 'user_id', type: 'uuid' }) userId: string;

  /** 1 to 5. */
  @Column({ type: 'smallint' }) stars: number;
  @Column({ type: 'text', nullable: true }) text: string | null;
  @Column({ name: 'updated_at', type: 'timestamptz' }) updatedAt: Date;
}
