import { Column, Entity, PrimaryColumn } from 'typeorm';
import { TenantRow } from '../tenant-row.js';

/** A role that the workspace has made itself, or that someone had before roles were listed. */
@Entity({ name: 'workspace_role' })
export class WorkspaceRole extends TenantRow {
  @PrimaryColumn({ type: 'text' }) name: string;
  @Column({ type: 'text' }) label: string;
}
