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
export class OwnGrantController {
  constructor(private readonly grants: GrantService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Lists the apps that act for the current user',
    description: 'Each time you allow an app to act for you there is one entry, until it is ended or expires.',
    answers: [{ status: 200, description: 'The apps, the last allowed first', body: () => OwnGrantView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<OwnGrantView>> {
    return mapList(await this.grants.list(principal, query), ownGrantView);
  }

  @Patch(':id')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Leaves an app fewer scopes',
    description:
      'Its access tokens stop working within a second; its refresh token goes on, and gives tokens with the scopes that are left. No call gives a scope back: the app can ask again, and you decide again.',
    answers: [{ status: 200, description: 'What the app may still do', body: () => OwnGrantView }],
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
  @Access({ right: 'read' })
  @Describe({
    summary: 'Ends what an app may do for the current user',
    description: 'Its refresh token stops working, and its access tokens stop working within a second.',
    answers: [{ status: 204, description: 'The app no longer acts for you' }],
  })
  async end(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<void> {
    await this.grants.endOwn(principal, id);
  }
}
