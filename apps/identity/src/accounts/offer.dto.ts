import { BooleanField, DateTimeField, EmailField, EnumField, field, IdField, ListField, TextField } from '@crm/http';
import { NEW_PASSWORD } from '../sign-in/password.service.js';

/** Each is read by itself, and anybody can make some: the oldest are listed, and a declined one frees its position. */
export const MOST_OFFERS = 100;

/** `new_password`: someone whom only providers have signed in asks for one by mail, once they have accepted. */
export const ENTRIES = ['password', 'new_password', 'identity_provider'] as const;
export type Entry = (typeof ENTRIES)[number];

const ENTRY =
  "How the person signs in to the workspace: with the password they have or choose now; with one they request by email after accepting; or with the workspace's identity provider";

export class InvitationInput {
  @TextField({ maxLength: 200, example: 'b3BhcXVlLXRva2Vu', description: 'The token from the emailed link' })
  token: string;
}

export class AcceptanceInput extends InvitationInput {
  @TextField({
    ...NEW_PASSWORD,
    optional: true,
    description: 'Required for an unverified address. A person who has verified it keeps their password',
  })
  password?: string;
}

export class InvitationView {
  @TextField({ maxLength: 200, description: 'The name of the workspace', example: 'Acme' }) workspace: string;
  @EmailField() email: string;
  @BooleanField({ description: "Whether to choose a password, because the address isn't verified yet" })
  needsPassword: boolean;

  @EnumField(ENTRIES, { description: ENTRY }) signsInBy: Entry;
}

export class OfferView {
  @IdField({ description: 'ID of the user the person would become' }) userId: string;
  @IdField({ description: 'Of the workspace' }) tenantId: string;
  @TextField({ maxLength: 200, description: 'The name of the workspace', example: 'Acme' }) workspace: string;
  @ListField(field.text({ maxLength: 40 }), { example: ['member'] }) roles: string[];
  @BooleanField({ description: 'Whether it is an invitation; otherwise someone may already have used the account' })
  invited: boolean;
  @EnumField(ENTRIES, { description: ENTRY }) signsInBy: Entry;
  @DateTimeField() createdAt: string;
}

export class OffersView {
  @ListField(() => OfferView, { maxItems: MOST_OFFERS, description: 'Oldest first' }) data: OfferView[];
}
