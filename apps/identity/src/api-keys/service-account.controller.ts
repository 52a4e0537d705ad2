import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList, NotRepeatable } from '@crm/http';
import { Body, Controller, Delete, Get, Patch, Post, Query } from '@nestjs/common';
import { API_KEY_GROUP } from '../api-groups.js';
import {
  ServiceAccountChangeInput,
  ServiceAccountInput,
  ServiceAccountView,
  serviceAccountView,
} from './api-key.dto.js';
import { ServiceAccountService } from './service-account.service.js';

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
