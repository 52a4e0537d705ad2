import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { MARKETPLACE } from '../catalogue/api-groups.js';
import { RateInput, RatingView } from './rating.dto.js';
import { RatingService } from './rating.service.js';

@ApiGroup(MARKETPLACE)
@Controller('api/marketplace/apps/:key/rating')
export class RatingController {
  constructor(private readonly ratings: RatingService) {}

  @Put()
  @Access({ right: 'write' })
  @Describe({
    summary: 'Rates an installed app',
    description: 'Each user has one rating per app; rating again replaces it.',
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
