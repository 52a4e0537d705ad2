import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe } from '@crm/http';
import { Body, Controller, Get, Put, Query } from '@nestjs/common';
import { EmbedLinkDto, EmbedLinkList, EmbedLinkQuery } from './embed-link.dto.js';
import { EmbedLinkService } from './embed-link.service.js';

@Controller('api/tenant/embed-links')
export class EmbedLinkController {
  constructor(private readonly links: EmbedLinkService) {}

  @Get()
  @Access({ right: 'administer' })
  @Describe({
    summary: "The user that a host's user is",
    answers: [{ status: 200, description: 'One link or none', body: () => EmbedLinkList }],
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
    summary: "Links a host's user to a user of the workspace",
    description: 'The way to link where the app does not link by e-mail.',
    answers: [{ status: 200, description: 'The link', body: () => EmbedLinkDto }],
    refusals: ['ROLE_NOT_GRANTABLE'],
  })
  async link(@CurrentPrincipal() principal: Principal, @Body() input: EmbedLinkDto): Promise<EmbedLinkDto> {
    return this.links.link(principal, input);
  }
}
