import { field, ListField } from '@crm/http';
import { GrantView } from './grant.dto.js';

export class GrantInput {
  @ListField(field.text({ maxLength: 64 }), {
    minItems: 1,
    maxItems: 50,
    description: 'What the app keeps, of `scopes`; those of `requiredScopes` are among them',
    example: ['leads:read'],
  })
  scopes: string[];
}

/** An app that acts for the current user, and what they can take from it. */
export class OwnGrantView extends GrantView {
  @ListField(field.text({ maxLength: 64 }), {
    description: 'Those of the scopes that the app cannot work without: they go when what it may do is ended',
    example: ['leads:read'],
  })
  requiredScopes: string[];
}
