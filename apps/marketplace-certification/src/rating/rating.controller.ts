import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { RateInput, RatingAnswer } from './rating.dto.js';
import { RatingService } from './rating.service.js';

@ApiGroup({
  name: 'Marketplace',
  description: 'Published apps, their ratings and the schema of app packages.',
})
@Controller('api/marketplace/apps/:key/rating')
export class RatingController {
  constructor(private readonly ratings: RatingService) {}

  @Put()
  @Access({ right: 'write' })
  @Describe({
    summary: 'Rates an installed app',
    description: 'Each user has one rating per app; rating again replaces it.',
    answers: [{ status: 200, description: 'The rating of the current user', body: () => RatingAnswer }],
  })
  async rate(
    @CurrentPrincipal() principal: Principal,
    @Param('key') key: string,
    @Body() input: RateInput,
  ): Promise<RatingAnswer> {
    const { updatedAt, ...rating } = await this.ratings.rate(principal, key, input.stars, input.text);
    return { ...rating, updatedAt: updatedAt.toISOString() };
  }
}
