import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList } from '@crm/http';
import { Body, Controller, Delete, Get, Patch, Query } from '@nestjs/common';
import { OAUTH_GROUP } from '../api-groups.js';
import { GrantService, grantView, type OwnGrant } from './grant.service.js';
import { GrantInput, OwnGrantView } from './oauth.dto.js';

const ownGrantView = (grant: OwnGrant): OwnGrantView => ({
  ...grantView(grant),
  requiredScopes: grant.requiredScopes,
});

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth/grants')
@Access({ right: 'read' })
export class OwnGrantController {
  constructor(private readonly grants: GrantService) {}

  @Get()
  @Describe({
    summary: 'List your connected apps',
    description: 'One entry for each authorization, until it is revoked or expires.',
    answers: [
      { status: 200, description: 'The apps, most recently connected first', body: () => OwnGrantView, list: true },
    ],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<OwnGrantView>> {
    return mapList(await this.grants.list(principal, query), ownGrantView);
  }

  @Patch(':id')
  @Describe({
    summary: 'Remove scopes from a connected app',
    description:
      'Its access tokens stop working within a second. Its refresh token keeps working and returns tokens with the remaining scopes. To restore a scope, the app must ask for consent again.',
    answers: [{ status: 200, description: 'The remaining scopes', body: () => OwnGrantView }],
    errors: ['SCOPE_NOT_OFFERED', 'SCOPE_REQUIRED'],
  })
  async narrow(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: string,
    @Body() { scopes }: GrantInput,
  ): Promise<OwnGrantView> {
    return ownGrantView(await this.grants.narrow(principal, id, scopes));
  }

  @Delete(':id')
  @Describe({
    summary: 'Disconnect an app',
    description: 'Its refresh token and its access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The app is disconnected' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.grants.endOwn(principal, id);
  }
}
