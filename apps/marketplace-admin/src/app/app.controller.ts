import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { APP_DECISIONS, type AppDecision, type AppImpact, PlatformError, rpc } from '@crm/contracts';
import { ApiGroup, Describe } from '@crm/http';
import { Rpc } from '@crm/messaging';
import { Body, Controller, Get, HttpCode, Param, Post } from '@nestjs/common';
import { AppDecisionInput, AppView } from './app.dto.js';

/** Apps that are published, or were. marketplace-certification checks the operator's token again and decides. */
@ApiGroup({
  name: 'Apps',
  description: 'Published apps, how much depends on them, and taking them out of the marketplace.',
})
@Controller('api/admin/apps')
export class AppController {
  constructor(private readonly rpc: Rpc) {}

  @Get(':key/impact')
  @Access({ right: 'read' })
  @Describe({
    summary: 'Returns how much depends on an app',
    description: 'Look at it before you suspend the app.',
    answers: [{ status: 200, description: 'The app and its installations', body: () => AppView }],
    errors: ['NOT_FOUND'],
  })
  async impact(@CurrentPrincipal() principal: Principal, @Param('key') appKey: string): Promise<AppView> {
    return viewOf(await this.rpc.call(rpc.marketplace.getAppImpact, { appKey }, principal));
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
    const decision: AppDecision | undefined = APP_DECISIONS.find((known) => known === name);
    if (!decision) throw new PlatformError('NOT_FOUND');
    return viewOf(await this.rpc.call(rpc.marketplace.decideApp, { appKey, decision, reason }, principal));
  }
}

function viewOf({ appKey, installations, tenants, sandboxes, ...app }: AppImpact): AppView {
  return { key: appKey, ...app, impact: { installations, tenants, sandboxes } };
}
