import { Entity } from 'typeorm';
import { LinkRow } from '../tenant-row.js';

/** A link to set a new password that was sent to a user. Used and replaced ones are deleted. */
@Entity({ name: 'password_reset' })
export class PasswordReset extends LinkRow {}
