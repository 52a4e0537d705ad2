import {
  BooleanField,
  DateTimeField,
  EmailField,
  EnumField,
  field,
  IdField,
  IntegerField,
  ListField,
  ObjectField,
  TextField,
} from '@crm/http';
import { FAILURE_CODES, type FailureReason } from './oidc-metadata.js';

/** Where the record that proves a domain stands. */
export const recordName = (domain: string): string => `_crm-challenge.${domain}`;

const DOMAIN = { maxLength: 253, example: 'example.com' };

export class DomainInput {
  @TextField({ ...DOMAIN, description: 'The part of email addresses after the @' }) domain: string;
}

/** The record that proves a domain. */
export class DomainRecordView {
  @TextField({ maxLength: 300, example: '_crm-challenge.example.com' }) name: string;
  @TextField({ maxLength: 3, example: 'TXT' }) type: string;

  @TextField({ maxLength: 100, description: "The value of the record. It isn't secret" })
  value: string;
}

export class DomainView {
  @TextField(DOMAIN) domain: string;
  @ObjectField(() => DomainRecordView) record: DomainRecordView;
  @BooleanField({ description: 'Whether the domain belongs to the workspace' }) verified: boolean;
  @DateTimeField({ nullable: true }) verifiedAt: string | null;

  @DateTimeField({
    nullable: true,
    description: "Since when the daily check hasn't found the record. After 3 days the domain is removed",
  })
  missingSince: string | null;
}

export class DomainListView {
  @ListField(() => DomainView) data: DomainView[];
}

/** Body and answer: a workspace requires single sign-on or does not. */
export class RequirementInput {
  @BooleanField({ description: 'Whether everyone but owners has to use single sign-on', example: true })
  required: boolean;
}

export class RequirementView extends RequirementInput {}

const NAME = { maxLength: 60, example: 'Example Inc. accounts' };
const ISSUER = { maxLength: 500, example: 'https://login.example.com' };
const CLIENT_ID = {
  maxLength: 500,
  nullable: true,
  description: 'The client ID registered with the provider; null until it is set',
  example: '0oa1b2c3',
};
const SCOPES = {
  maxItems: 20,
  description: 'Scopes to request; `openid` is always added',
  example: ['openid', 'email', 'profile'],
};
const DEFAULT_ROLES = {
  minItems: 1,
  maxItems: 20,
  description: 'Roles of users created at their first sign-in; never `owner`',
  example: ['member'],
};
const VERIFIED_EMAIL = {
  description:
    "Whether the provider has to confirm the address (`email_verified`). Turn it off only for a provider that never sends it and doesn't let people choose their address",
};
const SECOND_FACTOR = {
  maxItems: 20,
  description:
    "Values of `amr` or `acr` in the ID token that count as a second factor. Without them, the platform's own second step follows if it is on or required",
  example: ['mfa'],
};
const scope = field.text({ maxLength: 100, pattern: /^[\x21\x23-\x5B\x5D-\x7E]+$/, example: 'email' });
const role = field.text({ maxLength: 40 });
const factor = field.text({ maxLength: 200 });
const SECRET = {
  optional: true,
  maxLength: 1000,
  description: 'The client secret. Stored encrypted and never returned',
  example: 'a-secret-of-the-provider',
};

/** What a new provider and a change have in common. */
class IdentityProviderSettings {
  @TextField({ ...CLIENT_ID, optional: true }) clientId?: string | null;
  @TextField(SECRET) clientSecret?: string;
  @ListField(scope, { ...SCOPES, optional: true }) scopes?: string[];
  @ListField(role, { ...DEFAULT_ROLES, optional: true }) defaultRoles?: string[];
  @BooleanField({ ...VERIFIED_EMAIL, optional: true }) requiresVerifiedEmail?: boolean;
  @ListField(factor, { ...SECOND_FACTOR, optional: true }) secondFactorValues?: string[];
}

export class CreateIdentityProviderInput extends IdentityProviderSettings {
  @TextField(NAME) name: string;
  @TextField({ ...ISSUER, description: 'The issuer, exactly as the provider states it' }) issuer: string;

  @BooleanField({ optional: true, description: 'Whether users can sign in with it; requires a client ID and secret' })
  enabled?: boolean;
}

export class ChangeIdentityProviderInput extends IdentityProviderSettings {
  @TextField({ ...NAME, optional: true }) name?: string;

  @TextField({
    ...ISSUER,
    optional: true,
    description: "A new issuer needs its client secret in the same call: the current secret isn't sent to it",
  })
  issuer?: string;

  @BooleanField({ optional: true }) enabled?: boolean;
}

export class ProviderFailureView {
  @DateTimeField() at: string;

  @EnumField(FAILURE_CODES, {
    description:
      "`unavailable`: it can't be reached; `refused`: it returned an error; `invalid`: its response can't be accepted; `returned`: a browser returned with an error, which anyone can cause",
  })
  code: FailureReason['code'];

  @TextField({ maxLength: 1000, description: 'What went wrong' }) message: string;
  @IntegerField({ nullable: true, description: 'HTTP status of its response', example: 400 }) httpStatus: number | null;
  @TextField({ nullable: true, maxLength: 200, example: 'invalid_client' }) error: string | null;
  @TextField({ nullable: true, maxLength: 200, description: "The provider's description of the error" })
  description: string | null;
}

export class IdentityProviderView {
  @IdField() id: string;
  @TextField(NAME) name: string;
  @TextField(ISSUER) issuer: string;
  @TextField(CLIENT_ID) clientId: string | null;
  @BooleanField({ description: 'Whether a client secret is stored' }) hasClientSecret: boolean;
  @ListField(scope, SCOPES) scopes: string[];
  @BooleanField({ description: 'Whether users can sign in with it' }) enabled: boolean;
  @ListField(role, DEFAULT_ROLES) defaultRoles: string[];
  @BooleanField(VERIFIED_EMAIL) requiresVerifiedEmail: boolean;
  @ListField(factor, SECOND_FACTOR) secondFactorValues: string[];
  @TextField({ maxLength: 64, description: "The provider's ID in sign-in URLs" }) signInId: string;

  @TextField({
    maxLength: 2048,
    description: 'The redirect URI to register with the provider. It differs for each provider',
  })
  redirectUri: string;

  @DateTimeField() createdAt: string;

  @ObjectField(() => ProviderFailureView, {
    nullable: true,
    description: "Why it last failed, even if it has worked since; null if it hasn't failed since the last change",
  })
  lastFailure: ProviderFailureView | null;
}

export class IdentityProviderListView {
  @ListField(() => IdentityProviderView) data: IdentityProviderView[];
}

/** An account at a provider that has the address of a user whom the provider knows by another id. */
export class LinkRequestView {
  @IdField() id: string;
  @TextField({ maxLength: 255, description: "The person's ID at the provider" }) sub: string;
  @EmailField() email: string;

  @TextField({ nullable: true, maxLength: 200, description: 'As stated by the provider', example: 'Ada Lovelace' })
  name: string | null;

  @IdField({ description: 'The user who has the address' }) userId: string;
  @DateTimeField() createdAt: string;

  @DateTimeField({ description: 'When the request expires; a later sign-in creates a new one' })
  expiresAt: string;
}

export class LinkRequestListView {
  @ListField(() => LinkRequestView) data: LinkRequestView[];
}

export class DiscoverInput {
  @EmailField({ description: 'The address to sign in with; only its domain is used' }) email: string;
}

export class SignInProviderView {
  @TextField({ maxLength: 64, description: "The provider's ID in sign-in URLs" }) id: string;
  @TextField({ maxLength: 60, example: 'Example Inc. accounts' }) name: string;
}

export class SignInProviderListView {
  @ListField(() => SignInProviderView) providers: SignInProviderView[];
}

export class StartInput {
  @BooleanField({
    optional: true,
    description:
      "Whether the provider has to authenticate the person again. The session then counts as recently authenticated, unless the provider doesn't say when it did",
    example: true,
  })
  fresh?: boolean;
}

export class StartedView {
  @TextField({ maxLength: 8192, description: 'Where to send the browser' }) redirectTo: string;
}

export class ExchangeInput {
  @TextField({ maxLength: 200, description: '`code` of the fragment', example: 'b3BhcXVlLWNvZGU' }) code: string;
}
