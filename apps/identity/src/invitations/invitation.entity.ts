import { Column, Entity } from 'typeorm';
import { LinkRow } from '../tenant-row.js';

@Entity({ name: 'invitation' })
export class Invitation extends LinkRow {
  @Column({ name: 'accepted_at', type: 'timestamptz', nullable: true }) acceptedAt: Date | null;
}
