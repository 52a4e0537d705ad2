import { BooleanField, DateTimeField, EmailField, EnumField, field, IdField, ListField, TextField } from '@crm/http';
import { NEW_PASSWORD } from '../sign-in/password.service.js';

/** Each is read by itself, and anybody can make some: the oldest are listed, and a declined one frees its position. */
export const MOST_OFFERS = 100;

/** `new_password`: someone whom only providers have signed in asks for one by mail, once they have accepted. */
export const ENTRIES = ['password', 'new_password', 'identity_provider'] as const;
export type Entry = (typeof ENTRIES)[number];

const ENTRY =
  'What signs the person in to the workspace: the password that they have or choose now; one that they ask for by mail after they have accepted, because they have none; or the identity provider of the workspace, which takes no passwords';

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

  @EnumField(ENTRIES, { description: ENTRY }) signsInBy: Entry;
}

export class OfferView {
  @IdField({ description: 'Of the user that the person would be' }) userId: string;
  @IdField({ description: 'Of the workspace' }) tenantId: string;
  @TextField({ maxLength: 200, description: 'The name of the workspace', example: 'Acme' }) workspace: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @BooleanField({ description: 'Whether it is an invitation; otherwise somebody may have used the account already' })
  invited: boolean;
  @EnumField(ENTRIES, { description: ENTRY }) signsInBy: Entry;
  @DateTimeField() createdAt: string;
}

export class OffersView {
  @ListField(() => OfferView, { maxItems: MOST_OFFERS, description: 'The oldest first' }) data: OfferView[];
}
