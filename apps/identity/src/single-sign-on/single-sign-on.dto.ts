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
  @TextField({ ...DOMAIN, description: 'The part of e-mail addresses after the @' }) domain: string;
}

/** The record that proves a domain. */
export class DomainRecordView {
  @TextField({ maxLength: 300, example: '_crm-challenge.example.com' }) name: string;
  @TextField({ maxLength: 3, example: 'TXT' }) type: string;

  @TextField({ maxLength: 100, description: 'What the record has to say; it does not have to be kept secret' })
  value: string;
}

export class DomainView {
  @TextField(DOMAIN) domain: string;
  @ObjectField(() => DomainRecordView) record: DomainRecordView;
  @BooleanField({ description: 'Whether the domain belongs to the workspace' }) verified: boolean;
  @DateTimeField({ nullable: true }) verifiedAt: string | null;

  @DateTimeField({
    nullable: true,
    description: 'Since when the daily check has not found the record; three days later the domain is lost',
  })
  missingSince: string | null;
}

export class DomainListView {
  @ListField(() => DomainView) data: DomainView[];
}

/** Body and answer: a workspace requires single sign-on or does not. */
export class RequirementInput {
  @BooleanField({ description: 'Whether passwords of users who are not owners are refused', example: true })
  required: boolean;
}

export class RequirementView extends RequirementInput {}

const NAME = { maxLength: 60, example: 'Example Inc. accounts' };
const ISSUER = { maxLength: 500, example: 'https://login.example.com' };
const CLIENT_ID = {
  maxLength: 500,
  nullable: true,
  description: 'Of the client that is registered with the provider; null until it is',
  example: '0oa1b2c3',
};
const SCOPES = {
  maxItems: 20,
  description: 'Scopes that are asked for; always with `openid`',
  example: ['openid', 'email', 'profile'],
};
const DEFAULT_ROLES = {
  minItems: 1,
  maxItems: 20,
  description: 'Roles of users who are made at their first sign-in; never `owner`',
  example: ['member'],
};
const VERIFIED_EMAIL = {
  description:
    'Whether the provider has to say that it has verified the address (`email_verified`). Turn it off for a provider that never says it and lets nobody choose their address',
};
const SECOND_FACTOR = {
  maxItems: 20,
  description:
    'Values of `amr` or `acr` in the id token that count as a second factor. Without any of them the second factor of the platform follows, where one is on or required',
  example: ['mfa'],
};
const scope = field.text({ maxLength: 100, pattern: /^[\x21\x23-\x5B\x5D-\x7E]+$/, example: 'email' });
const role = field.text({ maxLength: 40 });
const factor = field.text({ maxLength: 200 });
const SECRET = {
  optional: true,
  maxLength: 1000,
  description: 'Of the client; it is stored sealed and never returned',
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

  @BooleanField({ optional: true, description: 'Whether users can sign in with it; needs a client and its secret' })
  enabled?: boolean;
}

export class ChangeIdentityProviderInput extends IdentityProviderSettings {
  @TextField({ ...NAME, optional: true }) name?: string;

  @TextField({
    ...ISSUER,
    optional: true,
    description: 'Another issuer needs its client secret in the same call: the present one is not shown to it',
  })
  issuer?: string;

  @BooleanField({ optional: true }) enabled?: boolean;
}

export class ProviderFailureView {
  @DateTimeField() at: string;

  @EnumField(FAILURE_CODES, {
    description:
      '`unavailable`: it cannot be reached; `refused`: it answers an error; `invalid`: its answer cannot be accepted; `returned`: a browser came back with an error, which anybody can claim',
  })
  code: FailureReason['code'];

  @TextField({ maxLength: 1000, description: 'A sentence that says what was wrong' }) message: string;
  @IntegerField({ nullable: true, description: 'Status of its answer', example: 400 }) httpStatus: number | null;
  @TextField({ nullable: true, maxLength: 200, example: 'invalid_client' }) error: string | null;
  @TextField({ nullable: true, maxLength: 200, description: 'What the provider says of the error' })
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
  @TextField({ maxLength: 64, description: 'What the addresses of a sign-in call the provider' }) signInId: string;

  @TextField({
    maxLength: 2048,
    description: 'The redirect address to register with the provider; each provider has another one',
  })
  redirectUri: string;

  @DateTimeField() createdAt: string;

  @ObjectField(() => ProviderFailureView, {
    nullable: true,
    description: 'Why it failed last, also where it has worked since; null when it has not since it was changed',
  })
  lastFailure: ProviderFailureView | null;
}

export class IdentityProviderListView {
  @ListField(() => IdentityProviderView) data: IdentityProviderView[];
}

/** An account at a provider that has the address of a user whom the provider knows by another id. */
export class LinkRequestView {
  @IdField() id: string;
  @TextField({ maxLength: 255, description: 'The id of the person at the provider' }) sub: string;
  @EmailField() email: string;

  @TextField({ nullable: true, maxLength: 200, description: 'As the provider says it', example: 'Ada Lovelace' })
  name: string | null;

  @IdField({ description: 'The user who has the address' }) userId: string;
  @DateTimeField() createdAt: string;

  @DateTimeField({ description: 'Until when an owner can decide; a later sign-in asks again' })
  expiresAt: string;
}

export class LinkRequestListView {
  @ListField(() => LinkRequestView) data: LinkRequestView[];
}

export class DiscoverInput {
  @EmailField({ description: 'Whose sign-in it is; only the domain is looked at' }) email: string;
}

export class SignInProviderView {
  @TextField({ maxLength: 64, description: 'What the addresses of a sign-in call the provider' }) id: string;
  @TextField({ maxLength: 60, example: 'Example Inc. accounts' }) name: string;
}

export class SignInProviderListView {
  @ListField(() => SignInProviderView) providers: SignInProviderView[];
}

export class StartInput {
  @BooleanField({
    optional: true,
    description:
      'Whether the provider has to authenticate the person again. The session then counts as a recent proof, unless the provider does not say when it did',
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
