import { Column, Entity, PrimaryColumn, VersionColumn } from 'typeorm';

/** The signing secret of an app, sealed; the same in every tenant. */
@Entity({ name: 'app_secret' })
export class AppSecret {
  @PrimaryColumn({ name: 'app_key', type: 'text' }) appKey: string;
  @Column({ type: 'bytea' }) secret: Buffer;
  @Column({ name: 'previous_secret', type: 'bytea', nullable: true }) previousSecret: Buffer | null;
  @Column({ name: 'previous_secret_until', type: 'timestamptz', nullable: true }) previousSecretUntil: Date | null;
  /** Updates increase it. */
  @VersionColumn({ type: 'integer' }) version: number;
}
