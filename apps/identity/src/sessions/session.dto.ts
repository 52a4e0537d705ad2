import { BooleanField, DateTimeField, IdField, IntegerField, TextField } from '@crm/http';

export class SessionView {
  @IdField() id: string;
  @BooleanField({ description: 'Whether this is the session of the access token' }) current: boolean;
  @TextField({ maxLength: 64, nullable: true, description: 'Where the sign-in came from' }) address: string | null;

  @TextField({ maxLength: 64, nullable: true, description: 'Where the session was last used' })
  lastAddress: string | null;

  @TextField({ maxLength: 300, nullable: true }) userAgent: string | null;

  @TextField({
    maxLength: 60,
    nullable: true,
    description: 'Short form of the user agent',
    example: 'Firefox on Linux',
  })
  device: string | null;

  @DateTimeField() createdAt: string;
  @DateTimeField() lastUsedAt: string;
  @DateTimeField({ description: 'When the session expires unless it is refreshed' }) expiresAt: string;
  @DateTimeField({ description: 'When the session expires at the latest' }) endsAt: string;
}

export class PersonSessionView extends SessionView {
  @IdField({ description: "ID of the session's workspace" }) tenantId: string;
  @TextField({ maxLength: 200, description: "Name of the session's workspace" }) workspace: string;
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
