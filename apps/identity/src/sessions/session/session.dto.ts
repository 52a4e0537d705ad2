import { BooleanField, DateTimeField, field, IdField, ListField, ObjectField, TextField, Workspace } from '@crm/http';
import { UserHead } from '../../accounts/user-administration/user-administration.dto.js';
import type { Session } from './session.entity.js';

/** The caller of an access token. */
export class CallerView extends UserHead {
  @ListField(field.text({ maxLength: 40 }), {
    description: 'Scopes that limit the token; an empty list means that the role alone decides',
  })
  scopes: string[];

  @BooleanField()
  mfaEnabled: boolean;

  @ObjectField(() => Workspace)
  tenant: Workspace;
}

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
