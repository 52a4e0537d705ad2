import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { Database } from '@crm/database';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../api-groups.js';
import {
  ApiKeyInput,
  ApiKeyView,
  apiKeyView,
  CurrentKeyView,
  NewApiKeyView,
  ServiceAccountChangeInput,
  ServiceAccountInput,
  ServiceAccountView,
  ServiceKeyInput,
  serviceAccountView,
} from './api-key.dto.js';
import { ApiKeyRepository } from './api-key.repository.js';
import { ApiKeyService } from './api-key.service.js';
import { KeyOwners } from './key-exchange.service.js';
import { ServiceAccountService } from './service-account.service.js';

@ApiGroup(API_KEY_GROUP)
@Controller('api/auth/api-keys')
@Access({ right: 'read' })
export class PersonalKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Get()
  @Describe({
    summary: 'List your API keys',
    description: 'Includes when and where each key was last used. Expired keys stay in the list for a month.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.list(principal.tenantId, principal.userId, query), apiKeyView);
  }

  @Post()
  @Access({ right: 'read', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Create an API key',
    description:
      'The key acts as you, within its scopes and your role. It is shown once. You can have up to 25 keys. You are notified by email.',
    answers: [{ status: 201, description: 'The key', body: () => NewApiKeyView }],
    errors: ['SCOPE_NOT_GRANTABLE', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async make(@CurrentPrincipal() principal: Principal, @Body() input: ApiKeyInput): Promise<NewApiKeyView> {
    return this.keys.make(principal, input);
  }

  @Delete()
  @Describe({
    summary: 'Revoke all of your API keys',
    description: 'They stop working within a second.',
    answers: [{ status: 204, description: 'The keys are revoked' }],
  })
  async endAll(@CurrentPrincipal() principal: Principal): Promise<void> {
    await this.keys.endAll(principal, { kind: 'user', id: principal.userId });
  }

  @Delete(':id')
  @Describe({
    summary: 'Revoke one of your API keys',
    description: 'It stops working within a second.',
    answers: [{ status: 204, description: 'The key is revoked' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.keys.end(principal, { kind: 'user', id: principal.userId }, id);
  }
}

@ApiGroup(API_KEY_GROUP)
@Controller('api/tenant/users/:id/api-keys')
@Access({ right: 'administer', proof: false })
export class UserKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Get()
  @Describe({
    summary: 'List the API keys of a user',
    description: 'Includes when and where each key was last used. Not for users with a role higher than your own.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.listOfUser(principal, userId, query), apiKeyView);
  }

  @Delete()
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Revoke all API keys of a user',
    description: 'They stop working within a second.',
    answers: [{ status: 204, description: 'The keys are revoked' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async endAll(@CurrentPrincipal() principal: Principal, @IdParam() userId: string): Promise<void> {
    await this.keys.endAllOfUser(principal, userId);
  }

  @Delete(':keyId')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Revoke an API key of a user',
    description: 'It stops working within a second.',
    answers: [{ status: 204, description: 'The key is revoked' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() userId: string,
    @IdParam('keyId') keyId: string,
  ): Promise<void> {
    await this.keys.endOfUser(principal, userId, keyId);
  }
}

@ApiGroup(API_KEY_GROUP)
@Controller('api/tenant/service-accounts/:id/api-keys')
@Access({ right: 'administer', proof: false })
export class ServiceKeyController {
  constructor(private readonly keys: ApiKeyService) {}

  @Get()
  @Describe({
    summary: 'List the API keys of a service account',
    description: 'Includes when and where each key was last used. Expired keys stay in the list for a month.',
    answers: [{ status: 200, description: 'The keys, newest first', body: () => ApiKeyView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ApiKeyView>> {
    return mapList(await this.keys.listOfAccount(principal, accountId, query), apiKeyView);
  }

  @Post()
  @Access({ right: 'administer', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Create an API key for a service account',
    description: "It has the account's roles and scopes. It is shown once. An account can have up to 25 keys.",
    answers: [{ status: 201, description: 'The key', body: () => NewApiKeyView }],
    errors: ['ROLE_NOT_GRANTABLE', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async make(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @Body() input: ServiceKeyInput,
  ): Promise<NewApiKeyView> {
    return this.keys.makeForAccount(principal, accountId, input);
  }

  @Delete(':keyId')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Revoke an API key of a service account',
    description: 'It stops working within a second.',
    answers: [{ status: 204, description: 'The key is revoked' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async end(
    @CurrentPrincipal() principal: Principal,
    @IdParam() accountId: string,
    @IdParam('keyId') keyId: string,
  ): Promise<void> {
    await this.keys.endOfAccount(principal, accountId, keyId);
  }
}

@ApiGroup(API_KEY_GROUP)
@Controller('api/auth/api-keys/current')
export class CurrentKeyController {
  constructor(
    private readonly database: Database,
    private readonly keys: ApiKeyRepository,
    private readonly owners: KeyOwners,
  ) {}

  @Get()
  @Access({ right: 'read', key: true })
  @Describe({
    summary: 'Get the current API key',
    description: 'Who the key acts for, its roles and scopes, and when it expires. Call it with an API key.',
    answers: [{ status: 200, description: 'The key', body: () => CurrentKeyView }],
    errors: ['NOT_FOUND'],
  })
  async get(@CurrentPrincipal() { tenantId, apiKeyId }: Principal): Promise<CurrentKeyView> {
    if (apiKeyId === undefined) throw new PlatformError('NOT_FOUND', 'The call was made without an API key');
    return this.database.transaction(tenantId, async (tx) => {
      const key = await this.keys.findLive(tx, apiKeyId);
      const owner = key && (await this.owners.lock(tx, key));
      if (!owner) throw new PlatformError('INVALID_API_KEY');
      const { name, roles, scopes } = owner;
      const described = { kind: key.ownerKind, id: key.ownerId, name, roles: [...roles] };
      return { ...apiKeyView(key), scopes: [...scopes], owner: described, tenantId };
    });
  }
}

@ApiGroup(API_KEY_GROUP)
@Controller('api/tenant/service-accounts')
@Access({ right: 'administer', proof: false })
export class ServiceAccountController {
  constructor(private readonly accounts: ServiceAccountService) {}

  @Get()
  @Describe({
    summary: 'List service accounts',
    description: "A service account is for a program: it uses API keys and can't sign in.",
    answers: [{ status: 200, description: 'The accounts, oldest first', body: () => ServiceAccountView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ServiceAccountView>> {
    return mapList(await this.accounts.list(principal.tenantId, query), serviceAccountView);
  }

  @Get(':id')
  @Describe({
    summary: 'Get a service account',
    description: 'Includes its roles, scopes, and status.',
    answers: [{ status: 200, description: 'The account', body: () => ServiceAccountView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<ServiceAccountView> {
    return serviceAccountView(await this.accounts.get(principal.tenantId, id));
  }

  @Post()
  @Access({ right: 'administer', proof: true })
  @NotRepeatable()
  @Describe({
    summary: 'Create a service account',
    description:
      "Its roles can't be higher than your own, and its scopes limit all of its keys. A workspace can have up to 100.",
    answers: [{ status: 201, description: 'The account', body: () => ServiceAccountView }],
    errors: ['ROLE_NOT_GRANTABLE', 'SCOPE_NOT_GRANTABLE', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async add(@CurrentPrincipal() principal: Principal, @Body() input: ServiceAccountInput): Promise<ServiceAccountView> {
    return serviceAccountView(await this.accounts.add(principal, input));
  }

  @Patch(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Update a service account',
    description: "Its keys get the new rights within a second. The keys of a disabled account don't work.",
    answers: [{ status: 200, description: 'The account', body: () => ServiceAccountView }],
    errors: ['ROLE_NOT_GRANTABLE', 'SCOPE_NOT_GRANTABLE'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ServiceAccountChangeInput,
  ): Promise<ServiceAccountView> {
    return serviceAccountView(await this.accounts.change(principal, id, input));
  }

  @Delete(':id')
  @Access({ right: 'administer', proof: true })
  @Describe({
    summary: 'Remove a service account',
    description: 'Its keys stop working within a second. What it wrote stays.',
    answers: [{ status: 204, description: 'The account is removed' }],
    errors: ['ROLE_NOT_GRANTABLE'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.accounts.remove(principal, id);
  }
}
