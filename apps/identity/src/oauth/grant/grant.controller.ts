import { Access, CurrentPrincipal } from '@crm/access';
import type { Principal } from '@crm/context';
import { ApiGroup, Describe, IdParam, type ListAnswer, ListQuery, mapList } from '@crm/http';
import { Controller, Delete, Get, HttpCode, Query } from '@nestjs/common';
import { OAUTH_GROUP } from '../../api-groups.js';
import { GrantView } from './grant.dto.js';
import { GrantService } from './grant.service.js';
import { grantView } from './grant-view.js';

@ApiGroup(OAUTH_GROUP)
@Controller('api/auth/oauth/grants')
export class GrantController {
  constructor(private readonly grants: GrantService) {}

  @Get()
  @Access({ right: 'read' })
  @Describe({
    summary: 'Lists the apps that act for the current user',
    description: 'Each time you allow an app to act for you there is one entry, until it is ended or expires.',
    answers: [{ status: 200, description: 'The apps, the last allowed first', body: () => GrantView, list: true }],
  })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: ListQuery): Promise<ListAnswer<GrantView>> {
    return mapList(await this.grants.list(principal, query), grantView);
  }

  @Delete(':id')
  @HttpCode(204)
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
