import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { USER_GROUP } from '../../api-groups.js';
import { EmbedLinkInput, EmbedLinkListView, EmbedLinkQuery, EmbedLinkView } from './embed-link.dto.js';
import { EmbedLinkService } from './embed-link.service.js';

@ApiGroup(USER_GROUP)
@Controller('api/tenant/embed-links')
export class EmbedLinkController {
  constructor(private readonly links: EmbedLinkService) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Finds the user that a host user is linked to',
    description: 'The list is empty while the host user is not linked, and after the user has undone the link.',
    answers: [{ status: 200, description: 'The link, or an empty list', body: () => EmbedLinkListView }],
  })
  async find(
    @CurrentPrincipal() principal: Principal,
    @Query() { appKey, sub }: EmbedLinkQuery,
  ): Promise<EmbedLinkListView> {
    return { data: await this.links.list(principal, appKey, sub) };
  }

  @Put()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Links a host user to a user of the workspace',
    description: 'Needed where the app does not link users by e-mail. An existing link is replaced.',
    answers: [{ status: 200, description: 'The link', body: () => EmbedLinkView }],
    errors: ['STEP_UP_REQUIRED', 'ROLE_NOT_GRANTABLE'],
  })
  async link(@CurrentPrincipal() principal: Principal, @Body() input: EmbedLinkInput): Promise<EmbedLinkView> {
    return this.links.link(principal, input);
  }
}
