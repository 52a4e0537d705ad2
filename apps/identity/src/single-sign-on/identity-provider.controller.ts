import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Inject, Patch, Post } from '@nestjs/common';
import { SINGLE_SIGN_ON_GROUP } from '../api-groups.js';
import { IDENTITY_CONFIG, type IdentityConfig } from '../config.js';
import { IdentityProviderService, redirectUriOf, signInIdOf } from './identity-provider.service.js';
import {
  ChangeIdentityProviderInput,
  CreateIdentityProviderInput,
  IdentityProviderListView,
  IdentityProviderView,
} from './single-sign-on.dto.js';
import type { IdentityProvider } from './single-sign-on.entity.js';

@ApiGroup(SINGLE_SIGN_ON_GROUP)
@Controller('api/tenant/identity-providers')
export class IdentityProviderController {
  constructor(
    private readonly providers: IdentityProviderService,
    @Inject(IDENTITY_CONFIG) private readonly config: IdentityConfig,
  ) {}

  @Get()
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'List identity providers',
    description: 'Up to 10, in the order they were added. Client secrets are never returned.',
    answers: [{ status: 200, description: 'The providers', body: () => IdentityProviderListView }],
  })
  async list(@CurrentPrincipal() { tenantId }: Principal): Promise<IdentityProviderListView> {
    return { data: (await this.providers.list(tenantId)).map((provider) => this.view(provider)) };
  }

  @Post()
  @NotRepeatable()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Add an identity provider',
    description:
      "Reads the provider's metadata (OpenID Connect Discovery) and rejects a provider that can't be used. Register the `redirectUri` in the response with the provider; you can add the client ID and secret later. Only for owners, because the provider vouches for every user of the workspace.",
    answers: [{ status: 201, description: 'The provider', body: () => IdentityProviderView }],
    errors: ['EMAIL_NOT_VERIFIED', 'ROLE_NOT_GRANTABLE', 'CONFLICT', 'RATE_LIMITED'],
  })
  async create(
    @CurrentPrincipal() principal: Principal,
    @Body() input: CreateIdentityProviderInput,
  ): Promise<IdentityProviderView> {
    return this.view(await this.providers.create(principal, input));
  }

  @Get(':id')
  @Access({ right: 'administer', proof: false })
  @Describe({
    summary: 'Get an identity provider',
    description: 'Without its client secret.',
    answers: [{ status: 200, description: 'The provider', body: () => IdentityProviderView }],
  })
  async get(@CurrentPrincipal() { tenantId }: Principal, @IdParam() id: string): Promise<IdentityProviderView> {
    return this.view(await this.providers.get(tenantId, id));
  }

  @Patch(':id')
  @NotRepeatable()
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Update an identity provider',
    description: "The provider's metadata is read again when it is enabled and when the issuer changes.",
    answers: [{ status: 200, description: 'The provider', body: () => IdentityProviderView }],
    errors: ['ROLE_NOT_GRANTABLE', 'CONFLICT', 'RATE_LIMITED'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ChangeIdentityProviderInput,
  ): Promise<IdentityProviderView> {
    return this.view(await this.providers.change(principal, id, input));
  }

  @Delete(':id')
  @Access({ right: 'own', proof: true })
  @Describe({
    summary: 'Remove an identity provider',
    description: 'Sign-ins in progress fail. Users keep their accounts, and open sessions stay.',
    answers: [{ status: 204, description: 'The provider is removed' }],
    errors: ['CONFLICT'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.providers.remove(principal, id);
  }

  private view(provider: IdentityProvider): IdentityProviderView {
    const { sealedSecret, createdAt, tenantId: _tenant, updatedAt: _updated, ...shown } = provider;
    return {
      ...shown,
      hasClientSecret: sealedSecret !== null,
      signInId: signInIdOf(provider),
      redirectUri: redirectUriOf(this.config.service.baseUrl, provider),
      createdAt: createdAt.toISOString(),
    };
  }
}
