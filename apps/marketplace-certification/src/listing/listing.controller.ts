import { Access, CurrentPrincipal, Public } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe, type ListAnswer } from '@crm/http';
import { manifestJsonSchema } from '@crm/manifest';
import { Controller, Get, Header, Param, Query } from '@nestjs/common';
import { AppAnswer, AppDetailAnswer, ListingQuery } from './listing.dto.js';
import { ListingService } from './listing.service.js';

@Controller('api/marketplace')
export class ListingController {
  constructor(private readonly listings: ListingService) {}

  @Get('apps')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Published apps',
    answers: [{ status: 200, description: 'By name', body: () => AppAnswer, list: true }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListingQuery): Promise<ListAnswer<AppAnswer>> {
    return this.listings.list(principal, query);
  }

  @Get('apps/:key')
  @Access({ right: 'read' })
  @Describe({
    summary: 'A published app with what it asks for and brings',
    answers: [{ status: 200, description: 'The app', body: () => AppDetailAnswer }],
  })
  find(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<AppDetailAnswer> {
    return this.listings.find(principal, key);
  }

  @Get('manifest-schema')
  @Public()
  @Header('content-type', 'application/schema+json')
  @Header('cache-control', 'public, max-age=3600')
  @Describe({
    summary: 'JSON Schema 2020-12 of the app package',
    answers: [{ status: 200, description: 'The schema', body: { type: 'object', additionalProperties: true } }],
  })
  manifestSchema(): Readonly<Record<string, unknown>> {
    return manifestJsonSchema;
  }
}
