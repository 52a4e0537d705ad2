import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { EmbedLinkDto, EmbedLinkList, EmbedLinkQuery } from './embed-link.dto.js';
import { EmbedLinkService } from './embed-link.service.js';

@ApiGroup({
  name: 'Users',
  description: 'The people of a workspace, their roles and their links to users of a host application.',
})
@Controller('api/tenant/embed-links')
export class EmbedLinkController {
  constructor(private readonly links: EmbedLinkService) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Finds the user that a host user is linked to',
    description: 'The list is empty while the host user is not linked.',
    answers: [{ status: 200, description: 'The link, or an empty list', body: () => EmbedLinkList }],
  })
  async find(
    @CurrentPrincipal() principal: Principal,
    @Query() { appKey, sub }: EmbedLinkQuery,
  ): Promise<EmbedLinkList> {
    return { data: await this.links.list(principal, appKey, sub) };
  }

  @Put()
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Links a host user to a user of the workspace',
    description: 'Needed where the app does not link users by e-mail. An existing link is replaced.',
    answers: [{ status: 200, description: 'The link', body: () => EmbedLinkDto }],
    refusals: ['ROLE_NOT_GRANTABLE'],
  })
  async link(@CurrentPrincipal() principal: Principal, @Body() input: EmbedLinkDto): Promise<EmbedLinkDto> {
    return this.links.link(principal, input);
  }
}
