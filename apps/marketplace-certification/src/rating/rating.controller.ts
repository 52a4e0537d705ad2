import { Access, CurrentPrincipal } from '@crm/access';
import { type Principal } from '@crm/context';
import { Describe } from '@crm/http';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { RateInput, RatingAnswer } from './rating.dto.js';
import { RatingService } from './rating.service.js';

@Controller('api/marketplace/apps/:key/rating')
export class RatingController {
  constructor(private readonly ratings: RatingService) {}

  @Put()
  @Access({ right: 'write' })
  @Describe({
    summary: 'Rates an installed app, or changes the rating',
    answers: [{ status: 200, description: "The caller's rating", body: () => RatingAnswer }],
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
