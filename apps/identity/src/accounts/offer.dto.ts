import { BooleanField, DateTimeField, EmailField, field, IdField, ListField, TextField } from '@crm/http';
import { NEW_PASSWORD } from '../sign-in/password.service.js';

/** Each is read by itself, and anybody can make some: the oldest are listed, and what is declined makes room. */
export const MOST_OFFERS = 100;

export class InvitationInput {
  @TextField({ maxLength: 200, example: 'b3BhcXVlLXRva2Vu', description: 'The token from the link in the mail' })
  token: string;
}

export class AcceptanceInput extends InvitationInput {
  @TextField({
    ...NEW_PASSWORD,
    optional: true,
    description:
      'Required for an address that nobody has verified; whoever has verified it keeps the password that they have',
  })
  password?: string;
}

export class InvitationView {
  @TextField({ maxLength: 200, description: 'The name of the workspace', example: 'Acme' }) workspace: string;
  @EmailField() email: string;
  @BooleanField({ description: 'Whether a password is to be chosen, as nobody has verified the address yet' })
  needsPassword: boolean;
}

export class OfferView {
  @IdField({ description: 'Of the user that the person would be' }) userId: string;
  @IdField({ description: 'Of the workspace' }) tenantId: string;
  @TextField({ maxLength: 200, description: 'The name of the workspace', example: 'Acme' }) workspace: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @BooleanField({ description: 'Whether it is an invitation; otherwise somebody may have used the account already' })
  invited: boolean;
  @DateTimeField() createdAt: string;
}

export class OffersView {
  @ListField(() => OfferView, { maxItems: MOST_OFFERS, description: 'The oldest first' }) data: OfferView[];
}
