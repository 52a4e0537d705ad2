import { BooleanField, DateTimeField, IdField, TextField } from '@crm/http';
import type { Session } from './session.entity.js';

export class SessionView {
  @IdField()
  id: string;

  @BooleanField({ description: 'Whether this is the session of the access token' })
  current: boolean;

  @TextField({ maxLength: 64, nullable: true })
  address: string | null;

  @TextField({ maxLength: 300, nullable: true })
  userAgent: string | null;

  @DateTimeField()
  createdAt: string;

  @DateTimeField()
  lastUsedAt: string;

  @DateTimeField()
  expiresAt: string;
}

export function sessionView(session: Session, currentId: string | undefined): SessionView {
  return {
    id: session.id,
    current: session.id === currentId,
    address: session.address,
    userAgent: session.userAgent,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}
