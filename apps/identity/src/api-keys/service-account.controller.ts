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
export class ServiceAccountController {
  constructor(private readonly accounts: ServiceAccountService) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Lists the service accounts of the workspace',
    description: 'A service account is a program: it calls with API keys and cannot sign in.',
    answers: [{ status: 200, description: 'The accounts, oldest first', body: () => ServiceAccountView, list: true }],
  })
  async list(
    @CurrentPrincipal() principal: Principal,
    @Query() query: ListQuery,
  ): Promise<ListAnswer<ServiceAccountView>> {
    return mapList(await this.accounts.list(principal.tenantId, query), serviceAccountView);
  }

  @Get(':id')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Returns a service account',
    description: 'With its roles, scopes and status.',
    answers: [{ status: 200, description: 'The account', body: () => ServiceAccountView }],
  })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<ServiceAccountView> {
    return serviceAccountView(await this.accounts.get(principal.tenantId, id));
  }

  @Post()
  @NotRepeatable()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Adds a service account',
    description:
      'With roles that are not above your own, and scopes that limit all of its keys. At most 100 in a workspace. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 201, description: 'The account', body: () => ServiceAccountView }],
    errors: ['ROLE_NOT_GRANTABLE', 'SCOPE_NOT_GRANTABLE', 'STEP_UP_REQUIRED', 'API_KEY_LIMIT_EXCEEDED'],
  })
  async add(@CurrentPrincipal() principal: Principal, @Body() input: ServiceAccountInput): Promise<ServiceAccountView> {
    return serviceAccountView(await this.accounts.add(principal, input));
  }

  @Patch(':id')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Changes a service account',
    description:
      'Its keys have the new rights within a second; keys of a disabled account are refused. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 200, description: 'The account', body: () => ServiceAccountView }],
    errors: ['ROLE_NOT_GRANTABLE', 'SCOPE_NOT_GRANTABLE', 'STEP_UP_REQUIRED'],
  })
  async change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() input: ServiceAccountChangeInput,
  ): Promise<ServiceAccountView> {
    return serviceAccountView(await this.accounts.change(principal, id, input));
  }

  @Delete(':id')
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Removes a service account',
    description:
      'Its keys are refused within a second; what it wrote stays. Needs a proof of your password or second factor in the last ten minutes.',
    answers: [{ status: 204, description: 'The account is gone' }],
    errors: ['ROLE_NOT_GRANTABLE', 'STEP_UP_REQUIRED'],
  })
  async remove(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.accounts.remove(principal, id);
  }
}
