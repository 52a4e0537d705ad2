import { BooleanField, DateTimeField, EnumField, IdField, ListField, ObjectField, TextField } from '@crm/http';
import { ClientAppView } from '../grant/grant.dto.js';

export class RequestedScopeView {
  @TextField({ maxLength: 64, example: 'leads' })
  name: string;

  @TextField({ maxLength: 200, example: 'See and change leads' })
  description: string;

  @BooleanField()
  writes: boolean;
}

export class ConsentTenantView {
  @IdField()
  id: string;

  @TextField({ maxLength: 200, example: 'Globex' })
  name: string;
}

/** What an app asks the current user for. */
export class ConsentView {
  @TextField({ maxLength: 64, example: 'pX2bC0Jq7cJmJmVYpB4H2m0a9H7l8o4lq1oZr2v5WmE' })
  id: string;

  @ObjectField(() => ClientAppView)
  app: ClientAppView;

  @ObjectField(() => ConsentTenantView)
  tenant: ConsentTenantView;

  @ListField(() => RequestedScopeView)
  scopes: RequestedScopeView[];

  @TextField({ maxLength: 260, description: 'Host that the browser is sent to', example: 'app.acme.example.com' })
  redirectHost: string;

  @DateTimeField()
  expiresAt: string;
}

export const DECISIONS = ['approve', 'deny'] as const;

export class DecisionInput {
  @EnumField(DECISIONS)
  decision: (typeof DECISIONS)[number];
}

export class DecisionView {
  @TextField({
    maxLength: 8192,
    description: 'Where the browser is sent',
    example: 'https://app.acme.example.com/callback?code=AbC&state=xyz&iss=https%3A%2F%2Fcrm.example.com',
  })
  redirectTo: string;
}
