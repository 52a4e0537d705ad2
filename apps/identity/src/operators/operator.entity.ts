import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Somebody who runs the platform. */
@Entity({ name: 'operator' })
export class Operator {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'text' })
  email: string;

  @Column({ type: 'text' })
  name: string;

  /** Argon2id in PHC string format. */
  @Column({ name: 'password_hash', type: 'text' })
  passwordHash: string;

  @Column({ type: 'text' })
  status: 'active' | 'disabled';
}
