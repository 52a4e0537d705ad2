import { Access, CurrentPrincipal, type Principal, Public } from '@crm/access';
import { ApiGroup, Describe, type ListAnswer } from '@crm/http';
import { manifestJsonSchema } from '@crm/manifest';
import { Body, Controller, Get, Header, Param, Put, Query } from '@nestjs/common';
import { MARKETPLACE } from '../api-groups.js';
import { AppDetailView, AppView, ListingQuery, RateInput, RatingView } from './listing.dto.js';
import { ListingService } from './listing.service.js';
import { RatingService } from './rating.service.js';

@ApiGroup(MARKETPLACE)
@Controller('api/marketplace')
export class ListingController {
  constructor(private readonly listings: ListingService) {}

  @Get('apps')
  @Access({ right: 'read' })
  @Describe({
    summary: 'List published apps',
    description: "Leaves out unlisted apps. Private apps appear only in their publisher's workspace.",
    answers: [{ status: 200, description: 'The apps, by name', body: () => AppView, list: true }],
  })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListingQuery): Promise<ListAnswer<AppView>> {
    return this.listings.list(principal, query);
  }

  @Get('apps/:key')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Get a published app',
    description: 'Includes what an admin consents to: scopes, objects, events, and every host that the app works with.',
    answers: [{ status: 200, description: 'The app', body: () => AppDetailView }],
  })
  get(@CurrentPrincipal() principal: Principal, @Param('key') key: string): Promise<AppDetailView> {
    return this.listings.get(principal, key);
  }

  @Get('manifest-schema')
  @Public()
  @Header('content-type', 'application/schema+json')
  @Header('cache-control', 'public, max-age=3600')
  @Describe({
    summary: 'Get the JSON Schema of app packages',
    description:
      'JSON Schema 2020-12, for completion and validation in editors. Certification also checks limits and meaning.',
    answers: [{ status: 200, description: 'The schema', body: { type: 'object', additionalProperties: true } }],
  })
  manifestSchema(): Readonly<Record<string, unknown>> {
    return manifestJsonSchema;
  }
}

@ApiGroup(MARKETPLACE)
@Controller('api/marketplace/apps/:key/rating')
export class RatingController {
  constructor(private readonly ratings: RatingService) {}

  @Put()
  @Access({ right: 'write' })
  @Describe({
    summary: 'Rate an installed app',
    description: 'Each user has one rating per app. Rating again replaces it.',
    answers: [{ status: 200, description: 'The rating of the current user', body: () => RatingView }],
  })
  rate(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Body() { stars, text }: RateInput,
  ): Promise<RatingView> {
    return this.ratings.rate(principal, key, stars, text);
  }
}
