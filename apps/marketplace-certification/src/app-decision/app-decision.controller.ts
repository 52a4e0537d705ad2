import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { PlatformError } from '@crm/contracts';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { APP_DECISIONS } from '../catalogue/version-state.js';
import { AppDecisionInput, AppView } from './app-decision.dto.js';
import { AppDecisionService } from './app-decision.service.js';

/** Apps that are published, or were, for operators. */
@ApiGroup({
  name: 'Apps',
  description: 'Published apps, how much depends on them, and taking them out of the marketplace.',
})
@Controller('operators/api/admin/apps')
export class OperatorsAppController {
  constructor(private readonly decisions: AppDecisionService) {}

  @Get(':key/impact')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns how much depends on an app',
    description: 'Look at it before you suspend the app.',
    answers: [{ status: 200, description: 'The app and its installations', body: () => AppView }],
    errors: ['NOT_FOUND'],
  })
  async impact(@CurrentPrincipal() principal: Principal, @Param('key') appKey: string): Promise<AppView> {
    return this.decisions.measure(principal, appKey);
  }

  @Post(':key/:decision')
  @HttpCode(200)
  @Access({ right: 'administer' })
  @Describe({
    summary: 'Suspends, reinstates, revokes or unlists an app',
    description: `The decision is one of ${APP_DECISIONS.map((name) => `\`${name}\``).join(', ')}. \`suspend\` stops new installs and keeps those there are; \`reinstate\` undoes that; \`revoke\` is for good: no version is published any more or again, and every token of the app ends within a second; \`unlist\` leaves the app to those who know its key. The publisher reads the reason as the verdict on the version.`,
    answers: [{ status: 200, description: 'The app and its installations', body: () => AppView }],
    errors: ['OWN_SUBMISSION', 'SUBMISSION_STATE', 'NOT_FOUND'],
  })
  async decide(
    @CurrentPrincipal() principal: Principal,
    @Param('key') appKey: string,
    @Param('decision') name: string,
    @Body() { reason }: AppDecisionInput,
  ): Promise<AppView> {
    const decision = APP_DECISIONS.find((known) => known === name);
    if (!decision) throw new PlatformError('NOT_FOUND');
    return this.decisions.decide(principal, appKey, decision, reason);
  }
}
