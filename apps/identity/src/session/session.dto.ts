import {
  BooleanField,
  DateTimeField,
  EmailField,
  field,
  IdField,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
} from '@crm/service-kit';
import { Workspace } from '../registration/registration.dto.js';
import type { Session } from './session.entity.js';

export class RefreshInput {
  @TextField({ maxLength: 8192 })
  refreshToken: string;
}

/** The caller of an access token. */
export class CallerView {
  @IdField()
  id: string;

  @EmailField()
  email: string;

  @TextField({ maxLength: 200 })
  name: string;

  @ListField(field.text({ maxLength: 40 }))
  roles: string[];

  @ListField(field.text({ maxLength: 40 }), { description: 'What the token is narrowed to' })
  scopes: string[];

  @BooleanField()
  mfaEnabled: boolean;

  @ObjectField(() => Workspace)
  tenant: Workspace;
}

export class TokenPairView {
  @TextField({ maxLength: 8192 })
  accessToken: string;

  @TextField({ maxLength: 512 })
  refreshToken: string;

  @TextField({ maxLength: 6, example: 'Bearer' })
  tokenType: string;

  @IntegerField({ description: 'Seconds', example: 900 })
  expiresIn: number;
}

export class SessionView {
  @IdField()
  id: string;

  @BooleanField({ description: 'The session of the token that asks' })
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
