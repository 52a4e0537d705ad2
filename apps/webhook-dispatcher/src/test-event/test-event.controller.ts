import { Access, CurrentPrincipal, type Principal } from '@crm/access';
import { ApiGroup, Describe, IdParam } from '@crm/http';
import { Controller, HttpCode, Post } from '@nestjs/common';
import { ADMINISTER_WEBHOOKS, WEBHOOKS_GROUP } from '../webhooks-api.js';
import { TestOutcomeView, testOutcomeView } from './test-event.dto.js';
import { TestEventService } from './test-event.service.js';

@ApiGroup(WEBHOOKS_GROUP)
@Controller('api/webhooks/subscriptions/:id')
export class TestEventController {
  constructor(private readonly tests: TestEventService) {}

  @Post('test')
  @HttpCode(200)
  @Access(ADMINISTER_WEBHOOKS)
  @Describe({
    summary: 'Sends a test event to a subscription',
    description:
      'One event of the type `webhook.test`, signed like a delivery, also while the subscription is paused or disabled and for a subscription of an app. The answer comes when the receiver has answered or 15 seconds are over, and says what came of it. The event is not repeated and not in the ledger. `RATE_LIMITED` while another one of the subscription is under way.',
    errors: ['RATE_LIMITED'],
    answers: [{ status: 200, description: 'What came of it', body: () => TestOutcomeView }],
  })
  async send(@CurrentPrincipal() principal: Principal, @IdParam() id: string): Promise<TestOutcomeView> {
    return testOutcomeView(await this.tests.send(principal, id));
  }
}
