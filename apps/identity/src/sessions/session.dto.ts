import { BooleanField, DateTimeField, IdField, IntegerField, TextField } from '@crm/http';

export class SessionView {
  @IdField() id: string;
  @BooleanField({ description: 'Whether this is the session of the access token' }) current: boolean;
  @TextField({ maxLength: 64, nullable: true, description: 'Where the sign-in came from' }) address: string | null;

  @TextField({ maxLength: 64, nullable: true, description: 'Where the session was used last' })
  lastAddress: string | null;

  @TextField({ maxLength: 300, nullable: true }) userAgent: string | null;

  @TextField({ maxLength: 60, nullable: true, description: 'The user agent in short', example: 'Firefox on Linux' })
  device: string | null;

  @DateTimeField() createdAt: string;
  @DateTimeField() lastUsedAt: string;
  @DateTimeField({ description: 'When the session ends unless it is refreshed before' }) expiresAt: string;
  @DateTimeField({ description: 'When the session ends however often it is refreshed' }) endsAt: string;
}

export class PersonSessionView extends SessionView {
  @IdField({ description: 'Of the workspace that the session is of' }) tenantId: string;
  @TextField({ maxLength: 200, description: 'The name of that workspace' }) workspace: string;
}

export class RefreshInput {
  @TextField({ maxLength: 8192 }) refreshToken: string;
}

export class AccessTokenView {
  @TextField({ maxLength: 8192 }) accessToken: string;
  @TextField({ maxLength: 6, example: 'Bearer' }) tokenType: string;
  @IntegerField({ description: 'Lifetime of the access token in seconds', example: 900 }) expiresIn: number;
}

/** `TokenPair` of the contracts on the wire. */
export class TokenPairView extends AccessTokenView {
  @TextField({ maxLength: 512 }) refreshToken: string;
}
